#include "accel/row_mapper.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/error.hpp"

namespace mesim::accel {
namespace {

enum : std::uint8_t { row_load, row_store, row_vector };
enum : std::uint32_t { ring_input, ring_second, ring_output };

RowFunction function_of(const std::string& operation) {
  if (operation == "layer_norm") return RowFunction::layer_norm;
  if (operation == "rms_norm") return RowFunction::rms_norm;
  if (operation == "add") return RowFunction::add;
  if (operation == "multiply") return RowFunction::multiply;
  return RowFunction::softmax;
}

// How often the engine takes every element: softmax its maximum, exponentials with their sum, and the
// division; norms their sums and then the scaling, the mean before for one.
std::uint32_t passes_of(RowFunction function) {
  switch (function) {
    case RowFunction::softmax:
    case RowFunction::layer_norm:
      return 3;
    case RowFunction::rms_norm:
      return 2;
    default:
      return 1;
  }
}

}  // namespace

std::vector<std::string> RowMapper::operand_names() const { return {"input", "second input", "output"}; }

RowMapper::RowMapper(const AcceleratorConfig& config, const OperatorConfig& task, const std::string& source)
    : config_(config),
      function_(function_of(task.operation)),
      rows_(task.batch * task.m),
      columns_(static_cast<std::uint32_t>(task.n)),
      vector_(config.vector) {
  const std::uint64_t row_bytes = task.n * config.operand_bytes;
  const std::uint64_t slots = 2 * (two_inputs() ? 3 : 2);
  const std::uint64_t held = config.sram.scratchpad_bytes / (slots * row_bytes);
  if (held == 0) {
    throw bad_input(
        {source}, "/accel/sram/scratchpad_bytes",
        fmt::format("{} bytes do not hold {} rows of {} bytes, expected room for two of each operand",
                    config.sram.scratchpad_bytes, slots, row_bytes));
  }
  block_rows_ = std::min({held, rows_, std::max<std::uint64_t>(task.block_rows, 1)});
}

std::vector<TileMachine::Queue> RowMapper::queues() const {
  return {{"load", nullptr, config_.queue_depth},
          {"store", nullptr, config_.queue_depth},
          {"vector", &vector_, config_.queue_depth}};
}

std::vector<RingKind> RowMapper::rings() const {
  return {{"input", WaitOwner::dma, WaitOwner::buffer},
          {"second input", WaitOwner::dma, WaitOwner::buffer},
          {"output", WaitOwner::dependency, WaitOwner::buffer}};
}

std::uint64_t RowMapper::compulsory_bytes() const {
  return rows_ * columns_ * config_.operand_bytes * (two_inputs() ? 3 : 2);
}

TileProgram RowMapper::kernel(std::size_t) const {
  SlotRing input(ring_input, 2);
  SlotRing second(ring_second, 2);
  SlotRing output(ring_output, 2);
  Repetition alike({&input.uses(), &second.uses(), &output.uses()});
  const std::uint64_t blocks = (rows_ + block_rows_ - 1) / block_rows_;
  for (std::uint64_t block = 0; block < blocks; ++block) {
    if (block >= 2 && block + 1 < blocks) {
      const std::uint64_t skipped = co_yield repeat(0, blocks - 1 - block);
      alike.advance(skipped);
      block += skipped;
    } else {
      alike.mark();
    }
    TileOp op;
    op.rows = static_cast<std::uint32_t>(std::min(block_rows_, rows_ - block * block_rows_));
    op.columns = columns_;
    op.view_row = static_cast<std::uint32_t>(block * block_rows_);
    op.bytes = std::uint64_t{op.rows} * columns_ * config_.operand_bytes;
    op.piece_bytes = op.stride_bytes = op.bytes;
    TileOp work = op;
    work.kind = OpKind::vector;
    work.queue = row_vector;
    work.function = static_cast<std::uint8_t>(function_);
    work.depth = passes_of(function_);
    for (SlotRing* ring : {&input, &second}) {
      if (ring == &second && !two_inputs()) continue;
      TileOp load = op;
      load.queue = row_load;
      load.operand = ring == &input ? row_view_input : row_view_second;
      load.view = load.operand;
      load.address = load.view * rows_ * columns_ * config_.operand_bytes +
                     std::uint64_t{op.view_row} * columns_ * config_.operand_bytes;
      load.out = ring->take();
      co_yield load.wait(ring->room(load.out)).signal(ring->filled());
      work.wait(ring->ready(load.out)).signal(ring->freed());
      (ring == &input ? work.a : work.b) = load.out;
    }
    work.out = output.take();
    co_yield work.wait(output.room(work.out)).signal(output.filled());
    TileOp store = op;
    store.kind = OpKind::store;
    store.queue = row_store;
    store.operand = row_view_output;
    store.view = row_view_output;
    store.address = row_view_output * rows_ * columns_ * config_.operand_bytes +
                    std::uint64_t{op.view_row} * columns_ * config_.operand_bytes;
    store.a = work.out;
    co_yield store.wait(output.ready(work.out)).signal(output.freed());
  }
}

}  // namespace mesim::accel
