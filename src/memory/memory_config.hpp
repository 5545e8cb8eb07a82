// The memory of a machine: a latency and a bandwidth, or DRAM of a standard, usually by a preset.
#pragma once
#include <string>

#include "memory/dram/controller_config.hpp"
#include "memory/dram/standard_config.hpp"
#include "memory/fixed_latency.hpp"

namespace mesim {

struct MemoryConfig : FixedLatencyConfig, DramStandard {
  std::string preset;  // configs/presets/memory/NAME.json
  std::string model = "fixed";
  DramControllerConfig controller;

  // The simple memory's figures alone; the model and all of DRAM stay.
  MemoryConfig& operator=(const FixedLatencyConfig& fixed) {
    FixedLatencyConfig::operator=(fixed);
    return *this;
  }

  bool is_dram() const { return model != "fixed"; }
  void fields(Fields& f);
};

}  // namespace mesim
