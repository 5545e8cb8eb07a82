#include "accel/systolic_mapper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "accel/systolic_rings.hpp"
#include "sim/error.hpp"

namespace mesim::accel {
namespace {

std::uint64_t tiles(std::uint64_t size, std::uint64_t tile) { return (size + tile - 1) / tile; }

// Slots of a buffer for `needed` chunks that are used again: all kept, or two slots for those that pass.
struct Split {
  std::uint64_t kept = 0;
  std::uint64_t passing = 0;
};

// Of the operand from the left what enters together: with weights in the array a row of A, with outputs a
// column, with inputs a column of B.
bool lies_by_columns(const AcceleratorConfig& config, const GemmTask& task) {
  if (config.dataflow == "ws") return task.transpose_a;
  return config.dataflow == "os" ? !task.transpose_a : !task.transpose_b;
}

}  // namespace

const char* gemm_operand_name(std::size_t operand) {
  constexpr const char* names[gemm_operands] = {"ifmap", "filter", "ofmap", "partial sums"};
  return names[operand];
}

SystolicMapper::SystolicMapper(const AcceleratorConfig& config, const GemmTask& task,
                               const std::string& source)
    : config_(config),
      task_(task),
      fill_(config, config.dataflow == "is" ? !task.transpose_a : task.transpose_b),
      stream_(config, lies_by_columns(config, task), task.transpose_b) {
  outputs_stay_ = config.dataflow == "os";
  transposed_ = config.dataflow == "is";
  if (transposed_) std::swap(task_.m, task_.n);
  const std::uint64_t rows = outputs_stay_ ? task_.m : task_.k;
  const std::uint64_t row_tiles = tiles(rows, config.rows);
  const std::uint64_t column_tiles = tiles(task_.n, config.columns);
  outer_ = outputs_stay_ ? row_tiles : column_tiles;
  inner_ = outputs_stay_ ? column_tiles : row_tiles;
  const std::uint64_t streamed = outputs_stay_ ? task_.k : task_.m;
  const bool ideal = config.dma.memory == "ideal";
  chunk_ = ideal ? streamed : std::min<std::uint64_t>(config.sram.chunk, streamed);
  chunks_ = tiles(streamed, chunk_);
  if (config.overlap_folds) register_slots_ = 2;
  if (config.overlap_folds && outputs_stay_ && config.drain == "hidden") {
    // Each multiplier has second registers; because later ones are behind, more folds than two are under way.
    register_slots_ += tiles(config.rows + config.columns - 2 + config.mac_cycles - 1, streamed);
  }
  size_buffers(source);
}

void SystolicMapper::size_buffers(const std::string& source) {
  const std::uint64_t groups = outputs_stay_ ? tiles(inner_, config_.arrays) : tiles(outer_, config_.arrays);
  const std::uint64_t first_used = outputs_stay_ ? chunks_ : chunks_ * inner_;
  const std::uint64_t second_used = outputs_stay_ ? chunks_ * groups : 1;
  if (config_.dma.memory == "ideal") {
    first_kept_ = 2 * first_used;
    second_kept_ = outputs_stay_ ? second_used : 0;
    second_passing_ = outputs_stay_ ? 0 : 2;
    out_kept_ = outputs_stay_ ? 0 : chunks_ * groups;
    out_passing_ = outputs_stay_ ? outer_ * groups : 0;
    return;
  }
  const SramConfig& sram = config_.sram;
  const std::uint64_t width = std::min<std::uint64_t>(config_.columns, task_.n);
  const std::uint64_t height = std::min<std::uint64_t>(config_.rows, outputs_stay_ ? task_.m : task_.k);
  const auto slots = [&](const char* buffer, std::uint64_t bytes, std::uint64_t each, std::uint64_t least) {
    if (bytes / each < least) {
      throw bad_input(
          {source}, fmt::format("/accel/sram/{}", buffer),
          fmt::format("{} bytes hold {} pieces of {} bytes, expected room for {}; a smaller sram.chunk "
                      "or array needs less",
                      bytes, bytes / each, each, least));
    }
    return bytes / each;
  };
  const auto split = [](std::uint64_t capacity, std::uint64_t needed) {
    return capacity >= needed ? Split{std::min(capacity, 2 * needed), 0} : Split{capacity - 2, 2};
  };
  const auto at_least = [](std::uint64_t needed) { return std::min<std::uint64_t>(needed, 2); };
  const char* first_buffer = transposed_ ? "filter_bytes" : "ifmap_bytes";
  const char* second_buffer = transposed_ ? "ifmap_bytes" : "filter_bytes";
  const std::uint64_t first_bytes = transposed_ ? sram.filter_bytes : sram.ifmap_bytes;
  const std::uint64_t second_bytes = transposed_ ? sram.ifmap_bytes : sram.filter_bytes;
  const Split first =
      split(slots(first_buffer, first_bytes, config_.operand_size(chunk_ * height), at_least(first_used)),
            first_used);
  first_kept_ = first.kept;
  first_passing_ = first.passing;
  if (outputs_stay_) {
    const Split second =
        split(slots(second_buffer, second_bytes, config_.operand_size(chunk_ * width), at_least(second_used)),
              second_used);
    second_kept_ = second.kept;
    second_passing_ = second.passing;
    out_passing_ = slots("ofmap_bytes", sram.ofmap_bytes, height * width * config_.accumulator_bytes, 1);
    return;
  }
  second_passing_ = slots(second_buffer, second_bytes, config_.operand_size(height * width), 1);
  const Split out = split(
      slots("ofmap_bytes", sram.ofmap_bytes, chunk_ * width * config_.accumulator_bytes, at_least(chunks_)),
      chunks_);
  out_kept_ = out.kept;
  out_passing_ = out.passing;
}

std::vector<TileMachine::Queue> SystolicMapper::queues() const {
  const std::uint32_t outstanding =
      config_.dma.memory == "dram" ? config_.dma.outstanding : ~std::uint32_t{0};
  std::vector<TileMachine::Queue> queues = {{"load", nullptr, config_.queue_depth, outstanding},
                                            {"store", nullptr, config_.queue_depth, outstanding}};
  for (std::uint32_t a = 0; a < config_.arrays; ++a) {
    queues.push_back(
        {fmt::format("array{}.{}", a, outputs_stay_ ? "drain" : "fill"), &fill_, config_.queue_depth});
    queues.push_back({fmt::format("array{}", a), &stream_, config_.queue_depth});
  }
  return queues;
}

std::vector<WaitOwner> SystolicMapper::tokens() const {
  std::vector<WaitOwner> tokens;
  for (std::uint32_t a = 0; a < config_.arrays; ++a) {
    for (std::uint32_t ring = 0; ring < systolic_rings; ++ring) {
      const RingKind& kind = systolic_ring_kind(ring);
      tokens.push_back(kind.filled);
      tokens.push_back(kind.freed);
    }
  }
  return tokens;
}

std::vector<std::string> SystolicMapper::token_names() const {
  std::vector<std::string> names;
  for (std::uint32_t a = 0; a < config_.arrays; ++a) {
    for (std::uint32_t ring = 0; ring < systolic_rings; ++ring) {
      names.push_back(fmt::format("array{} {} filled", a, systolic_ring_kind(ring).name));
      names.push_back(fmt::format("array{} {} freed", a, systolic_ring_kind(ring).name));
    }
  }
  return names;
}

void SystolicMapper::follow(std::uint32_t part, const SystolicMapper* before) {
  chained_ = true;
  part_ = part;
  before_ = before;
}

std::uint32_t SystolicMapper::rings_of_bank() const { return config_.arrays * systolic_rings; }

// A bank is free again when the part before last has ended: nothing waits for tokens older than that.
TileOp SystolicMapper::hold() const {
  TileOp op = tile_op(OpKind::hold, 0);
  op.rows = 2 * (part_ % token_banks) * rings_of_bank();
  op.columns = op.rows + 2 * rings_of_bank();
  return op.wait({parts_done_token(), part_ != 0 ? part_ - 1 : 0});
}

namespace {

template <class Value>
std::vector<Value> thrice(const std::vector<Value>& bank, const Value& last) {
  std::vector<Value> all;
  for (std::uint32_t i = 0; i < SystolicMapper::token_banks; ++i)
    all.insert(all.end(), bank.begin(), bank.end());
  all.push_back(last);
  return all;
}

}  // namespace

std::vector<WaitOwner> SystolicMapper::bank_tokens() const { return thrice(tokens(), WaitOwner::dependency); }

std::vector<std::string> SystolicMapper::bank_token_names() const {
  return thrice(token_names(), std::string("layers done"));
}

std::vector<std::uint64_t> SystolicMapper::ring_slots() const {
  // Second registers take new weights as a wave; what is behind the wave still uses the old ones.
  const std::uint64_t in_flight =
      config_.overlap_folds && !outputs_stay_
          ? tiles(config_.rows * std::uint64_t{config_.mac_cycles} + config_.columns, task_.m) + 1
          : 0;
  std::vector<std::uint64_t> slots;
  for (std::uint32_t a = 0; a < config_.arrays; ++a) {
    slots.insert(slots.end(), {register_slots_ + in_flight, first_kept_, first_passing_, second_kept_,
                               second_passing_, out_kept_, out_passing_, 0});
  }
  return slots;
}

std::vector<ArrayRings> SystolicMapper::array_rings() const {
  std::vector<ArrayRings> rings;
  for (std::uint32_t a = 0; a < config_.arrays; ++a) {
    const std::uint32_t first = (part_ % token_banks) * rings_of_bank() + a * systolic_rings;
    const auto ring = [&](SystolicRing kind, std::uint64_t slots) { return SlotRing(first + kind, slots); };
    const SlotRing partial = ring(ring_partial, 0);
    rings.push_back({.registers = ring(ring_registers, register_slots_),
                     .first_kept = ring(ring_first_kept, first_kept_),
                     .first_passing = ring(ring_first_passing, first_passing_),
                     .second_kept = ring(ring_second_kept, second_kept_),
                     .second_passing = ring(ring_second_passing, second_passing_),
                     .out_kept = ring(ring_out_kept, out_kept_),
                     .out_passing = ring(ring_out_passing, out_passing_),
                     .partial_filled = partial.filled(),
                     .partial_freed = partial.freed(),
                     .fill_queue = static_cast<std::uint8_t>(first_array_queue + 2 * a),
                     .stream_queue = static_cast<std::uint8_t>(first_array_queue + 2 * a + 1)});
    if (before_ == nullptr) continue;
    const std::uint32_t last = (before_->part_ % token_banks) * rings_of_bank() + a * systolic_rings;
    const std::uint64_t tiles = before_->tiles_of_array(a);
    rings.back().registers.follow(last + ring_registers, tiles);
    rings.back().second_passing.follow(last + ring_second_passing, tiles);
  }
  return rings;
}

// Folds from `fold` on that are like the one before it: neither first nor last, and their chunks all kept or
// all passing.
std::uint64_t SystolicMapper::alike_folds(std::uint64_t fold, std::uint64_t folds,
                                          std::uint64_t kept_chunks) const {
  std::uint64_t end = folds - 1;
  // Beside each other some arrays come to their last fold one group early.
  if (outputs_stay_ && config_.arrays > 1 && end != 0) --end;
  if (fold < 2 || fold >= end) return 0;
  if ((fold - 1) * chunks_ >= kept_chunks) return end - fold;
  end = std::min(end, kept_chunks / chunks_);
  return fold < end ? end - fold : 0;
}

namespace {

constexpr std::uint64_t page_bytes = 4096;  // operands begin at one

std::uint64_t pages(std::uint64_t bytes) { return tiles(bytes, page_bytes) * page_bytes; }

}  // namespace

std::uint64_t SystolicMapper::footprint_bytes() const {
  return pages(config_.operand_size(task_.m * task_.k)) + pages(config_.operand_size(task_.k * task_.n)) +
         pages(config_.operand_size(task_.m * task_.n)) +
         pages(task_.m * task_.n * config_.accumulator_bytes);
}

// A tile as the array sees it, from (row, column) of one of its operands. In memory the operands of the GEMM
// lie row by row; with the inputs in the array it sees them transposed.
TileOp SystolicMapper::transfer(OpKind kind, GemmOperand operand, std::uint32_t rows, std::uint32_t columns,
                                GemmView view, std::uint64_t row, std::uint64_t column) const {
  TileOp op = tile_op(kind, kind == OpKind::load ? queue_load : queue_store);
  op.part = part_;
  op.operand = operand;
  op.rows = rows;
  op.columns = columns;
  op.view = view;
  op.view_row = static_cast<std::uint32_t>(row);
  op.view_column = static_cast<std::uint32_t>(column);

  const auto bytes = [&](std::uint64_t elements) {
    return operand == operand_partial ? elements * config_.accumulator_bytes : config_.operand_size(elements);
  };
  const std::uint64_t sizes[] = {task_.m * task_.k, task_.k * task_.n, task_.m * task_.n};
  const std::uint64_t widths[] = {task_.k, task_.n, task_.n};
  const std::uint64_t heights[] = {task_.m, task_.k, task_.m};
  std::uint64_t base = base_;
  for (std::size_t before = 0; before < view; ++before) base += pages(config_.operand_size(sizes[before]));
  if (operand == operand_partial) base += pages(config_.operand_size(sizes[view_out]));
  // Whether a column of the tile lies in one piece, not a row: the array sees it transposed, or so it lies.
  const bool by_columns = transposed_ != task_.transposes(operand);
  const std::uint64_t width = by_columns ? heights[view] : widths[view];
  const std::uint64_t in_row = by_columns ? row : column;
  const std::uint64_t in_column = by_columns ? column : row;
  op.address = base + bytes(in_column * width + in_row);
  op.stride_bytes = bytes(width);
  op.piece_bytes = config_.piece_size(bytes(by_columns ? rows : columns));
  std::uint64_t pieces = by_columns ? columns : rows;
  if ((by_columns ? rows : columns) == width) {  // whole rows are one piece
    op.piece_bytes = op.stride_bytes = config_.piece_size(bytes(width * std::exchange(pieces, 1)));
  }
  if (operand == operand_b && config_.dma.whole_tiles) {
    op.piece_bytes = op.stride_bytes = bytes(std::uint64_t{config_.rows} * config_.columns);
    pieces = 1;
  }
  if (task_.of != task_.kept) {
    // Of A all that B might select; of B the places too, as one piece.
    const std::uint64_t elements = std::uint64_t{rows} * columns;
    std::uint64_t moved = op.piece_bytes * pieces;
    if (operand == operand_a) moved = (moved * task_.of + task_.kept - 1) / task_.kept;
    if (operand == operand_b) moved += (elements * std::bit_width(task_.of - 1) + 7) / 8;
    if (operand == operand_a || operand == operand_b) {
      op.piece_bytes = op.stride_bytes = moved;
      pieces = 1;
    }
  }
  op.bytes = op.piece_bytes * pieces;
  const bool activation = operand == operand_a || operand == operand_c;
  if (activation && config_.dma.activations == "on_chip") op.bytes = 0;
  return op;
}

TileProgram SystolicMapper::program() const {
  return outputs_stay_ ? stationary_outputs() : stationary_operand();
}

std::uint64_t SystolicMapper::used_multipliers() const {
  const std::uint64_t rows = outputs_stay_ ? task_.m : task_.k;
  return rows * task_.n;
}

// Columns of tiles go to the arrays in turn.
SystolicMapper::FoldSizes SystolicMapper::fold_sizes(std::uint64_t array) const {
  const std::uint64_t used_rows = outputs_stay_ ? task_.m : task_.k;
  const std::uint64_t column_folds = outputs_stay_ ? inner_ : outer_;
  const std::uint64_t row_folds = outputs_stay_ ? outer_ : inner_;
  const std::uint64_t last = array + (column_folds - 1 - array) / config_.arrays * config_.arrays;
  return {{extent(0, config_.rows, used_rows), extent(array, config_.columns, task_.n)},
          {extent(row_folds - 1, config_.rows, used_rows), extent(last, config_.columns, task_.n)}};
}

std::uint64_t SystolicMapper::compulsory_bytes() const {
  return config_.operand_size(task_.m * task_.k) + config_.operand_size(task_.k * task_.n) +
         config_.operand_size(task_.m * task_.n);
}

}  // namespace mesim::accel
