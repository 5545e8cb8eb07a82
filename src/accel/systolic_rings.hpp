// The rings of slots of one array, in their order; array a has the rings a * systolic_rings + kind.
#pragma once
#include <algorithm>
#include <vector>

#include "accel/kernel_mapper.hpp"
#include "accel/systolic_mapper.hpp"

namespace mesim::accel {

enum SystolicRing : std::uint32_t {
  ring_registers,   // in the array: the stationary operand, or the outputs
  ring_first_kept,  // streamed operand
  ring_first_passing,
  ring_second_kept,  // the other operand: stationary, or streamed from above
  ring_second_passing,
  ring_out_kept,
  ring_out_passing,
  ring_partial,  // no slots: partial sums come back (filled) and gone to memory (freed)
  systolic_rings
};

inline const RingKind& systolic_ring_kind(std::uint32_t ring) {
  static constexpr RingKind kinds[systolic_rings] = {
      {"registers", WaitOwner::fill, WaitOwner::drain},
      {"first operand", WaitOwner::dma, WaitOwner::buffer},
      {"first operand, passing", WaitOwner::dma, WaitOwner::buffer},
      {"second operand", WaitOwner::dma, WaitOwner::buffer},
      {"second operand, passing", WaitOwner::dma, WaitOwner::buffer},
      {"results", WaitOwner::dependency, WaitOwner::buffer},
      {"results, passing", WaitOwner::dependency, WaitOwner::buffer},
      {"partial sums", WaitOwner::dma, WaitOwner::dma},
  };
  return kinds[ring];
}

enum : std::uint8_t { queue_load, queue_store, first_array_queue };

// The rings of one array as a program uses them.
struct ArrayRings {
  SlotRing registers, first_kept, first_passing, second_kept, second_passing, out_kept, out_passing;
  std::uint32_t partial_filled = 0;
  std::uint32_t partial_freed = 0;
  std::uint64_t partial_loads = 0;
  std::uint64_t partial_stores = 0;
  std::uint8_t fill_queue = 0;
  std::uint8_t stream_queue = 0;

  void grow_alike(std::vector<std::uint64_t*>& counters) {
    for (SlotRing* ring : {&registers, &first_passing, &second_passing, &out_passing}) {
      counters.push_back(&ring->uses());
    }
    counters.push_back(&partial_loads);
    counters.push_back(&partial_stores);
  }
};

// Of the piece `index` of a dimension cut in pieces of `piece`.
inline std::uint32_t extent(std::uint64_t index, std::uint64_t piece, std::uint64_t size) {
  return static_cast<std::uint32_t>(std::min(piece, size - index * piece));
}

inline TileOp tile_op(OpKind kind, std::uint8_t queue) {
  TileOp op;
  op.kind = kind;
  op.queue = queue;
  return op;
}

}  // namespace mesim::accel
