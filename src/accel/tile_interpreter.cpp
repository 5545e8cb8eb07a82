#include "accel/tile_interpreter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "sim/error.hpp"

namespace mesim::accel {

TileInterpreter::TileInterpreter(std::vector<MemoryView*> views, std::vector<std::uint64_t> ring_slots,
                                 RowContext rows, WindowShape windows)
    : views_(std::move(views)),
      row_context_(rows),
      windows_(windows),
      ring_slots_(std::move(ring_slots)),
      rings_(ring_slots_.size()) {}

Tile& TileInterpreter::tile(const SlotUse& use) {
  auto& ring = rings_.at(use.ring);
  const std::uint64_t slots = ring_slots_[use.ring];
  if (slots == 0) throw std::logic_error(fmt::format("the ring {} of a tile program has no slots", use.ring));
  const std::uint64_t slot = use.use % slots;
  if (ring.size() <= slot) ring.resize(slot + 1);
  return ring[slot];
}

void TileInterpreter::completed(const TileOp& op, Cycles, Cycles, Cycles) {
  switch (op.kind) {
    case OpKind::load:
      return load(op);
    case OpKind::store:
      return store(op);
    case OpKind::fill:
      tile(op.out) = tile(op.b);
      return;
    case OpKind::drain:
      tile(op.out) = tile(op.a);
      return;
    case OpKind::stream:
    case OpKind::matmul:
      return multiply(op);
    case OpKind::vector:
      return work_along_rows(op);
    case OpKind::repeat:
    case OpKind::hold:
      throw std::logic_error("a tile program has an operation without values");
  }
}

void TileInterpreter::round_to(ElementType type, std::vector<std::uint8_t> sums) {
  type_ = type;
  sums_ = std::move(sums);
}

float TileInterpreter::in_memory(const TileOp& op, float value) const {
  const bool sum = std::find(sums_.begin(), sums_.end(), op.operand) != sums_.end();
  return sum ? value : rounded(type_, value);
}

void TileInterpreter::load(const TileOp& op) {
  Tile& to = tile(op.out);
  // A page behind others lengthens the tile.
  if (op.first_row == 0 || to.columns != op.columns) to.reset(op.first_row, op.columns);
  to.rows = op.first_row + op.rows;
  to.values.resize(std::size_t{to.rows} * to.columns);
  for (std::uint32_t row = 0; row < op.rows; ++row) {
    for (std::uint32_t column = 0; column < op.columns; ++column) {
      to.at(op.first_row + row, column) = in_memory(
          op,
          views_.at(op.view)->at(std::uint64_t{op.view_row} + row, std::uint64_t{op.view_column} + column));
    }
  }
}

void TileInterpreter::store(const TileOp& op) {
  Tile& from = tile(op.a);
  // A tile of another shape holds something else: the stored values are wrong, as they would be.
  for (std::uint32_t row = 0; row < op.rows; ++row) {
    const auto source = op.windows ? windows_.pixel(row, op.first_row) : row;
    const bool there = source && *source < from.rows;
    if (!there && !op.windows) break;
    for (std::uint32_t column = 0; column < std::min(op.columns, from.columns); ++column) {
      views_.at(op.view)->put(std::uint64_t{op.view_row} + row, std::uint64_t{op.view_column} + column,
                              there ? in_memory(op, from.at(*source, column)) : 0);
    }
  }
}

void TileInterpreter::multiply(const TileOp& op) {
  Tile& out = tile(op.out);
  const std::uint32_t rows = op.rows * op.groups;
  if (!op.accumulate || out.rows != rows || out.columns != op.columns) out.reset(rows, op.columns);
  for (std::uint32_t group = 0; group < op.groups; ++group) {
    multiply_group(op, tile(op.a), tile(op.b), out, group);
  }
}

void TileInterpreter::multiply_group(const TileOp& op, Tile& a, Tile& b, Tile& out, std::uint32_t group) {
  const std::uint32_t first_a = op.first_row + group * op.rows;
  const std::uint32_t first_b = op.first_row_b + group * op.depth;
  const std::uint32_t held = op.transpose_b ? b.columns : b.rows - std::min(b.rows, first_b);
  const std::uint32_t depth = std::min({op.depth, op.transpose_a ? a.rows : a.columns, held});
  const std::uint32_t width = std::min(op.columns, op.transpose_b ? b.rows : b.columns);
  for (std::uint32_t row = 0; row < op.rows; ++row) {
    const auto from = op.windows ? windows_.pixel(row, op.first_row) : first_a + row;
    if (!from || *from >= (op.transpose_a ? a.columns : a.rows)) continue;
    for (std::uint32_t k = 0; k < depth; ++k) {
      const float left = rounded(type_, op.transpose_a ? a.at(k, *from) : a.at(*from, k));
      for (std::uint32_t column = 0; column < width; ++column) {
        out.at(group * op.rows + row, column) +=
            left * rounded(type_, op.transpose_b ? b.at(column, k) : b.at(first_b + k, column));
      }
    }
    check_sums(out, group * op.rows + row, width);
  }
}

// Sums of integers are kept in single precision, which has every integer up to 2^24.
void TileInterpreter::check_sums(Tile& out, std::uint32_t row, std::uint32_t width) const {
  if (type_ != ElementType::int8 && type_ != ElementType::int4) return;
  for (std::uint32_t column = 0; column < width; ++column) {
    const float sum = out.at(row, column);
    if (std::abs(sum) <= greatest_exact_sum) continue;
    throw Error(Exit::limit,
                fmt::format("the values of a tile program: a sum of {} has come to {}, expected at "
                            "most {}, up to which integer sums are exact here",
                            format_of(type_).name, sum, greatest_exact_sum));
  }
}

void TileInterpreter::work_along_rows(const TileOp& op) {
  const BlockPlace place{op.view_row, op.view_column};
  switch (static_cast<RowFunction>(op.function)) {
    case RowFunction::softmax:
      return softmax(tile(op.a), tile(op.out), row_context_, place);
    case RowFunction::running_block:
      return running_block(tile(op.a), tile(op.b), tile(op.out), !op.accumulate, row_context_, place);
    case RowFunction::running_finish:
      return running_finish(tile(op.b), tile(op.out));
    case RowFunction::layer_norm:
    case RowFunction::rms_norm:
      return norm(tile(op.a), tile(op.out), static_cast<RowFunction>(op.function) == RowFunction::layer_norm);
    case RowFunction::batch_norm:
      return batch_norm(tile(op.a), tile(op.b), tile(op.out));
    case RowFunction::rotary:
      return rotary(tile(op.a), tile(op.out), op.view_row, row_context_);
    case RowFunction::copy:
    case RowFunction::relu:
    case RowFunction::gelu:
    case RowFunction::silu:
      return element_by_element(tile(op.a), tile(op.out), static_cast<RowFunction>(op.function));
    case RowFunction::add:
    case RowFunction::multiply:
      return element_by_element(tile(op.a), tile(op.b), tile(op.out), static_cast<RowFunction>(op.function));
    case RowFunction::row_products:
      return row_products(tile(op.a), tile(op.b), tile(op.out));
    case RowFunction::gradient_block:
      return gradient_block(tile(op.a), tile(op.b), tile(op.out), row_context_);
    case RowFunction::recomputed_block:
      return recomputed_block(tile(op.a), tile(op.b), row_context_, place);
    case RowFunction::rescaled_block:
      return rescaled_block(tile(op.a), tile(op.b), tile(op.out), row_context_, place);
    default:
      return work_on_windows(op);
  }
}

void TileInterpreter::work_on_windows(const TileOp& op) {
  Tile& in = tile(op.a);
  Tile& out = tile(op.out);
  switch (static_cast<RowFunction>(op.function)) {
    case RowFunction::max_pool:
    case RowFunction::average_pool:
      return pool(in, out, op.rows, windows_,
                  static_cast<RowFunction>(op.function) == RowFunction::average_pool);
    case RowFunction::depthwise:
      return depthwise(in, tile(op.b), out, op.rows, windows_);
    case RowFunction::winograd_pixels:
      return winograd_pixels(in, out, op.rows, windows_);
    case RowFunction::winograd_filters:
      return winograd_filters(in, out, op.rows);
    case RowFunction::winograd_results:
      return winograd_results(in, out, op.rows, windows_);
    default:
      throw std::logic_error("a tile program has vector work without values");
  }
}

}  // namespace mesim::accel
