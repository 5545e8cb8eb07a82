#include "accel/tile_interpreter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace mesim::accel {

TileInterpreter::TileInterpreter(std::vector<MemoryView*> views, std::vector<std::uint64_t> ring_slots,
                                 RowContext rows)
    : views_(std::move(views)),
      row_context_(rows),
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
      throw std::logic_error("a tile program has an operation without values");
  }
}

void TileInterpreter::load(const TileOp& op) {
  Tile& to = tile(op.out);
  // A page behind others lengthens the tile.
  if (op.first_row == 0 || to.columns != op.columns) to.reset(op.first_row, op.columns);
  to.rows = op.first_row + op.rows;
  to.values.resize(std::size_t{to.rows} * to.columns);
  for (std::uint32_t row = 0; row < op.rows; ++row) {
    for (std::uint32_t column = 0; column < op.columns; ++column) {
      to.at(op.first_row + row, column) =
          views_.at(op.view)->at(std::uint64_t{op.view_row} + row, std::uint64_t{op.view_column} + column);
    }
  }
}

void TileInterpreter::store(const TileOp& op) {
  Tile& from = tile(op.a);
  // A tile of another shape holds something else: the stored values are wrong, as they would be.
  for (std::uint32_t row = 0; row < std::min(op.rows, from.rows); ++row) {
    for (std::uint32_t column = 0; column < std::min(op.columns, from.columns); ++column) {
      views_.at(op.view)->put(std::uint64_t{op.view_row} + row, std::uint64_t{op.view_column} + column,
                              from.at(row, column));
    }
  }
}

void TileInterpreter::multiply(const TileOp& op) {
  Tile& out = tile(op.out);
  if (!op.accumulate || out.rows != op.rows || out.columns != op.columns) out.reset(op.rows, op.columns);
  Tile& a = tile(op.a);
  Tile& b = tile(op.b);
  const std::uint32_t depth = std::min({op.depth, a.columns, op.transpose_b ? b.columns : b.rows});
  const std::uint32_t width = std::min(op.columns, op.transpose_b ? b.rows : b.columns);
  for (std::uint32_t row = 0; row < std::min(op.rows, a.rows); ++row) {
    for (std::uint32_t k = 0; k < depth; ++k) {
      const float left = a.at(row, k);
      for (std::uint32_t column = 0; column < width; ++column) {
        out.at(row, column) += left * (op.transpose_b ? b.at(column, k) : b.at(k, column));
      }
    }
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
    case RowFunction::add:
    case RowFunction::multiply:
      return element_by_element(tile(op.a), tile(op.b), tile(op.out), static_cast<RowFunction>(op.function));
    case RowFunction::rescaled_block:
      return rescaled_block(tile(op.a), tile(op.b), tile(op.out), row_context_, place);
  }
}

}  // namespace mesim::accel
