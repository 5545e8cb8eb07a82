// One operation of a tile program. Operations stand in the order of the program; each goes to the queue of
// the engine that does it, and queues run beside each other. What must come before what is said by tokens
// alone.
//
// A token is a counter that only grows: an operation waits until it has come to a value, and adds one when it
// starts or completes. A ring of N slots needs two: `filled` and `freed`; the use number u of the ring (from
// 0) may be filled when freed >= u - N + 1, and read when filled >= u + 1.
#pragma once
#include <array>
#include <cstdint>

namespace mesim::accel {

enum class OpKind : std::uint8_t {
  load,    // memory to a slot
  store,   // a slot to memory
  fill,    // a slot into the array's registers
  stream,  // rows of a slot through the array, into an accumulator slot
  drain,   // accumulators of the array into a slot
  matmul,  // slots to a slot, on an engine that takes whole tiles
  vector,  // element by element or along rows
  repeat,  // no operation: a loop says that its next iterations are alike
  hold,    // no operation: nothing behind it is dispatched before its first wait is over; frees a bank of
           // tokens
};

struct TokenWait {
  std::uint32_t token = 0;
  std::uint64_t count = 0;
};

// A slot of a ring, for the values: which ring and the use number.
struct SlotUse {
  std::uint32_t ring = 0;
  std::uint64_t use = 0;
};

// Of TileOp::touches. With `accumulate` the result is read before it is written.
enum : std::uint8_t { touch_a = 1, touch_b = 2, touch_out = 4 };

inline constexpr std::uint32_t no_token = ~std::uint32_t{0};

struct TileOp {
  OpKind kind = OpKind::load;
  std::uint8_t queue = 0;
  std::uint8_t operand = 0;   // of load and store: whose bytes they are
  std::uint8_t function = 0;  // of vector: which; of repeat: which loop
  bool accumulate = false;    // of stream and matmul: onto what the slot holds
  bool transpose_a = false;
  bool transpose_b = false;
  bool windows = false;  // rows of `a` are the pixels of a window's position, for the results in their order
  std::uint8_t touches = 0;  // which buffers the engine reads and writes: touch_... below
  std::uint8_t wait_count = 0;
  std::uint8_t signal_count = 0;
  std::array<TokenWait, 4> waits{};
  std::array<std::uint32_t, 4> signals{};  // at completion
  std::uint32_t start_signal = no_token;   // at the start
  std::uint32_t part = 0;                  // of the program, such as a layer: whose account this goes to
  bool ends_part = false;                  // everything of its part has completed with it

  // Size: a tile of rows x columns; of matmul and stream rows x depth times depth x columns. Of hold the
  // tokens from `rows` up to `columns` start again from 0.
  std::uint32_t rows = 0;
  std::uint32_t columns = 0;
  std::uint32_t depth = 0;
  std::uint32_t groups = 1;  // of matmul: so many products, their operands and results behind each other
  // Of load and store: bytes in pieces, `stride_bytes` apart in memory.
  std::uint64_t bytes = 0;
  std::uint64_t address = 0;
  std::uint64_t piece_bytes = 0;
  std::uint64_t stride_bytes = 0;
  std::uint64_t remaining =
      0;  // of repeat: iterations that are like the last one, without the one that follows

  // For the values, which the machine's time does not need.
  SlotUse a;
  SlotUse b;
  SlotUse out;
  std::uint32_t first_row = 0;  // of the slot; of matmul: of a
  std::uint32_t first_row_b = 0;
  std::uint32_t view = 0;  // of load and store: which view of which tensor, and where in it
  std::uint32_t view_row = 0;
  std::uint32_t view_column = 0;

  TileOp& wait(const TokenWait& token) {
    if (token.count != 0) waits[wait_count++] = token;
    return *this;
  }
  TileOp& signal(std::uint32_t token) {
    signals[signal_count++] = token;
    return *this;
  }
  std::uint64_t macs() const { return std::uint64_t{rows} * columns * depth * groups; }
};

}  // namespace mesim::accel
