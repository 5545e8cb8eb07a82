// FlashAttention-2 backward: first the products of results and their gradients, summed along rows; then for
// each block of keys all blocks of queries, five products each.
#include "accel/attention_rings.hpp"

namespace mesim::accel {
namespace {

enum BackwardRing : std::uint32_t {
  ring_pair,       // keys, values
  ring_pair_sums,  // their gradients
  ring_inputs,     // queries, gradients of results
  ring_logarithms,
  ring_row_products,
  ring_query_sums,  // query gradients
  ring_weights,
  ring_gradients,        // of weights, then of scores
  ring_ready_weights,    // no slots
  ring_ready_gradients,  // no slots
  ring_added,            // no slots: query gradients to which a product was added
  ring_stored_sums,      // no slots: query gradients in memory again
  backward_rings_count
};

constexpr std::uint32_t passes_of_weights = 2;    // a scaled difference, its exponential
constexpr std::uint32_t passes_of_gradients = 3;  // a difference, two products
constexpr std::uint32_t passes_of_products = 2;   // a product, its sum

TileOp product_of(std::uint32_t rows, std::uint32_t columns, std::uint32_t depth, const SlotUse& a,
                  const SlotUse& b, const SlotUse& out) {
  TileOp op = attention_op(OpKind::matmul, attention_matmul, rows, columns, depth);
  op.a = a;
  op.b = b;
  op.out = out;
  return op;
}

TileOp vector_of(RowFunction function, std::uint32_t rows, std::uint32_t columns, std::uint32_t passes) {
  TileOp op = attention_op(OpKind::vector, attention_vector, rows, columns, passes);
  op.function = static_cast<std::uint8_t>(function);
  return op;
}

}  // namespace

struct AttentionMapper::BackwardRings {
  SlotRing pair, pair_sums, inputs, logarithms, row_products, query_sums, weights, gradients;
  SlotRing ready_weights{ring_ready_weights, 0}, ready_gradients{ring_ready_gradients, 0};
  SlotRing added{ring_added, 0}, stored{ring_stored_sums, 0};
  std::uint64_t query_loads = 0;

  explicit BackwardRings(const std::vector<std::uint64_t>& slots)
      : pair(ring_pair, slots[ring_pair]),
        pair_sums(ring_pair_sums, slots[ring_pair_sums]),
        inputs(ring_inputs, slots[ring_inputs]),
        logarithms(ring_logarithms, slots[ring_logarithms]),
        row_products(ring_row_products, slots[ring_row_products]),
        query_sums(ring_query_sums, slots[ring_query_sums]),
        weights(ring_weights, slots[ring_weights]),
        gradients(ring_gradients, slots[ring_gradients]) {}

