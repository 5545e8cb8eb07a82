// FlashAttention: the loop nests that keep scores out of memory.
#include "accel/attention_rings.hpp"

namespace mesim::accel {
namespace {

// Vector work on a block: its maximum, the exponentials, their sum; and the sums so far times a factor.
constexpr std::uint32_t passes_of_block = 4;

}  // namespace

// For each block of queries all blocks of keys. The scores of the next block are computed before the weights
// of this one are used, so that the engine for products works while the vector engine does.
TileProgram AttentionMapper::queries_outside() const {
  Rings ring(ring_slots());
  Repetition stacks(ring.counters());
  Repetition blocks(ring.counters());
  for (std::uint64_t stack = 0; stack < stacks_; ++stack) {
    if (stack >= 2) {
      const std::uint64_t skipped = co_yield repeat(0, stacks_ - stack - 1);
      stacks.advance(skipped);
      stack += skipped;
    } else {
      stacks.mark();
    }
    for (std::uint64_t i = 0; i < row_blocks_; ++i) {
      if (!causal_ && i >= 2 && i + 1 < row_blocks_) {
        const std::uint64_t skipped = co_yield repeat(1, row_blocks_ - 1 - i);
        blocks.advance(skipped);
        i += skipped;
      } else {
        blocks.mark();
      }
      const auto rows = piece_of(i, block_rows_, rows_);
      const SlotUse queries = ring.queries.take();
      TileOp load = transfer(OpKind::load, view_queries, stack, i * block_rows_, rows, head_dim_);
      load.out = queries;
      co_yield load.wait(ring.queries.room(queries)).signal(ring.queries.filled());
      const SlotUse results = ring.results.take();
      const SlotUse sums = ring.sums.take();

      std::uint64_t seen = key_blocks_;
      while (seen > 1 && !block_is_seen(i, seen - 1)) --seen;
      SlotUse block;  // whose weights come next
      std::uint32_t width = 0;
      for (std::uint64_t j = 0; j <= seen; ++j) {
        SlotUse next;
        std::uint32_t next_width = 0;
        if (j < seen) {
          next_width = piece_of(j, block_columns_, keys_);
          const SlotUse keys = ring.keys.take();
          for (std::uint64_t p = 0; p < pieces_of(next_width); ++p) {
            const std::uint64_t at = p * page_;
            const auto piece = page_ == 0 ? next_width : piece_of(p, page_, next_width);
            TileOp page = transfer(OpKind::load, view_keys, stack, j * block_columns_ + at, piece, head_dim_);
            page.out = keys;
            page.first_row = static_cast<std::uint32_t>(at);
            ++ring.key_pieces;
            co_yield page.wait(ring.keys.room(keys)).signal(ring.keys.filled());
          }
          next = ring.blocks.take();
          TileOp scores = attention_op(OpKind::matmul, attention_matmul, rows, next_width, head_dim_);
          scores.transpose_b = true;
          scores.a = queries;
          scores.b = keys;
          scores.out = next;
          co_yield scores.wait(ring.queries.ready(queries))
              .wait({ring.keys.filled(), ring.key_pieces})
              .wait(ring.blocks.room(next))
              .signal(ring.blocks.filled())
              .signal(ring.keys.freed());
        }
        if (j > 0) {
          const std::uint64_t key_row = (j - 1) * block_columns_;
          TileOp weights = attention_op(OpKind::vector, attention_vector, rows, width, passes_of_block);
          weights.function = static_cast<std::uint8_t>(RowFunction::running_block);
          weights.accumulate = j > 1;
          weights.a = block;
          weights.b = sums;
          weights.out = results;
          weights.view_row = static_cast<std::uint32_t>(i * block_rows_);
          weights.view_column = static_cast<std::uint32_t>(key_row);
          weights.wait(ring.blocks.ready(block));
          // What was added before has to be there when it is scaled.
          if (j > 1) {
            weights.wait({ring.steps.filled(), ring.steps.uses()});
          } else {
            weights.wait(ring.results.room(results)).wait(ring.sums.room(sums));
          }
          ring.weighted.take();
          co_yield weights.signal(ring.weighted.filled());

          const SlotUse values = ring.values.take();
          for (std::uint64_t p = 0; p < pieces_of(width); ++p) {
            const std::uint64_t at = p * page_;
            const auto piece = page_ == 0 ? width : piece_of(p, page_, width);
            TileOp page = transfer(OpKind::load, view_values, stack, key_row + at, piece, head_dim_);
            page.out = values;
            page.first_row = static_cast<std::uint32_t>(at);
            ++ring.value_pieces;
            co_yield page.wait(ring.values.room(values)).signal(ring.values.filled());
          }
          TileOp product = attention_op(OpKind::matmul, attention_matmul, rows, head_dim_, width);
          product.accumulate = j > 1;
          product.a = block;
          product.b = values;
          product.out = results;
          ring.steps.take();
          co_yield product.wait({ring.weighted.filled(), ring.weighted.uses()})
              .wait({ring.values.filled(), ring.value_pieces})
              .signal(ring.steps.filled())
              .signal(ring.values.freed())
              .signal(ring.blocks.freed());
        }
        block = next;
        width = next_width;
      }

      TileOp finish = attention_op(OpKind::vector, attention_vector, rows, head_dim_, 1);
      finish.function = static_cast<std::uint8_t>(RowFunction::running_finish);
      finish.b = sums;
      finish.out = results;
      co_yield finish.wait({ring.steps.filled(), ring.steps.uses()})
          .signal(ring.results.filled())
          .signal(ring.queries.freed());
      TileOp store_sums = transfer(OpKind::store, view_sums, stack, i * block_rows_, rows, 1);
      store_sums.a = sums;
      co_yield store_sums.wait(ring.results.ready(results)).signal(ring.sums.freed());
      TileOp store = transfer(OpKind::store, view_results, stack, i * block_rows_, rows, head_dim_);
      store.a = results;
      co_yield store.wait(ring.results.ready(results)).signal(ring.results.freed());
    }
  }
}

// For each block of keys all blocks of queries; results and their sums are read, changed and written each
// time.
TileProgram AttentionMapper::keys_outside() const {
  Rings ring(ring_slots());
  Repetition stacks(ring.counters());
  for (std::uint64_t stack = 0; stack < stacks_; ++stack) {
    if (stack >= 2) {
      const std::uint64_t skipped = co_yield repeat(0, stacks_ - stack - 1);
      stacks.advance(skipped);
      stack += skipped;
    } else {
      stacks.mark();
    }
    const std::uint64_t stored_before = ring.stored.uses();
    std::vector<std::uint64_t> stored(row_blocks_,
                                      0);  // uses of `stored` when a block's results were last written
    for (std::uint64_t j = 0; j < key_blocks_; ++j) {
      const auto width = piece_of(j, block_columns_, keys_);
      const SlotUse keys = ring.keys.take();
      const SlotUse values = ring.values.take();
      for (std::uint64_t p = 0; p < pieces_of(width); ++p) {
        const std::uint64_t at = p * page_;
        const auto piece = page_ == 0 ? width : piece_of(p, page_, width);
        for (const AttentionView view : {view_keys, view_values}) {
          SlotRing& into = view == view_keys ? ring.keys : ring.values;
          const SlotUse& use = view == view_keys ? keys : values;
          TileOp page = transfer(OpKind::load, view, stack, j * block_columns_ + at, piece, head_dim_);
          page.out = use;
          page.first_row = static_cast<std::uint32_t>(at);
          ++(view == view_keys ? ring.key_pieces : ring.value_pieces);
          co_yield page.wait(into.room(use)).signal(into.filled());
        }
      }
      std::uint64_t last_seen = row_blocks_ - 1;
      while (last_seen > 0 && !block_is_seen(last_seen, j)) --last_seen;
      for (std::uint64_t i = 0; i < row_blocks_; ++i) {
        if (i > last_seen || (i < last_seen && !block_is_seen(i, j))) continue;
        const auto rows = piece_of(i, block_rows_, rows_);
        const std::uint64_t row = i * block_rows_;
        const SlotUse queries = ring.queries.take();
        TileOp load = transfer(OpKind::load, view_queries, stack, row, rows, head_dim_);
        load.out = queries;
        co_yield load.wait(ring.queries.room(queries)).signal(ring.queries.filled());
        const SlotUse results = ring.results.take();
        const SlotUse sums = ring.sums.take();
        const TokenWait written{ring.stored.filled(), stored[i] > stored_before ? stored[i] : 0};
        TileOp load_results = transfer(OpKind::load, view_results, stack, row, rows, head_dim_);
        load_results.out = results;
        co_yield load_results.wait(ring.results.room(results)).wait(written);
        TileOp load_sums = transfer(OpKind::load, view_sums, stack, row, rows, 2);
        load_sums.out = sums;
        // It comes behind the results on the same queue, so that its token tells of both.
        co_yield load_sums.wait(ring.sums.room(sums)).wait(written).signal(ring.sums.filled());

        const SlotUse block = ring.blocks.take();
        TileOp scores = attention_op(OpKind::matmul, attention_matmul, rows, width, head_dim_);
        scores.transpose_b = true;
        scores.a = queries;
        scores.b = keys;
        scores.out = block;
        co_yield scores.wait(ring.queries.ready(queries))
            .wait({ring.keys.filled(), ring.key_pieces})
            .wait(ring.blocks.room(block))
            .signal(ring.blocks.filled())
            .signal(ring.queries.freed());
        TileOp weights = attention_op(OpKind::vector, attention_vector, rows, width, passes_of_block);
        weights.function = static_cast<std::uint8_t>(RowFunction::rescaled_block);
        weights.a = block;
        weights.b = sums;
        weights.out = results;
        weights.view_row = static_cast<std::uint32_t>(row);
        weights.view_column = static_cast<std::uint32_t>(j * block_columns_);
        ring.weighted.take();
        co_yield weights.wait(ring.blocks.ready(block))
            .wait(ring.sums.ready(sums))
            .signal(ring.weighted.filled());
        TileOp product = attention_op(OpKind::matmul, attention_matmul, rows, head_dim_, width);
        product.accumulate = true;
        product.a = block;
        product.b = values;
        product.out = results;
        product.wait({ring.weighted.filled(), ring.weighted.uses()})
            .wait({ring.values.filled(), ring.value_pieces})
            .signal(ring.results.filled())
            .signal(ring.blocks.freed());
        if (i == last_seen) product.signal(ring.keys.freed());
        co_yield product;

        TileOp store_sums = transfer(OpKind::store, view_sums, stack, row, rows, 2);
        store_sums.a = sums;
        co_yield store_sums.wait(ring.results.ready(results)).signal(ring.sums.freed());
        TileOp store = transfer(OpKind::store, view_results, stack, row, rows, head_dim_);
        store.a = results;
        ring.stored.take();
        stored[i] = ring.stored.uses();
        store.wait(ring.results.ready(results)).signal(ring.results.freed()).signal(ring.stored.filled());
        if (i == last_seen) store.signal(ring.values.freed());
        co_yield store;
      }
    }
  }
}

}  // namespace mesim::accel
