#include "traces/operators/operator_limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

namespace mesim {
namespace {

// A product is up to 64 bytes of operands and sums, and bits of elements are counted too.
constexpr double most_products = 1e17;
constexpr std::size_t most_layers = 20'000;

double times(std::initializer_list<std::uint64_t> sizes) {
  double product = 1;
  for (const std::uint64_t size : sizes) product *= static_cast<double>(size);
  return product;
}

double size_of(const GemmShape& gemm) { return times({gemm.batch, gemm.m, gemm.n, gemm.k}); }

// Its input may be larger than what its windows see.
double size_of(const ConvShape& conv) {
  const double outputs = times({conv.batch, conv.out_height(), conv.out_width(), conv.filter_height,
                                conv.filter_width, conv.channels});
  return std::max(outputs * static_cast<double>(conv.filters),
                  times({conv.batch, conv.height, conv.width, conv.channels}));
}

double size_of(const PoolShape& pool) { return size_of(pool.windows); }
double size_of(const RowShape& row) { return times({row.rows, row.columns}); }
double size_of(const AttentionShape& attention) {
  return times({2, attention.batch, attention.heads, attention.queries, attention.keys, attention.head_dim});
}

}  // namespace

void require_countable(const std::vector<OperatorLayer>& layers, const Position& place,
                       const std::string& pointer) {
  if (layers.size() > most_layers)
    throw bad_input(place, pointer,
                    fmt::format("{} layers, expected at most {}", layers.size(), most_layers));
  double all = 0;
  for (const OperatorLayer& layer : layers) {
    all += std::visit([](const auto& shape) { return size_of(shape); }, layer.shape);
    if (all > most_products) {
      throw bad_input(place, pointer,
                      fmt::format("with '{}' it comes to {:.3g} products, expected at most {:.3g}",
                                  layer.name, all, most_products));
    }
  }
}

}  // namespace mesim