  std::vector<std::uint64_t*> counters() {
    std::vector<std::uint64_t*> out = {&query_loads};
    for (SlotRing* ring : {&pair, &pair_sums, &inputs, &logarithms, &row_products, &query_sums, &weights,
                           &gradients, &ready_weights, &ready_gradients, &added, &stored}) {
      out.push_back(&ring->uses());
    }
    return out;
  }
};

// Where the gradients of a block of keys stand.
struct AttentionMapper::BackwardStep {
  std::uint64_t stack = 0;
  std::uint64_t key_block = 0;
  std::uint32_t width = 0;
  SlotUse keys, values, key_sums, value_sums;
  bool first = true;  // of its blocks of queries
  bool last = false;
};

// What one block of queries needs.
struct AttentionMapper::BackwardTiles {
  std::uint64_t row = 0;
  std::uint32_t rows = 0;
  bool again = false;        // its gradients have been in memory
  SlotUse queries, results;  // of results, the gradients
  SlotUse logarithms, products, query_sums;
  SlotUse weights, gradients;
};

std::vector<RingKind> AttentionMapper::backward_rings() const {
  return {{"keys and values", WaitOwner::dma, WaitOwner::buffer},
          {"their gradients", WaitOwner::dependency, WaitOwner::buffer},
          {"queries and result gradients", WaitOwner::dma, WaitOwner::buffer},
          {"row sums", WaitOwner::dma, WaitOwner::buffer},
          {"row products", WaitOwner::dma, WaitOwner::buffer},
          {"query gradients", WaitOwner::dma, WaitOwner::buffer},
          {"weights", WaitOwner::dependency, WaitOwner::buffer},
          {"weight gradients", WaitOwner::dependency, WaitOwner::buffer},
          {"ready weights", WaitOwner::dependency, WaitOwner::dependency},
          {"ready gradients", WaitOwner::dependency, WaitOwner::dependency},
          {"products", WaitOwner::dependency, WaitOwner::dependency},
          {"stored query gradients", WaitOwner::dma, WaitOwner::dma}};
}

std::vector<std::uint64_t> AttentionMapper::backward_slots() const {
  return {2, 2, 4, 2, 2, 2, 2, 2, 0, 0, 0, 0};
}

TileProgram AttentionMapper::row_products() const {
  SlotRing inputs(ring_inputs, 4);
  SlotRing outputs(ring_row_products, 2);
  for (std::uint64_t stack = 0; stack < stacks_; ++stack) {
    for (std::uint64_t i = 0; i < row_blocks_; ++i) {
      const auto rows = piece_of(i, block_rows_, rows_);
      TileOp work = vector_of(RowFunction::row_products, rows, head_dim_, passes_of_products);
      for (const AttentionView view : {view_results, view_result_gradients}) {
        TileOp load = transfer(OpKind::load, view, stack, i * block_rows_, rows, head_dim_);
        load.out = inputs.take();
        (view == view_results ? work.a : work.b) = load.out;
        co_yield load.wait(inputs.room(load.out)).signal(inputs.filled());
      }
      work.out = outputs.take();
      co_yield work.wait(inputs.ready(work.b))
          .wait(outputs.room(work.out))
          .signal(inputs.freed())
          .signal(inputs.freed())
          .signal(outputs.filled());
      TileOp store = transfer(OpKind::store, view_products, stack, i * block_rows_, rows, 1);
      store.a = work.out;
      co_yield store.wait(outputs.ready(work.out)).signal(outputs.freed());
    }
  }
}

TileProgram AttentionMapper::gradients() const {
  BackwardRings ring(backward_slots());
  Repetition stacks(ring.counters());
  for (std::uint64_t stack = 0; stack < stacks_; ++stack) {
    co_yield pass_over(stacks, stack, stacks_);
    // Uses of `stored` when a block's query gradients were last written; 0: not yet.
    std::vector<std::uint64_t> stored(row_blocks_, 0);
    for (std::uint64_t j = 0; j < key_blocks_; ++j) {
      BackwardStep step;
      step.stack = stack;
      step.key_block = j;
      step.width = piece_of(j, block_columns_, keys_);
      step.keys = ring.pair.take();
      step.values = ring.pair.take();
      for (const AttentionView view : {view_keys, view_values}) {
        TileOp load = transfer(OpKind::load, view, stack, j * block_columns_, step.width, head_dim_);
        load.out = view == view_keys ? step.keys : step.values;
        co_yield load.wait(ring.pair.room(load.out)).signal(ring.pair.filled());
      }
      step.key_sums = ring.pair_sums.take();
      step.value_sums = ring.pair_sums.take();
      const std::uint64_t last = last_query_block(j);
      for (std::uint64_t i = 0; i <= last; ++i) {
        if (i < last && !block_is_seen(i, j)) continue;
        step.last = i == last;
        co_yield gradients_of(ring, step, i, stored[i]);
        step.first = false;
      }
      for (const AttentionView view : {view_key_gradients, view_value_gradients}) {
        TileOp store = transfer(OpKind::store, view, stack, j * block_columns_, step.width, head_dim_);
        store.a = view == view_key_gradients ? step.key_sums : step.value_sums;
        co_yield store.wait(ring.pair_sums.ready(step.value_sums))
            .signal(ring.pair_sums.freed())
            .signal(ring.pair.freed());
      }
    }
  }
}

// Of one block of queries with one of keys.
TileProgram AttentionMapper::gradients_of(BackwardRings& ring, const BackwardStep& step,
                                          std::uint64_t query_block, std::uint64_t& stored) const {
  BackwardTiles tiles;
  tiles.rows = piece_of(query_block, block_rows_, rows_);
  tiles.row = query_block * block_rows_;
  tiles.again = stored != 0;
  co_yield gradient_loads(ring, step, tiles, stored);
  co_yield score_gradients(ring, step, tiles);
  co_yield gradient_sums(ring, step, tiles);
  TileOp store = transfer(OpKind::store, view_query_gradients, step.stack, tiles.row, tiles.rows, head_dim_);
  store.a = tiles.query_sums;
  ring.stored.take();
  stored = ring.stored.uses();
  co_yield store.wait({ring.added.filled(), ring.added.uses()})
      .signal(ring.query_sums.freed())
      .signal(ring.stored.filled());
}

TileProgram AttentionMapper::gradient_loads(BackwardRings& ring, const BackwardStep& step,
                                            BackwardTiles& tiles, std::uint64_t stored) const {
  const auto fetch = [&](AttentionView view, std::uint32_t columns, const SlotUse& slot) {
    TileOp load = transfer(OpKind::load, view, step.stack, tiles.row, tiles.rows, columns);
    load.out = slot;
    return load;
  };
  tiles.queries = ring.inputs.take();
  tiles.results = ring.inputs.take();
  tiles.logarithms = ring.logarithms.take();
  tiles.products = ring.row_products.take();
  tiles.query_sums = ring.query_sums.take();
  co_yield fetch(view_queries, head_dim_, tiles.queries)
      .wait(ring.inputs.room(tiles.queries))
      .signal(ring.inputs.filled());
  co_yield fetch(view_result_gradients, head_dim_, tiles.results)
      .wait(ring.inputs.room(tiles.results))
      .signal(ring.inputs.filled());
  co_yield fetch(view_sums, 1, tiles.logarithms)
      .wait(ring.logarithms.room(tiles.logarithms))
      .signal(ring.logarithms.filled());
  co_yield fetch(view_products, 1, tiles.products)
      .wait(ring.row_products.room(tiles.products))
      .signal(ring.row_products.filled());
  if (!tiles.again) co_return;
  ++ring.query_loads;
  co_yield fetch(view_query_gradients, head_dim_, tiles.query_sums)
      .wait(ring.query_sums.room(tiles.query_sums))
      .wait({ring.stored.filled(), stored})
      .signal(ring.query_sums.filled());
}

// Weights again, with them the gradients of values; then from the gradients of the weights those of the
// scores.
TileProgram AttentionMapper::score_gradients(BackwardRings& ring, const BackwardStep& step,
                                             BackwardTiles& tiles) const {
  TileOp scores =
      product_of(tiles.rows, step.width, head_dim_, tiles.queries, step.keys, ring.weights.take());
  tiles.weights = scores.out;
  scores.transpose_b = true;
  co_yield scores.wait(ring.inputs.ready(tiles.results))
      .wait(ring.pair.ready(step.values))
      .wait(ring.weights.room(tiles.weights))
      .signal(ring.weights.filled());
  TileOp exponentials = vector_of(RowFunction::recomputed_block, tiles.rows, step.width, passes_of_weights);
  exponentials.a = tiles.weights;
  exponentials.b = tiles.logarithms;
  exponentials.view_row = static_cast<std::uint32_t>(tiles.row);
  exponentials.view_column = static_cast<std::uint32_t>(step.key_block * block_columns_);
  ring.ready_weights.take();
  const TokenWait weighted{ring.ready_weights.filled(), ring.ready_weights.uses()};
  co_yield exponentials.wait(ring.weights.ready(tiles.weights))
      .wait(ring.logarithms.ready(tiles.logarithms))
      .signal(ring.ready_weights.filled())
      .signal(ring.logarithms.freed());
  TileOp gradient =
      product_of(tiles.rows, step.width, head_dim_, tiles.results, step.values, ring.gradients.take());
  tiles.gradients = gradient.out;
  gradient.transpose_b = true;
  co_yield gradient.wait(ring.gradients.room(gradient.out)).signal(ring.gradients.filled());

  TileOp values =
      product_of(step.width, head_dim_, tiles.rows, tiles.weights, tiles.results, step.value_sums);
  values.transpose_a = true;
  values.accumulate = !step.first;
  values.wait(weighted);
  if (step.first) values.wait(ring.pair_sums.room(step.value_sums));
  if (step.last) values.signal(ring.pair_sums.filled());
  co_yield values;
  TileOp grade = vector_of(RowFunction::gradient_block, tiles.rows, step.width, passes_of_gradients);
  grade.a = tiles.gradients;
  grade.b = tiles.products;
  grade.out = tiles.weights;
  ring.ready_gradients.take();
  co_yield grade.wait(ring.gradients.ready(tiles.gradients))
      .wait(ring.row_products.ready(tiles.products))
      .wait(weighted)
      .signal(ring.ready_gradients.filled())
      .signal(ring.row_products.freed());
}

TileProgram AttentionMapper::gradient_sums(BackwardRings& ring, const BackwardStep& step,
                                           const BackwardTiles& tiles) const {
  const TokenWait graded{ring.ready_gradients.filled(), ring.ready_gradients.uses()};
  TileOp queries =
      product_of(tiles.rows, head_dim_, step.width, tiles.gradients, step.keys, tiles.query_sums);
  queries.accumulate = tiles.again;
  queries.wait(graded);
  if (tiles.again) {
    queries.wait({ring.query_sums.filled(), ring.query_loads});
  } else {
    queries.wait(ring.query_sums.room(tiles.query_sums));
  }
  ring.added.take();
  // Behind it in the queue of products: nothing uses the weights any more.
  co_yield queries.signal(ring.added.filled()).signal(ring.weights.freed());
  TileOp keys = product_of(step.width, head_dim_, tiles.rows, tiles.gradients, tiles.queries, step.key_sums);
  keys.transpose_a = true;
  keys.accumulate = !step.first;
  keys.wait(graded);
  if (step.first) keys.wait(ring.pair_sums.room(step.key_sums));
  keys.signal(ring.gradients.freed()).signal(ring.inputs.freed()).signal(ring.inputs.freed());
  if (step.last) keys.signal(ring.pair_sums.filled());
  co_yield keys;
}

}  // namespace mesim::accel
