// The operator that an accelerator runs when no file of layers is given.
#pragma once
#include <cstdint>

#include "sim/fields.hpp"

namespace mesim::accel {

struct OperatorConfig {
  std::uint64_t m = 256;
  std::uint64_t n = 256;
  std::uint64_t k = 256;
  std::uint64_t batch = 1;

  void fields(Fields& f) {
    const auto size = [&](std::string_view key, std::uint64_t& value, std::string_view help) {
      f.integer(key, value, {.min = 1, .max = 1'000'000'000, .help = help});
    };
    size("m", m, "order=accelerator, a GEMM C[m x n] = A[m x k] B[k x n]: rows of A and C");
    size("n", n, "of the GEMM: columns of B and C");
    size("k", k, "of the GEMM: columns of A, rows of B; what is summed over");
    size("batch", batch, "of the GEMM: how many, each with matrices of its own");
  }
};

}  // namespace mesim::accel
