#include "cores/core_config.hpp"

namespace mesim {

void CoreConfig::fields(Fields& f) {
  f.integer("width", width,
            {.min = 1, .max = 16, .unit = "instructions", .help = "issued in a cycle, in order"});
  f.integer("outstanding_loads", outstanding_loads,
            {.min = 1,
             .max = max_outstanding_loads,
             .unit = "loads",
             .help = "that may wait for their data at once"});
  f.integer("use_distance", use_distance,
            {.max = 1000,
             .unit = "instructions",
             .help = "that a core issues after a load before one needs its value; 0 waits for every load"});
  f.integer(
      "store_buffer", store_buffer,
      {.max = max_store_buffer, .unit = "stores", .help = "buffered in order; 0 waits for every store"});
}

}  // namespace mesim
