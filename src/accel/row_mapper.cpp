#include "accel/row_mapper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "sim/error.hpp"

namespace mesim::accel {
namespace {

enum : std::uint8_t { row_load, row_store, row_vector };
// Behind them the further inputs of a chain.
enum : std::uint32_t { ring_input, ring_second, ring_output, ring_steps, ring_further };

constexpr std::uint64_t parameter_rows = 2;  // of batch_norm: factors, addends

// By the name of the operator: how often the engine takes every element. Softmax its maximum, exponentials
// with their sum, and the division; norms their sums and then the scaling, the mean before for one; curves an
// exponential and a product; a pair of columns is turned by two products and a sum for each.
struct RowKind {
  std::string_view operation;
  RowFunction function;
  std::uint32_t passes;
};
constexpr RowKind row_kinds[] = {
    {"softmax", RowFunction::softmax, 3},   {"online_softmax", RowFunction::softmax, 2},
    {"chain", RowFunction::add, 1},         {"layer_norm", RowFunction::layer_norm, 3},
    {"rms_norm", RowFunction::rms_norm, 2}, {"batch_norm", RowFunction::batch_norm, 1},
    {"copy", RowFunction::copy, 1},         {"rotary", RowFunction::rotary, 3},
    {"relu", RowFunction::relu, 1},         {"gelu", RowFunction::gelu, 2},
    {"silu", RowFunction::silu, 2},         {"add", RowFunction::add, 1},
    {"multiply", RowFunction::multiply, 1},
};

const RowKind& kind_of(const std::string& operation) {
  return *std::find_if(std::begin(row_kinds), std::end(row_kinds),
                       [&](const RowKind& kind) { return kind.operation == operation; });
}

}  // namespace

std::vector<std::string> RowMapper::operand_names() const {
  std::vector<std::string> names = {"input", parameters_stay() ? "norm parameters" : "second input",
                                    "output"};
  for (std::size_t i = 0; i < further_inputs(); ++i) names.push_back("input " + std::to_string(i + 3));
  return names;
}

RowMapper::RowMapper(const AcceleratorConfig& config, const OperatorConfig& task, const std::string& source)
    : config_(config),
      functions_{kind_of(task.operation).function},
      passes_(kind_of(task.operation).passes),
      buffers_(task.buffers),
      rows_(task.batch * task.m),
      columns_(static_cast<std::uint32_t>(task.n)),
      vector_(config) {
  if (task.operation == "chain") {
    functions_.clear();
    for (const std::string& name : task.chain) functions_.push_back(kind_of(name).function);
  }
  const std::uint64_t row_bytes = config.operand_size(task.n);
  const std::uint64_t slots = buffers_ * (inputs() + 1 + (parameters_stay() ? 1 : 0));
  const std::uint64_t held = config.sram.scratchpad_bytes / (slots * row_bytes);
  if (held == 0) {
    throw bad_input(
        {source}, "/accel/sram/scratchpad_bytes",
        fmt::format("{} bytes do not hold {} rows of {} bytes, expected room for {} of each operand",
                    config.sram.scratchpad_bytes, slots, row_bytes, buffers_));
  }
  if (config.sram.partitions != 0 && task.block_rows > config.sram.partitions) {
    throw bad_input(
        {source}, "/workload/block_rows",
        fmt::format("{} rows in a block, expected at most one for each of {} partitions of the scratchpad",
                    task.block_rows, config.sram.partitions));
  }
  block_rows_ = std::min({held, rows_, std::max<std::uint64_t>(task.block_rows, 1)});
}

std::vector<TileMachine::Queue> RowMapper::queues() const {
  return {{"load", nullptr, config_.queue_depth},
          {"store", nullptr, config_.queue_depth},
          {"vector", &vector_, config_.queue_depth}};
}

std::vector<RingKind> RowMapper::rings() const {
  std::vector<RingKind> rings = {{"input", WaitOwner::dma, WaitOwner::buffer},
                                 {"second input", WaitOwner::dma, WaitOwner::buffer},
                                 {"output", WaitOwner::dependency, WaitOwner::buffer},
                                 {"steps", WaitOwner::dependency, WaitOwner::dependency}};
  rings.resize(ring_further + further_inputs(), {"further input", WaitOwner::dma, WaitOwner::buffer});
  return rings;
}

std::vector<std::uint64_t> RowMapper::ring_slots() const {
  std::vector<std::uint64_t> slots = {buffers_, buffers_, buffers_, 0};
  slots.resize(ring_further + further_inputs(), buffers_);
  return slots;
}

std::uint64_t RowMapper::compulsory_bytes() const {
  const std::uint64_t parameters = parameters_stay() ? config_.operand_size(parameter_rows * columns_) : 0;
  return config_.operand_size(rows_ * columns_) * (inputs() + 1) + parameters;
}

// Whole rows, which lie behind each other; an operand behind the one before it.
TileOp RowMapper::transfer(OpKind kind, RowView view, std::uint64_t first, std::uint64_t rows) const {
  TileOp op;
  op.kind = kind;
  op.queue = kind == OpKind::load ? row_load : row_store;
  op.operand = view;
  op.view = view;
  op.rows = static_cast<std::uint32_t>(rows);
  op.columns = columns_;
  op.view_row = static_cast<std::uint32_t>(first);
  op.address = config_.operand_size(view * rows_ * columns_) + config_.operand_size(first * columns_);
  op.bytes = op.piece_bytes = op.stride_bytes = config_.operand_size(rows * columns_);
  return op;
}

struct RowMapper::Rings {
  explicit Rings(std::uint64_t slots)
      : input{SlotRing(ring_input, slots), SlotRing(ring_second, slots)}, output(ring_output, slots) {}

