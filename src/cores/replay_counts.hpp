// What one core was given of a trace.
#pragma once
#include <array>
#include <cstdint>

#include "traces/record.hpp"

namespace mesim {

struct ReplayCounts {
  static constexpr std::size_t kinds = 16;
  std::array<std::uint64_t, kinds> records{};  // by RecordKind
  std::uint64_t gaps = 0;                      // instructions between records

  std::uint64_t of(RecordKind kind) const { return records[static_cast<std::size_t>(kind)]; }
  std::uint64_t references() const;  // memory accesses and fetches
  // Recorded instructions: the fetches if the trace has any, else one per memory access or fence; and gaps.
  std::uint64_t instructions() const;

  ReplayCounts& operator+=(const ReplayCounts& other) {
    for (std::size_t kind = 0; kind < kinds; ++kind) records[kind] += other.records[kind];
    gaps += other.gaps;
    return *this;
  }
  ReplayCounts& operator-=(const ReplayCounts& other) {
    for (std::size_t kind = 0; kind < kinds; ++kind) records[kind] -= other.records[kind];
    gaps -= other.gaps;
    return *this;
  }
};

}  // namespace mesim
