#include "coherence/private_caches.hpp"

namespace mesim {

void PrivateCachesConfig::fields(Fields& f) {
  f.choice(
      "l1_writes", l1_writes, {"back", "through", "through_no_allocate"},
      "before a private L2, what the L1D does with a store: it keeps it until the line leaves, it passes it "
      "on to the L2 as well, or it does that and takes no line that only a store misses");
  f.integer("l1_latency_cycles", l1_latency_cycles,
            {.min = 1,
             .max = 100,
             .unit = "cycles",
             .help = "from an access to its value in the L1, or of its data array alone"});
  f.integer(
      "l2_latency_cycles", l2_latency_cycles,
      {.min = 1, .max = 200, .unit = "cycles", .help = "beyond the L1's, to a value in the private L2"});
  f.object("l1_array", l1_array, "how the L1s look up, their banks and ports");
  f.object("l2_array", l2_array, "the same of the private L2");
  for (const auto& [name, array] : {std::pair{"l1_array", &l1_array}, std::pair{"l2_array", &l2_array}}) {
    f.require(name, array->lookup != "sequential" || array->tag_latency_cycles != 0, [] {
      return std::string(
          "a sequential lookup has tags and data one after the other; expected tag_latency_cycles");
    });
  }
  f.integer("mshrs", mshrs, {.min = 1, .max = 64, .help = "lines that a core may miss at once"});
  f.integer("eviction_buffers", eviction_buffers,
            {.min = 1, .max = 64, .help = "lines on their way out until the home acknowledges them"});
  f.object("prefetcher", prefetcher,
           "of data, into the private L2, or into the L1D of a core without one; leaves an MSHR to the core. "
           "In orders "
           "without time into the L1D");
}

}  // namespace mesim
