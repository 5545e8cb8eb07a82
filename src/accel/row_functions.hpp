// What the vector engine does along the rows of a tile; the arithmetic of softmax in pieces.
//
// Sources: M. Milakov and N. Gimelshein, Online normalizer calculation for softmax, arXiv 1805.02867; T. Dao
// et al., FlashAttention, arXiv 2205.14135, algorithm 1; T. Dao, FlashAttention-2, arXiv 2307.08691,
// algorithm 1.
#pragma once
#include <cstdint>
#include <vector>

namespace mesim::accel {

enum class RowFunction : std::uint8_t {
  softmax,           // of whole rows
  running_block,     // FlashAttention-2: scores to weights; sums so far shrink to the new maximum
  running_finish,    // and at the end: divided by their sum; the logarithm of the sum is left
  rescaled_block,    // FlashAttention: the sums so far stay divided
  recomputed_block,  // backward: scores to weights, by the logarithm of the sum
  row_products,      // backward: of two tiles, their product summed along each row
  gradient_block,    // backward: of weights to that of scores
  layer_norm,        // to mean 0 and variance 1
  rms_norm,          // to a mean square of 1
  batch_norm,        // each column times its factor, plus its addend
  copy,
  rotary,  // pairs of columns turned by the row's position
  relu,
  gelu,
  silu,
  add,
  multiply,
  // On the windows of an image (window_functions.hpp).
  max_pool,
  average_pool,
  depthwise,
  lay_out,
  winograd_pixels,
  winograd_filters,
  winograd_results,
};

// How queries and keys of a block lie, for masks. Row r of a tile is query (first_query + r) mod `queries`,
// where heads that share keys are stacked; it sees keys up to its own position, the last query seeing the
// last key.
struct BlockMask {
  bool causal = false;
  std::uint64_t queries = 0;
  std::uint64_t keys = 0;

  bool sees(std::uint64_t query, std::uint64_t key) const {
    return !causal || key + queries <= query % queries + keys;
  }
};

struct RowContext {
  float scale = 1;  // of scores
  BlockMask mask;
  std::uint64_t rows_per_position = 1;  // rotary: heads of a token
};

// The first query and the first key of a block.
struct BlockPlace {
  std::uint64_t query = 0;
  std::uint64_t key = 0;
};

struct Tile {
  std::uint32_t rows = 0;
  std::uint32_t columns = 0;
  std::vector<float> values;

  void reset(std::uint32_t new_rows, std::uint32_t new_columns);
  float& at(std::uint32_t row, std::uint32_t column) { return values[std::size_t{row} * columns + column]; }
};

// Norms add `norm_epsilon` under the root, as networks do.
inline constexpr float norm_epsilon = 1e-5F;
void norm(Tile& in, Tile& out, bool centred);
void element_by_element(Tile& a, Tile& b, Tile& out, RowFunction function);
void element_by_element(Tile& in, Tile& out, RowFunction function);
// `parameters` has a row of factors and a row of addends.
void batch_norm(Tile& in, Tile& parameters, Tile& out);
// Row r is at the position (first_row + r) / rows_per_position; columns 2 i and 2 i + 1 turn by an angle of
// position * 10000^(-2 i / columns). Source: J. Su et al., RoFormer, arXiv 2104.09864, section 3.2.2.
void rotary(Tile& in, Tile& out, std::uint64_t first_row, const RowContext& rows);

void softmax(Tile& scores, Tile& weights, const RowContext& rows, const BlockPlace& place);
// Scores become weights. `sums` holds each row's maximum and sum, anew if this is its `first` block.
void running_block(Tile& scores, Tile& sums, Tile& results, bool first, const RowContext& rows,
                   const BlockPlace& place);
// Afterwards `sums` has one column.
void running_finish(Tile& sums, Tile& results);
// Of the backward pass (arXiv 2307.08691, algorithm 2). Scores become weights by the logarithm of each row's
// sum. The gradient of the weights becomes that of the scores before they were scaled; `products` is what
// row_products left.
void recomputed_block(Tile& scores, Tile& logarithms, const RowContext& rows, const BlockPlace& place);
void row_products(Tile& a, Tile& b, Tile& out);
void gradient_block(Tile& gradient, Tile& products, Tile& weights, const RowContext& rows);
void rescaled_block(Tile& scores, Tile& sums, Tile& results, const RowContext& rows, const BlockPlace& place);

}  // namespace mesim::accel
