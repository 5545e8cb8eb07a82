#include "cache/array_timing.hpp"

namespace mesim {

void ArrayTimingConfig::fields(Fields& f) {
  f.choice("lookup", lookup, {"parallel", "sequential"},
           "tags and data at once, or the data of the right way after the tags: slower, and a way's energy");
  f.integer("tag_latency_cycles", tag_latency_cycles,
            {.max = 500,
             .unit = "cycles",
             .help = "of the tags, after which a miss is known; 0: as long as the data"});
  f.integer("banks", banks,
            {.min = 1, .max = 64, .power_of_two = true, .help = "lines are dealt out to them in turn"});
  f.integer("ports", ports,
            {.max = 16,
             .help = "accesses that each bank begins at a time, others wait; 0: as many as are asked for"});
  f.integer("bank_cycles", bank_cycles,
            {.min = 1,
             .max = 100,
             .unit = "cycles",
             .help = "between two accesses through one port; 1: pipelined"});
}

}  // namespace mesim
