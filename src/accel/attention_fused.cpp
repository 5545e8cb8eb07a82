// FlashAttention forward: the loop nests that keep scores out of memory.
#include "accel/attention_rings.hpp"

namespace mesim::accel {
namespace {

// Vector work on a block: its maximum, the exponentials, their sum; and the sums so far times a factor.
constexpr std::uint32_t passes_of_block = 4;

}  // namespace

// A block of keys or values, in the pages in which it lies.
TileProgram AttentionMapper::pages(Rings& ring, AttentionView view, std::uint64_t stack,
                                   std::uint64_t key_block, SlotUse slot) const {
  SlotRing& into = view == view_keys ? ring.keys : ring.values;
  const auto width = piece_of(key_block, block_columns_, keys_);
  for (std::uint64_t p = 0; p < pieces_of(width); ++p) {
    const std::uint64_t at = p * page_;
    const auto piece = page_ == 0 ? width : piece_of(p, page_, width);
    TileOp page = transfer(OpKind::load, view, stack, key_block * block_columns_ + at, piece, head_dim_);
    page.out = slot;
    page.first_row = static_cast<std::uint32_t>(at);
    ++(view == view_keys ? ring.key_pieces : ring.value_pieces);
    co_yield page.wait(into.room(slot)).signal(into.filled());
  }
}

// Queries that pass over the keys together, in parts that take turns.
struct AttentionMapper::QueryBlock {
  struct Part {
    std::uint64_t row = 0;  // of the stack, its first
    std::uint32_t rows = 0;
    SlotUse queries, results, sums;
    SlotUse block;  // its scores, whose weights come next
    SlotUse next;
    std::uint64_t weighted = 0;  // how often ring.weighted came when its weights were ready
    std::uint64_t steps = 0;     // and ring.steps, when its product was added
  };
  std::uint64_t stack = 0;
  std::vector<Part> parts;
};

// For each block of queries all blocks of keys.
TileProgram AttentionMapper::queries_outside() const {
  Rings ring(ring_slots());
  Repetition stacks(ring.counters());
  Repetition blocks(ring.counters());
  for (std::uint64_t stack = 0; stack < stacks_; ++stack) {
    co_yield pass_over(stacks, stack, stacks_);
    for (std::uint64_t i = 0; i < row_blocks_; ++i) {
      if (!causal_ && i >= 2 && i + 1 < row_blocks_) {
        const std::uint64_t skipped = co_yield repeat(1, row_blocks_ - 1 - i);
        blocks.advance(skipped);
        i += skipped;
      } else {
        blocks.mark();
      }
      co_yield query_block(ring, stack, i);
    }
  }
}

// The scores of the next block of keys are computed before the weights of this one are used, so that the
// array works while the vector engine does.
TileProgram AttentionMapper::query_block(Rings& ring, std::uint64_t stack, std::uint64_t number) const {
  QueryBlock block;
  block.stack = stack;
  const std::uint64_t rows = piece_of(number, block_rows_, rows_);
  const std::uint64_t each = (rows + parts() - 1) / parts();
  for (std::uint64_t row = 0; row < rows; row += each) {
    QueryBlock::Part part;
    part.row = number * block_rows_ + row;
    part.rows = static_cast<std::uint32_t>(std::min(each, rows - row));
    part.queries = ring.queries.take();
    TileOp load = transfer(OpKind::load, view_queries, stack, part.row, part.rows, head_dim_);
    load.out = part.queries;
    co_yield load.wait(ring.queries.room(part.queries)).signal(ring.queries.filled());
    part.results = ring.results.take();
    part.sums = ring.sums.take();
    block.parts.push_back(part);
  }
  const std::uint64_t last = last_key_block(number);
  for (std::uint64_t j = 0; j <= last + 1; ++j) {
    if (j <= last) co_yield scores_of(ring, block, j);
    if (j > 0) co_yield products_of(ring, block, j - 1);
    for (QueryBlock::Part& part : block.parts) part.block = part.next;
  }
  co_yield finish(ring, block);
}

TileProgram AttentionMapper::scores_of(Rings& ring, QueryBlock& block, std::uint64_t key_block) const {
  const auto width = piece_of(key_block, block_columns_, keys_);
  const SlotUse keys = ring.keys.take();
  co_yield pages(ring, view_keys, block.stack, key_block, keys);
  for (QueryBlock::Part& part : block.parts) {
    part.next = ring.blocks.take();
    TileOp scores = attention_op(OpKind::matmul, attention_matmul, part.rows, width, head_dim_);
    scores.transpose_b = true;
    scores.a = part.queries;
    scores.b = keys;
    scores.out = part.next;
    scores.wait(ring.queries.ready(part.queries))
        .wait({ring.keys.filled(), ring.key_pieces})
        .wait(ring.blocks.room(part.next))
        .signal(ring.blocks.filled());
    if (&part == &block.parts.back()) scores.signal(ring.keys.freed());
    co_yield scores;
  }
}

TileProgram AttentionMapper::products_of(Rings& ring, QueryBlock& block, std::uint64_t key_block) const {
  const auto width = piece_of(key_block, block_columns_, keys_);
  const bool first = key_block == 0;
  for (QueryBlock::Part& part : block.parts) {
    TileOp weights = attention_op(OpKind::vector, attention_vector, part.rows, width, passes_of_block);
    weights.function = static_cast<std::uint8_t>(RowFunction::running_block);
    weights.accumulate = !first;
    weights.a = part.block;
    weights.b = part.sums;
    weights.out = part.results;
    weights.view_row = static_cast<std::uint32_t>(part.row);
    weights.view_column = static_cast<std::uint32_t>(key_block * block_columns_);
    weights.wait(ring.blocks.ready(part.block));
    // What was added before has to be there when it is scaled.
    if (first) {
      weights.wait(ring.results.room(part.results)).wait(ring.sums.room(part.sums));
    } else {
      weights.wait({ring.steps.filled(), part.steps});
    }
    ring.weighted.take();
    part.weighted = ring.weighted.uses();
    co_yield weights.signal(ring.weighted.filled());
  }
  const SlotUse values = ring.values.take();
  co_yield pages(ring, view_values, block.stack, key_block, values);
  for (QueryBlock::Part& part : block.parts) {
    TileOp product = attention_op(OpKind::matmul, attention_matmul, part.rows, head_dim_, width);
    product.accumulate = !first;
    product.a = part.block;
    product.b = values;
    product.out = part.results;
    ring.steps.take();
    part.steps = ring.steps.uses();
    product.wait({ring.weighted.filled(), part.weighted})
        .wait({ring.values.filled(), ring.value_pieces})
        .signal(ring.steps.filled())
        .signal(ring.blocks.freed());
    if (&part == &block.parts.back()) product.signal(ring.values.freed());
    co_yield product;
  }
}

TileProgram AttentionMapper::finish(Rings& ring, QueryBlock& block) const {
  for (const QueryBlock::Part& part : block.parts) {
    TileOp last = attention_op(OpKind::vector, attention_vector, part.rows, head_dim_, 1);
    last.function = static_cast<std::uint8_t>(RowFunction::running_finish);
    last.b = part.sums;
    last.out = part.results;
    co_yield last.wait({ring.steps.filled(), part.steps})
        .signal(ring.results.filled())
        .signal(ring.queries.freed());
    TileOp store_sums = transfer(OpKind::store, view_sums, block.stack, part.row, part.rows, 1);
    store_sums.a = part.sums;
    co_yield store_sums.wait(ring.results.ready(part.results)).signal(ring.sums.freed());
    TileOp store = transfer(OpKind::store, view_results, block.stack, part.row, part.rows, head_dim_);
    store.a = part.results;
    co_yield store.wait(ring.results.ready(part.results)).signal(ring.results.freed());
  }
}

// For each block of keys all blocks of queries; results and their sums are read, changed and written each
// time.
TileProgram AttentionMapper::keys_outside() const {
  Rings ring(ring_slots());
  Repetition stacks(ring.counters());
  for (std::uint64_t stack = 0; stack < stacks_; ++stack) {
    co_yield pass_over(stacks, stack, stacks_);
    const std::uint64_t stored_before = ring.stored.uses();
    // Uses of `stored` when a block's results were last written.
    std::vector<std::uint64_t> stored(row_blocks_, 0);
    for (std::uint64_t j = 0; j < key_blocks_; ++j) {
      co_yield key_block(ring, stack, j, stored, stored_before);
    }
  }
}

// A block of queries with a block of keys.
struct AttentionMapper::KeyStep {
  std::uint64_t stack = 0;
  std::uint64_t row = 0;
  std::uint32_t rows = 0;
  std::uint64_t key_row = 0;
  std::uint32_t width = 0;
  bool last = false;  // of the block of keys
  SlotUse keys, values, queries, results, sums;
};

TileProgram AttentionMapper::key_block(Rings& ring, std::uint64_t stack, std::uint64_t number,
                                       std::vector<std::uint64_t>& stored,
                                       std::uint64_t stored_before) const {
  KeyStep step;
  step.stack = stack;
  step.key_row = number * block_columns_;
  step.width = piece_of(number, block_columns_, keys_);
  step.keys = ring.keys.take();
  step.values = ring.values.take();
  co_yield pages(ring, view_keys, stack, number, step.keys);
  co_yield pages(ring, view_values, stack, number, step.values);
  const std::uint64_t last_seen = last_query_block(number);
  for (std::uint64_t i = 0; i <= last_seen; ++i) {
    if (i < last_seen && !block_is_seen(i, number)) continue;
    step.last = i == last_seen;
    step.row = i * block_rows_;
    step.rows = piece_of(i, block_rows_, rows_);
    step.queries = ring.queries.take();
    TileOp load = transfer(OpKind::load, view_queries, stack, step.row, step.rows, head_dim_);
    load.out = step.queries;
    co_yield load.wait(ring.queries.room(step.queries)).signal(ring.queries.filled());
    step.results = ring.results.take();
    step.sums = ring.sums.take();
    const TokenWait written{ring.stored.filled(), stored[i] > stored_before ? stored[i] : 0};
    TileOp load_results = transfer(OpKind::load, view_results, stack, step.row, step.rows, head_dim_);
    load_results.out = step.results;
    co_yield load_results.wait(ring.results.room(step.results)).wait(written);
    TileOp load_sums = transfer(OpKind::load, view_sums, stack, step.row, step.rows, 2);
    load_sums.out = step.sums;
    // It comes behind the results on the same queue, so that its token tells of both.
    co_yield load_sums.wait(ring.sums.room(step.sums)).wait(written).signal(ring.sums.filled());
    co_yield key_step(ring, step);
    stored[i] = ring.stored.uses();
  }
}

TileProgram AttentionMapper::key_step(Rings& ring, KeyStep& step) const {
  const SlotUse block = ring.blocks.take();
  TileOp scores = attention_op(OpKind::matmul, attention_matmul, step.rows, step.width, head_dim_);
  scores.transpose_b = true;
  scores.a = step.queries;
  scores.b = step.keys;
  scores.out = block;
  co_yield scores.wait(ring.queries.ready(step.queries))
      .wait({ring.keys.filled(), ring.key_pieces})
      .wait(ring.blocks.room(block))
      .signal(ring.blocks.filled())
      .signal(ring.queries.freed());
  TileOp weights = attention_op(OpKind::vector, attention_vector, step.rows, step.width, passes_of_block);
  weights.function = static_cast<std::uint8_t>(RowFunction::rescaled_block);
  weights.a = block;
  weights.b = step.sums;
  weights.out = step.results;
  weights.view_row = static_cast<std::uint32_t>(step.row);
  weights.view_column = static_cast<std::uint32_t>(step.key_row);
  ring.weighted.take();
  co_yield weights.wait(ring.blocks.ready(block))
      .wait(ring.sums.ready(step.sums))
      .signal(ring.weighted.filled());
  TileOp product = attention_op(OpKind::matmul, attention_matmul, step.rows, head_dim_, step.width);
  product.accumulate = true;
  product.a = block;
  product.b = step.values;
  product.out = step.results;
  product.wait({ring.weighted.filled(), ring.weighted.uses()})
      .wait({ring.values.filled(), ring.value_pieces})
      .signal(ring.results.filled())
      .signal(ring.blocks.freed());
  if (step.last) product.signal(ring.keys.freed());
  co_yield product;

  TileOp store_sums = transfer(OpKind::store, view_sums, step.stack, step.row, step.rows, 2);
  store_sums.a = step.sums;
  co_yield store_sums.wait(ring.results.ready(step.results)).signal(ring.sums.freed());
  TileOp store = transfer(OpKind::store, view_results, step.stack, step.row, step.rows, head_dim_);
  store.a = step.results;
  ring.stored.take();
  store.wait(ring.results.ready(step.results)).signal(ring.results.freed()).signal(ring.stored.filled());
  if (step.last) store.signal(ring.values.freed());
  co_yield store;
}

}  // namespace mesim::accel
