// The reservations of load-linked: one line a core. Lost when another core writes the line, or when the line
// left the core's cache, which is how processors notice (a cache that is asked for the line drops the link).
#pragma once
#include <cstdint>
#include <vector>

#include "coherence/functional_bus.hpp"

namespace mesim {

class Reservations {
 public:
  Reservations(unsigned cores, std::uint32_t line_bytes) : line_bytes_(line_bytes), lines_(cores, none) {}

  void reserve(unsigned core, std::uint64_t address) { lines_[core] = address / line_bytes_; }
  void written(unsigned by, std::uint64_t address) {
    for (unsigned core = 0; core < lines_.size(); ++core) {
      if (core != by && lines_[core] == address / line_bytes_) lines_[core] = none;
    }
  }
  bool holds(unsigned core, std::uint64_t address) const { return lines_[core] == address / line_bytes_; }
  void drop(unsigned core) { lines_[core] = none; }
  // Whether `core` still holds its reservation of a line that must be in its cache; over in any case.
  bool take(unsigned core, std::uint64_t address, const FunctionalBus& machine) {
    const bool held = holds(core, address);
    const bool cached = machine.state(core, address) != BusState::I;
    if (held && !cached) ++evicted_;
    drop(core);
    return held && cached;
  }

  const std::vector<std::uint64_t>& lines() const { return lines_; }
  // Reservations found lost although nobody wrote the line.
  std::uint64_t evicted() const { return evicted_; }

 private:
  static constexpr std::uint64_t none = ~0ULL;
  std::uint32_t line_bytes_;
  std::vector<std::uint64_t> lines_;  // by core
  std::uint64_t evicted_ = 0;
};

}  // namespace mesim