  std::vector<SlotRing> input;
  SlotRing output;
  SlotRing steps{ring_steps, 0};
};

// The first step takes the first input, with the second one if it has two; each further step its own.
TileProgram RowMapper::work_on(Rings& ring, const std::vector<SlotUse>& held, SlotUse parameters,
                               SlotUse result, std::uint64_t first, std::uint64_t rows) const {
  for (std::size_t step = 0; step < functions_.size(); ++step) {
    TileOp work = transfer(OpKind::vector, row_view_output, first, rows);
    work.queue = row_vector;
    work.function = static_cast<std::uint8_t>(functions_[step]);
    work.depth = passes_;
    work.out = result;
    if (step == 0) {
      work.a = held[0];
      work.wait(ring.input[0].ready(work.a)).wait(ring.output.room(result)).signal(ring.input[0].freed());
    } else {
      work.a = result;
      work.wait({ring.steps.filled(), ring.steps.uses()});
    }
    if (inputs() > step + 1) {
      work.b = held[step + 1];
      work.wait(ring.input[step + 1].ready(work.b)).signal(ring.input[step + 1].freed());
    }
    if (parameters_stay()) {
      work.b = parameters;
      work.wait(ring.input[1].ready(parameters));
    }
    if (step + 1 == functions_.size()) {
      work.signal(ring.output.filled());
    } else {
      ring.steps.take();
      work.signal(ring.steps.filled());
    }
    co_yield work;
  }
}

TileProgram RowMapper::kernel(std::size_t) const {
  Rings ring(buffers_);
  std::vector<SlotRing>& input = ring.input;
  SlotRing& output = ring.output;
  for (std::uint32_t i = 0; i < further_inputs(); ++i) input.emplace_back(ring_further + i, buffers_);
  std::vector<std::uint64_t*> counters = {&output.uses(), &ring.steps.uses()};
  for (SlotRing& of_input : input) counters.push_back(&of_input.uses());
  Repetition alike(counters);
  const std::uint64_t blocks = (rows_ + block_rows_ - 1) / block_rows_;
  SlotUse parameters;
  if (parameters_stay()) {
    TileOp load = transfer(OpKind::load, row_view_second, 0, parameter_rows);
    load.out = parameters = input[1].take();
    co_yield load.signal(input[1].filled());
  }
  for (std::uint64_t block = 0; block < blocks; ++block) {
    co_yield pass_over(alike, block, blocks);
    const std::uint64_t first = block * block_rows_;
    const std::uint64_t rows = std::min(block_rows_, rows_ - first);
    std::vector<SlotUse> held;
    for (std::size_t i = 0; i < inputs(); ++i) {
      TileOp load = transfer(OpKind::load, input_view(i), first, rows);
      load.out = input[i].take();
      held.push_back(load.out);
      co_yield load.wait(input[i].room(load.out)).signal(input[i].filled());
    }
    const SlotUse result = output.take();
    co_yield work_on(ring, held, parameters, result, first, rows);
    TileOp store = transfer(OpKind::store, row_view_output, first, rows);
    store.a = result;
    co_yield store.wait(output.ready(result)).signal(output.freed());
  }
}

}  // namespace mesim::accel
