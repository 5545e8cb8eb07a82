#include "accel/operator_config.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace mesim::accel {

void OperatorConfig::fields(Fields& f) {
  const auto size = [&](std::string_view key, std::uint64_t& value, std::uint64_t least,
                        std::string_view help) {
    f.integer(key, value, {.min = least, .max = 1'000'000'000, .help = help});
  };
  f.choice(
      "operator", operation,
      {"gemm", "convolution", "attention", "softmax", "layer_norm", "rms_norm", "add", "multiply"},
      "order=accelerator, what it runs when no path of layers is given: gemm, C[m x n] = A[m x k] B[k x n]; "
      "convolution, as the GEMM of its windows; attention, softmax(Q K^T) V for every head; softmax, "
      "layer_norm and rms_norm along m rows of n elements; add and multiply, two such matrices element by "
      "element");
  size("m", m, 1, "gemm: rows of A and C");
  size("n", n, 1, "gemm: columns of B and C");
  size("k", k, 1, "gemm: columns of A, rows of B; what is summed over");
  size("batch", batch, 1, "how many of them, each with operands of its own");
  size("height", height, 1, "convolution: of the input, with what is padded");
  size("width", width, 1, "convolution: of the input, with what is padded");
  size("filter_height", filter_height, 1, "convolution: of a window");
  size("filter_width", filter_width, 1, "convolution: of a window");
  size("channels", channels, 1, "convolution: of the input");
  size("filters", filters, 1,
       "convolution: channels of the output; of a depthwise one, for each of the input");
  size("stride", stride, 1, "convolution: from window to window, in both directions");
  f.flag("depthwise", depthwise, "convolution: whether each channel is by itself");
  f.require("filter_height", filter_height <= height && filter_width <= width, [this] {
    return fmt::format("a window of {} x {} in an input of {} x {}, expected a smaller one", filter_height,
                       filter_width, height, width);
  });
  f.choice(
      "kernel", kernel, {"naive", "fa1", "fa2"},
      "attention: naive, three kernels with the scores in memory between them; fa1 and fa2, FlashAttention, "
      "blocks of keys or of queries outside, the scores never in memory");
  size("heads", heads, 1, "attention: of queries");
  size("kv_heads", kv_heads, 0,
       "attention: of keys and values, each for heads / kv_heads heads of queries (GQA, "
       "MQA with 1); 0: as many as heads");
  size("sequence", sequence, 1, "attention: queries of a head; 1 is a step of decoding");
  size("keys", keys, 0,
       "attention: keys and values of a head, a cache of them with sequence 1; 0: as many as "
       "sequence");
  size("head_dim", head_dim, 1, "attention: elements of a query, key or value");
  f.flag("causal", causal, "attention: whether a query sees no later key");
  size("block_rows", block_rows, 1, "fa1, fa2: queries of a block");
  size("block_columns", block_columns, 0,
       "fa1, fa2: keys of a block; 0 with fa1: as many as a quarter of accel.sram.scratchpad_bytes holds");
  size("page", page, 0,
       "attention: keys of a page, if the cache of keys lies in pages that are fetched one by one; "
       "0: in one piece");
  f.require("kv_heads", kv_heads == 0 || heads % kv_heads == 0, [this] {
    return fmt::format("{} heads of queries share {} of keys, expected a whole number for each", heads,
                       kv_heads);
  });
  f.require("keys", !causal || keys == 0 || keys >= sequence, [this] {
    return fmt::format("{} keys for {} causal queries, expected at least as many", keys, sequence);
  });
  f.require("block_columns", block_columns != 0 || kernel == "fa1", [] {
    return std::string("0 stands for a size that follows from the scratchpad with kernel fa1 only");
  });
}

}  // namespace mesim::accel
