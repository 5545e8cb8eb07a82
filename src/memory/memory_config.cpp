#include "memory/memory_config.hpp"

namespace mesim {

void MemoryConfig::fields(Fields& f) {
  f.preset("memory", preset);
  f.choice("model", model, {"fixed", "dram"},
           "fixed: latency_ns and bandwidth_gbps; dram: every command of the standard below, which a preset "
           "gives");
  FixedLatencyConfig::fields(f);
  DramStandard::fields(f);
  f.object("controller", controller, "what the DRAM's controllers decide");
  f.require("model", !is_dram() || !timings.empty(), [] {
    return std::string(
        "found 'dram' without timings, expected a preset of a standard: memory.preset=ddr4-3200");
  });
}

}  // namespace mesim
