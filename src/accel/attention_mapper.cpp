#include "accel/attention_mapper.hpp"

#include <fmt/format.h>

#include "accel/attention_rings.hpp"
#include "sim/error.hpp"

namespace mesim::accel {
namespace {

constexpr std::uint32_t sum_bytes = 4;  // of a row's maximum, sum, or its logarithm

std::uint64_t pieces(std::uint64_t size, std::uint64_t piece) { return (size + piece - 1) / piece; }

}  // namespace

std::vector<std::string> AttentionMapper::operand_names() const {
  return {"queries",       "keys",           "values",           "results",      "row sums",
          "scores",        "weights",        "result gradients", "row products", "query gradients",
          "key gradients", "value gradients"};
}

AttentionMapper::AttentionMapper(const AcceleratorConfig& config, const OperatorConfig& task,
                                 const std::string& source)
    : config_(config),
      kernel_(task.kernel),
      causal_(task.causal),
      backward_(task.backward),
      matmul_(config),
      vector_(config) {
  const std::uint64_t kv_heads = task.kv_heads == 0 ? task.heads : task.kv_heads;
  stacks_ = task.batch * kv_heads;
  queries_ = task.sequence;
  rows_ = task.sequence * (task.heads / kv_heads);
  keys_ = task.keys == 0 ? task.sequence : task.keys;
  head_dim_ = static_cast<std::uint32_t>(task.head_dim);
  page_ = task.page;
  block_rows_ = std::min(task.block_rows, rows_);
  block_columns_ = task.block_columns;
  size_blocks(source);
}

void AttentionMapper::size_blocks(const std::string& source) {
  const std::uint64_t each = config_.operand_bytes;
  const std::uint64_t capacity = config_.sram.scratchpad_bytes;
  if (kernel_ == "fa1" && block_columns_ == 0) {
    block_columns_ = pieces(capacity / each, 4 * std::uint64_t{head_dim_});
    block_rows_ = std::min({block_columns_, std::uint64_t{head_dim_}, rows_});
  }
  block_columns_ = std::min(block_columns_, keys_);
  row_blocks_ = pieces(rows_, block_rows_);
  key_blocks_ = pieces(keys_, block_columns_);
  if (naive()) return;  // its operands pass through a cache that it does not size
  const std::uint64_t row_bytes = head_dim_ * each;
  // Backward: two blocks of queries and of the gradients of results, and their sums; keys, values and theirs.
  const std::uint64_t sums = (2 * block_rows_ + 2 * block_columns_) * std::uint64_t{head_dim_} * sum_bytes;
  const std::uint64_t once = backward_ ? (4 * block_rows_ + 2 * block_columns_) * row_bytes + sums
                                       : 2 * (block_rows_ + block_columns_) * row_bytes;
  if (once > capacity) {
    throw bad_input(
        {source}, "/accel/sram/scratchpad_bytes",
        fmt::format("{} bytes do not hold blocks of {} queries and results and {} keys and values of {} "
                    "elements, {} bytes; expected smaller workload.block_rows or block_columns",
                    capacity, block_rows_, block_columns_, head_dim_, once));
  }
  buffers_ = once + 2 * block_columns_ * row_bytes <= capacity ? 2 : 1;
}

std::vector<TileMachine::Queue> AttentionMapper::queues() const {
  const std::uint32_t depth = config_.queue_depth;
  return {{"load", nullptr, depth},
          {"store", nullptr, depth},
          {"matmul", &matmul_, depth},
          {"vector", &vector_, depth}};
}

std::vector<RingKind> AttentionMapper::rings() const {
  if (backward_) return backward_rings();
  return {
      {"queries", WaitOwner::dma, WaitOwner::buffer},
      {"keys", WaitOwner::dma, WaitOwner::buffer},
      {"values", WaitOwner::dma, WaitOwner::buffer},
      {"scores", WaitOwner::dependency, WaitOwner::buffer},
      {"weights", WaitOwner::dependency, WaitOwner::dependency},
      {"results", WaitOwner::dependency, WaitOwner::buffer},
      {"products", WaitOwner::dependency, WaitOwner::dependency},
      {"row sums", WaitOwner::dma, WaitOwner::buffer},
      {"stored results", WaitOwner::dma, WaitOwner::dma},
  };
}

std::vector<std::uint64_t> AttentionMapper::ring_slots() const {
  if (backward_) return backward_slots();
  const std::uint64_t kept = naive() ? key_blocks_ : buffers_;
  const std::uint64_t both = 2 * parts();
  return {both, kept, kept, both, 0, both, 0, both, 0};
}

TileProgram AttentionMapper::kernel(std::size_t number) const {
  if (backward_) return number == 0 ? row_products() : gradients();
  if (kernel_ == "fa2" || kernel_ == "fa3") return queries_outside();
  if (kernel_ == "fa1") return keys_outside();
  return number == 0 ? scores() : number == 1 ? softmax() : products();
}

std::uint64_t AttentionMapper::compulsory_bytes() const {
  // Backward reads queries, keys, values, results and what of them has gradients, and writes three.
  const std::uint64_t once = (backward_ ? 4 * rows_ + 4 * keys_ : 2 * rows_ + 2 * keys_) * head_dim_;
  return stacks_ * config_.operand_size(once);
}

// Rows of a block stand for queries from its first to its last; stacked heads wrap.
bool AttentionMapper::block_is_seen(std::uint64_t query_block, std::uint64_t key_block) const {
  const std::uint64_t first = query_block * block_rows_;
  const std::uint64_t last = std::min(first + block_rows_, rows_) - 1;
  const bool wraps = first / queries_ != last / queries_;
  return mask().sees(wraps ? queries_ - 1 : last, key_block * block_columns_);
}

std::uint64_t AttentionMapper::last_key_block(std::uint64_t query_block) const {
  std::uint64_t last = key_blocks_ - 1;
  while (last > 0 && !block_is_seen(query_block, last)) --last;
  return last;
}

std::uint64_t AttentionMapper::last_query_block(std::uint64_t key_block) const {
  std::uint64_t last = row_blocks_ - 1;
  while (last > 0 && !block_is_seen(last, key_block)) --last;
  return last;
}

std::uint64_t AttentionMapper::pieces_of(std::uint32_t rows) const {
  return page_ == 0 ? 1 : pieces(rows, page_);
}

// Whole matrices one behind the other, an operand's of all heads together.
std::uint64_t AttentionMapper::address_of(AttentionView view, std::uint64_t stack, std::uint64_t row,
                                          std::uint64_t column) const {
  const auto matrix = [&](std::uint64_t of) -> std::uint64_t {
    const bool of_keys =
        of == view_keys || of == view_values || of == view_key_gradients || of == view_value_gradients;
    if (of == view_scores || of == view_weights) return config_.operand_size(rows_ * keys_);
    if (of == view_sums || of == view_products) return 2 * rows_ * sum_bytes;
    if (of == view_query_gradients) return rows_ * head_dim_ * sum_bytes;
    return config_.operand_size((of_keys ? keys_ : rows_) * head_dim_);
  };
  std::uint64_t base = 0;
  for (std::uint64_t before = 0; before < view; ++before) base += stacks_ * matrix(before);
  const bool wide = view == view_scores || view == view_weights;
  const std::uint64_t width = wide ? keys_ : head_dim_;
  return base + stack * matrix(view) +
         (view == view_sums || view == view_products ? row * sum_bytes
                                                     : config_.operand_size(row * width + column));
}

TileOp AttentionMapper::transfer(OpKind kind, AttentionView view, std::uint64_t stack, std::uint64_t row,
                                 std::uint32_t rows, std::uint32_t columns, std::uint64_t column) const {
  TileOp op;
  op.kind = kind;
  op.queue = kind == OpKind::load ? attention_load : attention_store;
  op.operand = view;
  op.rows = rows;
  op.columns = columns;
  op.view = static_cast<std::uint32_t>(stack * attention_views + view);
  op.view_row = static_cast<std::uint32_t>(row);
  op.view_column = static_cast<std::uint32_t>(column);
  const bool sums = view == view_sums || view == view_products || view == view_query_gradients;
  const std::uint64_t elements = std::uint64_t{rows} * columns;
  op.bytes = sums ? elements * sum_bytes : config_.operand_size(elements);
  op.piece_bytes = op.stride_bytes = op.bytes;
  op.address = address_of(view, stack, row, column);
  return op;
}

}  // namespace mesim::accel
