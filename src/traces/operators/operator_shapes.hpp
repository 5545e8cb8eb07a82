// What accelerators are asked to do, by shape: operators of neural networks, and what they amount to as a
// GEMM.
#pragma once
#include <algorithm>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace mesim {

// `batch` times C[m x n] = A[m x k] B[k x n].
struct GemmShape {
  std::uint64_t batch = 1;
  std::uint64_t m = 1;
  std::uint64_t n = 1;
  std::uint64_t k = 1;
  // How a matrix lies in memory: its columns one behind the other instead of its rows.
  bool transpose_a = false;
  bool transpose_b = false;
  bool transpose_c = false;

  std::uint64_t macs() const { return batch * m * n * k; }
};

// A convolution without padding of its own: inputs are as large as given.
struct ConvShape {
  std::uint64_t batch = 1;
  std::uint64_t height = 1;  // of the input
  std::uint64_t width = 1;
  std::uint64_t filter_height = 1;
  std::uint64_t filter_width = 1;
  std::uint64_t channels = 1;
  std::uint64_t filters = 1;
  std::uint64_t stride = 1;
  bool depthwise = false;  // each channel by itself, with `filters` filters

  // A last window that reaches beyond the edge counts, as in SCALE-Sim.
  std::uint64_t out_height() const { return (height - filter_height + stride + stride - 1) / stride; }
  std::uint64_t out_width() const { return (width - filter_width + stride + stride - 1) / stride; }
  std::uint64_t out_channels() const { return depthwise ? channels * filters : filters; }
  std::uint64_t input_elements() const { return batch * height * width * channels; }
  // Of these, what a window looks at: with a stride beyond the window there are gaps between.
  std::uint64_t seen_elements() const {
    const std::uint64_t rows = stride > filter_height ? out_height() * filter_height : height;
    const std::uint64_t columns = stride > filter_width ? out_width() * filter_width : width;
    return batch * std::min(rows, height) * std::min(columns, width) * channels;
  }
  std::uint64_t weight_elements() const {
    return filter_height * filter_width * filters * channels;  // depthwise: filters of each channel
  }
  std::uint64_t output_elements() const { return batch * out_height() * out_width() * out_channels(); }
  // The GEMM of the unrolled windows (im2col): a window is a row, a filter a column. Of a depthwise
  // convolution one GEMM a channel.
  GemmShape as_gemm() const {
    const std::uint64_t window = filter_height * filter_width;
    return {.batch = depthwise ? channels : 1,
            .m = batch * out_height() * out_width(),
            .n = filters,
            .k = depthwise ? window : window * channels};
  }
};

// The greatest or the mean of each window of each channel; the window is a filter's.
struct PoolShape {
  ConvShape windows;
  bool average = false;
};

// Element by element or along the rows of a matrix, by name: softmax, layer_norm, rms_norm, batch_norm, copy,
// rotary, relu, gelu, silu, add, multiply.
struct RowShape {
  std::string function;
  std::uint64_t rows = 1;
  std::uint64_t columns = 1;
};

// softmax(Q K^T / sqrt(head_dim)) V for every head of each of `batch`.
struct AttentionShape {
  std::uint64_t batch = 1;
  std::uint64_t heads = 1;
  std::uint64_t kv_heads = 1;  // of keys and values, each for heads / kv_heads of queries
  std::uint64_t queries = 1;
  std::uint64_t keys = 1;
  std::uint64_t head_dim = 1;
  bool causal = false;

  // Of both products, masked scores with the others.
  std::uint64_t macs() const { return 2 * batch * heads * queries * keys * head_dim; }
};

using OperatorShape = std::variant<GemmShape, ConvShape, PoolShape, RowShape, AttentionShape>;

struct OperatorLayer {
  std::string name;
  OperatorShape shape;
  // Of every `of` weights along the reduction `kept` are there (N:M sparsity).
  std::uint32_t kept = 1;
  std::uint32_t of = 1;
  std::uint64_t parameters = 0;  // that training gave it

  bool is_gemm() const {
    return std::holds_alternative<GemmShape>(shape) || std::holds_alternative<ConvShape>(shape);
  }
  // Of a GEMM or a convolution.
  GemmShape as_gemm() const {
    const auto* conv = std::get_if<ConvShape>(&shape);
    return conv != nullptr ? conv->as_gemm() : std::get<GemmShape>(shape);
  }
  std::uint64_t macs() const {
    if (is_gemm()) return as_gemm().macs();
    const auto* attention = std::get_if<AttentionShape>(&shape);
    return attention != nullptr ? attention->macs() : 0;
  }
};

}  // namespace mesim
