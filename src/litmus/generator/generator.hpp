// Makes litmus tests, as text that the reader reads: from a name, from a cycle of relations, or at random.
#pragma once
#include <string>
#include <string_view>

#include "sim/random.hpp"

namespace mesim::litmus {

enum class GeneratedArch { x86, riscv };

// `SB+mfence+po` or `10.SB`: see cycle.hpp. A name of blanks between long edge names (`PodWR Fre PodWR Fre`)
// is a cycle. Throws bad_input that says which words are known, or which one the architecture lacks.
std::string generate_test(std::string_view name, GeneratedArch arch);

// Shape of random tests. Every store has a value of its own; every load's register is observed, and so is
// every word.
struct RandomShape {
  unsigned most_threads = 4;
  unsigned most_accesses = 4;  // of one thread
  unsigned most_words = 3;
};

// A random program: loads, stores, atomics, fences, and on RISC-V dependencies and annotations.
std::string random_test(Random& random, const RandomShape& shape, GeneratedArch arch, std::string_view name);

}  // namespace mesim::litmus
