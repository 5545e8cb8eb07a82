// The values of a tile program: each operation does its arithmetic when the machine says that it has
// completed, on what the slots hold then. A token that is missing therefore shows as a wrong value.
#pragma once
#include <cstdint>
#include <vector>

#include "accel/element_type.hpp"
#include "accel/row_functions.hpp"
#include "accel/tile_machine.hpp"
#include "accel/window_functions.hpp"

namespace mesim::accel {

// A matrix as memory holds it, in whatever order; a tile of it is what a load or store moves.
class MemoryView {
 public:
  virtual ~MemoryView() = default;
  virtual float at(std::uint64_t row, std::uint64_t column) const = 0;
  virtual void put(std::uint64_t row, std::uint64_t column, float value) = 0;
};

// Rows and columns at strides, so also transposed.
class MatrixView final : public MemoryView {
 public:
  MatrixView(float* data, std::uint64_t row_stride, std::uint64_t column_stride)
      : data_(data), row_stride_(row_stride), column_stride_(column_stride) {}
  float at(std::uint64_t row, std::uint64_t column) const override {
    return data_[row * row_stride_ + column * column_stride_];
  }
  void put(std::uint64_t row, std::uint64_t column, float value) override {
    data_[row * row_stride_ + column * column_stride_] = value;
  }

 private:
  float* data_;
  std::uint64_t row_stride_;
  std::uint64_t column_stride_;
};

class TileInterpreter final : public OpListener {
 public:
  // `views` by their number in the program, `ring_slots` by ring.
  TileInterpreter(std::vector<MemoryView*> views, std::vector<std::uint64_t> ring_slots, RowContext rows = {},
                  WindowShape windows = {});

  // Operands of products, and what loads and stores move, are numbers of this type from now on; but not the
  // transfers of the operands named, which hold sums.
  // Throws Error (Exit::limit) from then on where a sum of integers leaves the range in which it is exact.
  static constexpr float greatest_exact_sum = 16'777'216;  // 2^24
  void round_to(ElementType type, std::vector<std::uint8_t> sums);

  void completed(const TileOp& op, Cycles started, Cycles occupied_until, Cycles done) override;

 private:
  Tile& tile(const SlotUse& use);
  void load(const TileOp& op);
  void store(const TileOp& op);
  void multiply(const TileOp& op);
  void multiply_group(const TileOp& op, Tile& a, Tile& b, Tile& out, std::uint32_t group);
  void check_sums(Tile& out, std::uint32_t row, std::uint32_t width) const;
  void work_along_rows(const TileOp& op);
  void work_on_windows(const TileOp& op);

  std::vector<MemoryView*> views_;
  float in_memory(const TileOp& op, float value) const;

  ElementType type_ = ElementType::raw;
  std::vector<std::uint8_t> sums_;
  RowContext row_context_;
  WindowShape windows_;
  std::vector<std::uint64_t> ring_slots_;
  std::vector<std::vector<Tile>> rings_;
};

}  // namespace mesim::accel
