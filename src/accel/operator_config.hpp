// The operator that an accelerator runs when no file of layers is given.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "sim/fields.hpp"

namespace mesim::accel {

struct OperatorConfig {
  std::string operation = "gemm";
  std::uint64_t m = 256;
  std::uint64_t n = 256;
  std::uint64_t k = 256;
  std::uint64_t batch = 1;
  std::string dtype = "raw";
  double host_overhead_us = 0;
  std::vector<std::string> chain = {"add", "multiply", "add"};
  bool transpose_a = false;
  bool transpose_b = false;
  bool transpose_c = false;
  std::uint32_t buffers = 2;
  std::string phase = "prefill";  // of a model of tokens

  // Of a convolution.
  std::uint64_t height = 56;
  std::uint64_t width = 56;
  std::uint64_t filter_height = 3;
  std::uint64_t filter_width = 3;
  std::uint64_t channels = 64;
  std::uint64_t filters = 64;
  std::uint64_t stride = 1;
  bool depthwise = false;
  std::string method = "windows";

  // Of attention.
  std::string kernel = "fa2";
  bool backward = false;
  std::uint64_t heads = 1;
  std::uint64_t kv_heads = 0;
  std::uint64_t sequence = 1024;
  std::uint64_t keys = 0;
  std::uint64_t head_dim = 64;
  bool causal = false;
  std::uint64_t block_rows = 128;
  std::uint64_t block_columns = 128;
  std::uint64_t page = 0;

  // Which mapper it takes: a GEMM of systolic arrays where neither holds.
  bool along_rows() const;
  bool on_windows() const;                                                       // without the array
  bool on_blocks() const { return method == "direct" || method == "winograd"; }  // of a convolution
  void fields(Fields& f);
};

}  // namespace mesim::accel
