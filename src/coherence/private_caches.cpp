#include "coherence/private_caches.hpp"

namespace mesim {

void PrivateCachesConfig::fields(Fields& f) {
  f.integer("l1_latency_cycles", l1_latency_cycles,
            {.min = 1, .max = 100, .unit = "cycles", .help = "from an access to its value in the L1"});
  f.integer(
      "l2_latency_cycles", l2_latency_cycles,
      {.min = 1, .max = 200, .unit = "cycles", .help = "beyond the L1's, to a value in the private L2"});
  f.integer("mshrs", mshrs, {.min = 1, .max = 64, .help = "lines that a core may miss at once"});
  f.integer("eviction_buffers", eviction_buffers,
            {.min = 1, .max = 64, .help = "lines on their way out until the home acknowledges them"});
  f.object("prefetcher", prefetcher,
           "of data, into the private L2, or into the L1D of a core without one; leaves an MSHR to the core");
}

}  // namespace mesim
