#include "network/crossbar_config.hpp"

namespace mesim {

void CrossbarConfig::fields(Fields& f) {
  f.integer("latency_cycles", latency_cycles,
            {.min = 2, .max = 200, .unit = "cycles", .help = "from sender to receiver without contention"});
  f.integer("link_bytes", link_bytes,
            {.min = 1, .max = 65536, .unit = "bytes", .help = "that an output delivers in a cycle"});
}

}  // namespace mesim
