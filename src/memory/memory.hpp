// What a machine has as its memory, of whatever model.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "memory/checker/dram_command.hpp"
#include "sim/clock_domain.hpp"
#include "sim/memory_port.hpp"
#include "sim/statistics.hpp"

namespace mesim {

// Bytes that a memory moved, in all and by the requests' `unit`.
struct MemoryTraffic {
  struct Unit {
    std::uint64_t read_bytes = 0;
    std::uint64_t written_bytes = 0;
  };
  std::uint64_t read_bytes = 0;
  std::uint64_t written_bytes = 0;
  std::vector<Unit> units;  // up to the highest that asked

  void add(const MemoryRequest& request) {
    if (request.unit >= units.size()) units.resize(request.unit + std::size_t{1});
    (request.write ? written_bytes : read_bytes) += request.bytes;
    (request.write ? units[request.unit].written_bytes : units[request.unit].read_bytes) += request.bytes;
  }
};

struct MemoryConfig;

class Memory : public MemoryDevice {
 public:
  virtual const MemoryTraffic& traffic() const = 0;
  // Component `memory` of a run that ends at `end`.
  virtual void write(StatWriter& out, Tick end) const = 0;
  // The clock in which it counts, if it is not that of who asks it.
  virtual std::optional<ClockPeriod> own_clock() const { return std::nullopt; }
  // Every command that it gives from now on, in its own clock; of no interest again if empty. A memory
  // without commands tells nothing.
  using Commands = std::function<void(const dram_check::DramCommand&)>;
  virtual void watch_commands(const Commands&) {}
};

// The memory of a config, for `ports` that ask it. Throws bad_input, naming `source`, for DRAM that cannot
// be.
std::unique_ptr<Memory> make_memory(unsigned ports, const MemoryConfig& config, const std::string& source);

}  // namespace mesim
