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
  return {"queries", "keys", "values", "results", "row sums", "scores", "weights"};
}

AttentionMapper::AttentionMapper(const AcceleratorConfig& config, const OperatorConfig& task,
                                 const std::string& source)
    : config_(config), kernel_(task.kernel), causal_(task.causal), matmul_(config), vector_(config.vector) {
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
  const std::uint64_t once = 2 * (block_rows_ + block_columns_) * row_bytes;
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
  const std::uint64_t kept = naive() ? key_blocks_ : buffers_;
  return {2, kept, kept, 2, 0, 2, 0, 2, 0};
}

TileProgram AttentionMapper::kernel(std::size_t number) const {
  if (kernel_ == "fa2") return queries_outside();
  if (kernel_ == "fa1") return keys_outside();
  return number == 0 ? scores() : number == 1 ? softmax() : products();
}

std::uint64_t AttentionMapper::compulsory_bytes() const {
  return stacks_ * 2 * (rows_ + keys_) * head_dim_ * config_.operand_bytes;
}

// Rows of a block stand for queries from its first to its last; stacked heads wrap.
bool AttentionMapper::block_is_seen(std::uint64_t query_block, std::uint64_t key_block) const {
  const std::uint64_t first = query_block * block_rows_;
  const std::uint64_t last = std::min(first + block_rows_, rows_) - 1;
  const bool wraps = first / queries_ != last / queries_;
  return mask().sees(wraps ? queries_ - 1 : last, key_block * block_columns_);
}

std::uint64_t AttentionMapper::pieces_of(std::uint32_t rows) const {
  return page_ == 0 ? 1 : pieces(rows, page_);
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
  op.bytes = std::uint64_t{rows} * columns * (view == view_sums ? sum_bytes : config_.operand_bytes);
  op.piece_bytes = op.stride_bytes = op.bytes;
  return op;
}

}  // namespace mesim::accel
