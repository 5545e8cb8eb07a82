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
  softmax,         // of whole rows
  running_block,   // FlashAttention-2: scores to weights; sums so far shrink to the new maximum
  running_finish,  // and at the end: divided by their sum; the logarithm of the sum is left
  rescaled_block,  // FlashAttention: the sums so far stay divided
  layer_norm,      // to mean 0 and variance 1
  rms_norm,        // to a mean square of 1
  add,
  multiply,
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

void softmax(Tile& scores, Tile& weights, const RowContext& rows, const BlockPlace& place);
// Scores become weights. `sums` holds each row's maximum and sum, anew if this is its `first` block.
void running_block(Tile& scores, Tile& sums, Tile& results, bool first, const RowContext& rows,
                   const BlockPlace& place);
// Afterwards `sums` has one column.
void running_finish(Tile& sums, Tile& results);
void rescaled_block(Tile& scores, Tile& sums, Tile& results, const RowContext& rows, const BlockPlace& place);

}  // namespace mesim::accel
