// Queues and rings of the attention programs.
#pragma once
#include "accel/attention_mapper.hpp"
#include "accel/tile_program.hpp"

namespace mesim::accel {

enum : std::uint8_t { attention_load, attention_store, attention_matmul, attention_vector };

enum AttentionRing : std::uint32_t {
  ring_queries,
  ring_keys,
  ring_values,
  ring_blocks,    // scores, then weights
  ring_weighted,  // no slots: blocks whose weights are ready
  ring_results,
  ring_steps,  // no slots: products added to results
  ring_row_sums,
  ring_stored,  // no slots: results in memory again
  attention_rings
};

struct AttentionMapper::Rings {
  SlotRing queries, keys, values, blocks, weighted, results, steps, sums, stored;
  std::uint64_t key_pieces = 0;
  std::uint64_t value_pieces = 0;

  explicit Rings(const std::vector<std::uint64_t>& slots)
      : queries(ring_queries, slots[ring_queries]),
        keys(ring_keys, slots[ring_keys]),
        values(ring_values, slots[ring_values]),
        blocks(ring_blocks, slots[ring_blocks]),
        weighted(ring_weighted, 0),
        results(ring_results, slots[ring_results]),
        steps(ring_steps, 0),
        sums(ring_row_sums, slots[ring_row_sums]),
        stored(ring_stored, 0) {}

  std::vector<std::uint64_t*> counters() {
    std::vector<std::uint64_t*> out;
    for (SlotRing* ring : {&queries, &keys, &values, &blocks, &weighted, &results, &steps, &sums, &stored}) {
      out.push_back(&ring->uses());
    }
    out.push_back(&key_pieces);
    out.push_back(&value_pieces);
    return out;
  }
};

inline TileOp attention_op(OpKind kind, std::uint8_t queue, std::uint32_t rows, std::uint32_t columns,
                           std::uint32_t depth) {
  TileOp op;
  op.kind = kind;
  op.queue = queue;
  op.rows = rows;
  op.columns = columns;
  op.depth = depth;
  if (kind == OpKind::matmul) op.touches = touch_a | touch_b | touch_out;
  return op;
}

inline std::uint32_t piece_of(std::uint64_t index, std::uint64_t piece, std::uint64_t size) {
  return static_cast<std::uint32_t>(std::min(piece, size - index * piece));
}

}  // namespace mesim::accel
