// Attention as three kernels, each reading its operands once: scores and weights go through memory.
#include "accel/attention_rings.hpp"

namespace mesim::accel {
namespace {

// Of softmax: the maximum, the exponentials with their sum, the division.
constexpr std::uint32_t passes_of_softmax = 3;

}  // namespace

TileProgram AttentionMapper::scores() const {
  Rings ring(ring_slots());
  for (std::uint64_t stack = 0; stack < stacks_; ++stack) {
    for (std::uint64_t i = 0; i < row_blocks_; ++i) {
      const auto rows = piece_of(i, block_rows_, rows_);
      const SlotUse queries = ring.queries.take();
      TileOp load = transfer(OpKind::load, view_queries, stack, i * block_rows_, rows, head_dim_);
      load.out = queries;
      co_yield load.wait(ring.queries.room(queries)).signal(ring.queries.filled());
      for (std::uint64_t j = 0; j < key_blocks_; ++j) {
        const auto width = piece_of(j, block_columns_, keys_);
        // Keys stay for all blocks of queries of their head.
        const SlotUse keys{ring.keys.number(), stack * key_blocks_ + j};
        if (i == 0) {
          TileOp kept = transfer(OpKind::load, view_keys, stack, j * block_columns_, width, head_dim_);
          kept.out = keys;
          co_yield kept.wait(ring.keys.room(keys)).signal(ring.keys.filled());
        }
        const SlotUse block = ring.blocks.take();
        TileOp product = attention_op(OpKind::matmul, attention_matmul, rows, width, head_dim_);
        product.transpose_b = true;
        product.a = queries;
        product.b = keys;
        product.out = block;
        product.wait(ring.queries.ready(queries)).wait(ring.keys.ready(keys)).wait(ring.blocks.room(block));
        if (j + 1 == key_blocks_) product.signal(ring.queries.freed());
        if (i + 1 == row_blocks_) product.signal(ring.keys.freed());
        co_yield product.signal(ring.blocks.filled());
        TileOp store =
            transfer(OpKind::store, view_scores, stack, i * block_rows_, rows, width, j * block_columns_);
        store.a = block;
        co_yield store.wait(ring.blocks.ready(block)).signal(ring.blocks.freed());
      }
    }
  }
}

TileProgram AttentionMapper::softmax() const {
  Rings ring(ring_slots());
  const auto keys = static_cast<std::uint32_t>(keys_);
  for (std::uint64_t stack = 0; stack < stacks_; ++stack) {
    for (std::uint64_t i = 0; i < row_blocks_; ++i) {
      const auto rows = piece_of(i, block_rows_, rows_);
      const SlotUse block = ring.blocks.take();
      TileOp load = transfer(OpKind::load, view_scores, stack, i * block_rows_, rows, keys);
      load.out = block;
      co_yield load.wait(ring.blocks.room(block)).signal(ring.blocks.filled());
      TileOp weights = attention_op(OpKind::vector, attention_vector, rows, keys, passes_of_softmax);
      weights.function = static_cast<std::uint8_t>(RowFunction::softmax);
      weights.a = weights.out = block;
      weights.view_row = static_cast<std::uint32_t>(i * block_rows_);
      const SlotUse done = ring.weighted.take();
      co_yield weights.wait(ring.blocks.ready(block)).signal(ring.weighted.filled());
      TileOp store = transfer(OpKind::store, view_weights, stack, i * block_rows_, rows, keys);
      store.a = block;
      co_yield store.wait(ring.weighted.ready(done)).signal(ring.blocks.freed());
    }
  }
}

TileProgram AttentionMapper::products() const {
  Rings ring(ring_slots());
  for (std::uint64_t stack = 0; stack < stacks_; ++stack) {
    for (std::uint64_t i = 0; i < row_blocks_; ++i) {
      const auto rows = piece_of(i, block_rows_, rows_);
      const SlotUse results = ring.results.take();
      for (std::uint64_t j = 0; j < key_blocks_; ++j) {
        const auto width = piece_of(j, block_columns_, keys_);
        const SlotUse block = ring.blocks.take();
        TileOp load =
            transfer(OpKind::load, view_weights, stack, i * block_rows_, rows, width, j * block_columns_);
        load.out = block;
        co_yield load.wait(ring.blocks.room(block)).signal(ring.blocks.filled());
        const SlotUse values{ring.values.number(), stack * key_blocks_ + j};
        if (i == 0) {
          TileOp kept = transfer(OpKind::load, view_values, stack, j * block_columns_, width, head_dim_);
          kept.out = values;
          co_yield kept.wait(ring.values.room(values)).signal(ring.values.filled());
        }
        TileOp product = attention_op(OpKind::matmul, attention_matmul, rows, head_dim_, width);
        product.accumulate = j != 0;
        product.a = block;
        product.b = values;
        product.out = results;
        product.wait(ring.blocks.ready(block)).wait(ring.values.ready(values)).signal(ring.blocks.freed());
        if (j == 0) product.wait(ring.results.room(results));
        if (j + 1 == key_blocks_) product.signal(ring.results.filled());
        if (i + 1 == row_blocks_) product.signal(ring.values.freed());
        co_yield product;
      }
      TileOp store = transfer(OpKind::store, view_results, stack, i * block_rows_, rows, head_dim_);
      store.a = results;
      co_yield store.wait(ring.results.ready(results)).signal(ring.results.freed());
    }
  }
}

}  // namespace mesim::accel
