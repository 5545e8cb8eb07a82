// First in, first out: evicts the line filled longest ago; hits change nothing.
#pragma once
#include <string_view>

#include "cache/replacement/stamps.hpp"

namespace mesim {

class Fifo {
 public:
  static constexpr std::string_view name = "fifo";
  explicit Fifo(const CacheGeometry& geometry, std::uint64_t /*seed*/ = 0) : stamps_(geometry) {}

  void touch(Slot) {}
  void filled(Slot slot) { stamps_.stamp(slot); }
  std::uint32_t victim(std::uint32_t set) { return stamps_.oldest(set); }

  std::uint64_t word(Slot) const { return 0; }
  void restore(Slot, std::uint64_t) {}
  std::uint32_t headroom() const { return stamps_.headroom(); }
  void renumber() { stamps_.renumber(); }

  friend bool operator==(const Fifo&, const Fifo&) = default;

 private:
  Stamps stamps_;
};

}  // namespace mesim
