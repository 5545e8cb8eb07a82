// The cycles of a GEMM on a systolic array in closed form (SCALE-Sim: A. Samajdar et al., arXiv 1811.02883):
// every fold takes R + C + T - 2 cycles, and R more where weights are loaded. Only tests know it.
#pragma once
#include <cstdint>
#include <string>

namespace mesim::test {

struct ArrayShape {
  std::uint64_t rows;
  std::uint64_t columns;
};

inline std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

inline std::uint64_t folded_cycles(const ArrayShape& array, const std::string& dataflow, std::uint64_t m,
                                   std::uint64_t n, std::uint64_t k) {
  const std::uint64_t fill = dataflow == "os" ? 0 : array.rows;
  const std::uint64_t across = dataflow == "is" ? m : n;
  const std::uint64_t down = dataflow == "os" ? m : k;
  const std::uint64_t streamed = dataflow == "os" ? k : dataflow == "ws" ? m : n;
  const std::uint64_t folds = ceil_div(down, array.rows) * ceil_div(across, array.columns);
  return folds * (fill + array.rows + array.columns + streamed - 2);
}

}  // namespace mesim::test
