#include "memory/memory_config.hpp"

namespace mesim {

void MemoryConfig::fields(Fields& f) {
  f.preset("memory", preset);
  f.choice("model", model, {"fixed", "cycle", "stream"},
           "fixed: latency_ns and bandwidth_gbps; cycle: every command of the standard below, which a preset "
           "gives; stream: tile transfers as by cycle, but stretches that are served alike are passed over");
  FixedLatencyConfig::fields(f);
  DramStandard::fields(f);
  f.object("controller", controller, "what the DRAM's controllers decide");
  f.require("model", !is_dram() || !timings.empty(), [] {
    return std::string("DRAM without timings, expected a preset of a standard: memory.preset=ddr4-3200");
  });
}

}  // namespace mesim
