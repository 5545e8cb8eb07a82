#include "cache/prefetcher.hpp"

namespace mesim {

void PrefetcherConfig::fields(Fields& f) {
  std::vector<std::string> kinds = AnyPrefetcher::names();
  kinds.insert(kinds.begin(), "none");
  f.choice(
      "kind", kind, kinds,
      "next_line: the lines after one that missed or was prefetched and is used; stride: by the distance "
      "between the accesses of each instruction");
  f.integer("degree", degree, {.min = 1, .max = 16, .unit = "lines", .help = "asked for at a time"});
  f.integer("distance", distance,
            {.min = 1, .max = 64, .help = "lines, or strides, from the access to the first one asked for"});
  f.integer("entries", entries,
            {.min = 1,
             .max = 65536,
             .power_of_two = true,
             .help = "of the stride prefetcher's table of instructions, direct-mapped"});
}

}  // namespace mesim
