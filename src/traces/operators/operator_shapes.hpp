// What accelerators are asked to do, by shape: operators of neural networks and what they amount to as a
// GEMM.
#pragma once
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
  // The GEMM of the unrolled windows (im2col): a window is a row, a filter a column. Of a depthwise
  // convolution one GEMM a channel.
  GemmShape as_gemm() const {
    const std::uint64_t window = filter_height * filter_width;
    return {depthwise ? channels : 1, batch * out_height() * out_width(), filters,
            depthwise ? window : window * channels};
  }
};

struct OperatorLayer {
  std::string name;
  std::variant<GemmShape, ConvShape> shape;
  // Of every `of` weights along the reduction `kept` are there (N:M sparsity).
  std::uint32_t kept = 1;
  std::uint32_t of = 1;

  GemmShape as_gemm() const {
    const auto* conv = std::get_if<ConvShape>(&shape);
    return conv != nullptr ? conv->as_gemm() : std::get<GemmShape>(shape);
  }
};

}  // namespace mesim
