// Quantities that every room shares. Units stand in the names; these types only keep kinds of number apart.
#pragma once
#include <cstdint>

namespace mesim {

using Cycles = std::uint64_t;  // of the clock domain at hand
using Tick = std::uint64_t;    // picoseconds of simulated time

inline constexpr std::uint64_t KiB = 1024;
inline constexpr std::uint64_t MiB = 1024 * KiB;
inline constexpr std::uint64_t GiB = 1024 * MiB;

}  // namespace mesim
