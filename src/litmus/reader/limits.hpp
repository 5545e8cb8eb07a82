// How large a test may be. Far above any test that an engine can answer, and small enough that no input makes
// the reader slow, deep or hungry.
#pragma once
#include <cstddef>

namespace mesim::litmus {

inline constexpr std::size_t most_characters = 1 << 18;
inline constexpr unsigned most_threads = 64;
inline constexpr std::size_t most_instructions = 4000;  // of a thread; its code addresses are 4096 (test.hpp)
inline constexpr std::size_t most_registers = 250;      // of a thread; one byte counts them
inline constexpr std::size_t most_locations = 1024;
inline constexpr std::size_t most_elements = 256;  // of an array
inline constexpr unsigned most_nested = 200;       // parentheses, negations and implications

}  // namespace mesim::litmus
