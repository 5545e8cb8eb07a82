#include "memory/memory.hpp"

#include "memory/dram/dram_memory.hpp"
#include "memory/memory_config.hpp"

namespace mesim {

std::unique_ptr<Memory> make_memory(unsigned ports, const MemoryConfig& config, const std::string& source) {
  if (config.is_dram()) return std::make_unique<dram::DramMemory>(ports, config, source);
  return std::make_unique<FixedLatencyMemory>(ports, config);
}

}  // namespace mesim
