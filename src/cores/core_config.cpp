#include "cores/core_config.hpp"

namespace mesim {

void CoreConfig::fields(Fields& f) {
  f.choice(
      "type", type, {"in_order", "out_of_order"},
      "in_order: instructions issue in program order; out_of_order: when their operands are there, from a "
      "window; timed runs with a directory only");
  f.integer("width", width, {.min = 1, .max = 16, .unit = "instructions", .help = "issued in a cycle"});
  f.integer("outstanding_loads", outstanding_loads,
            {.min = 1,
             .max = max_outstanding_loads,
             .unit = "loads",
             .help = "of an in-order core that may wait for their data at once"});
  f.integer(
      "use_distance", use_distance,
      {.max = 1000,
       .unit = "instructions",
       .help = "that a core issues after a load before one needs its value; 0 waits for every load. Traces "
               "with registers and programs say it themselves to an out-of-order core"});
  f.integer("store_buffer", store_buffer,
            {.max = max_store_buffer, .unit = "stores", .help = "buffered; 0 waits for every store"});
  f.choice("consistency", consistency, {"sc", "tso", "pso", "weak"},
           "which program orders the hardware keeps: all; not store to load; neither store to store; none");
  f.object("window", window, "instructions in flight; out-of-order cores and programs");
  f.object("stores", stores, "how stores leave the buffer; out-of-order cores and programs");
  f.choice("fault", fault,
           {"none", "no_squash", "fence_passes", "forward_oldest", "atomic_passes", "any_once",
            "coalesce_another"},
           "a fault of the hardware for tests that must find it (docs/cores.md)");
  const bool ordered = consistency == "sc" || consistency == "tso";
  f.require("stores", !ordered || stores.drain_order != "any", [this] {
    return "drain_order any reorders stores, which consistency " + consistency +
           " forbids; expected fifo, or consistency pso or weak";
  });
  f.require("stores", !ordered || stores.coalescing != "any", [this] {
    return "coalescing any reorders stores, which consistency " + consistency +
           " forbids; expected none or adjacent, or consistency pso or weak";
  });
}

}  // namespace mesim
