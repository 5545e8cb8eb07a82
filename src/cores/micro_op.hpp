// What an out-of-order core works on: an instruction, or a part of it, with its registers named. Traces and
// programs become streams of these; the core asks for them in predicted order and goes back to a position
// when it was wrong.
#pragma once
#include <array>
#include <cstdint>

#include "cores/program/program.hpp"

namespace mesim {

enum class OpKind : std::uint8_t {
  plain,    // `count` instructions that need nothing and change nothing
  compute,  // one cycle
  branch,   // conditional
  load,
  store,
  atomic,             // load and store as one
  load_linked,        //
  store_conditional,  //
  fence,
  delay,   // nothing enters the window for `values[0]` cycles
  wait,    // object `address`, `values[0]` times
  signal,  // object `address`
  end,
};

constexpr bool reads_memory(OpKind kind) {
  return kind == OpKind::load || kind == OpKind::atomic || kind == OpKind::load_linked;
}
constexpr bool writes_memory(OpKind kind) {
  return kind == OpKind::store || kind == OpKind::atomic || kind == OpKind::store_conditional;
}
// Performed at the head of the window, when it cannot be taken back any more.
constexpr bool at_head(OpKind kind) {
  return kind == OpKind::atomic || kind == OpKind::load_linked || kind == OpKind::store_conditional ||
         kind == OpKind::fence;
}

using RegisterId = std::uint16_t;  // 0: none
inline constexpr RegisterId register_ids = 512;

struct MicroOp {
  static constexpr std::size_t source_count = 8;
  static constexpr unsigned index_source = 2;  // of a program's operands: the register of the address

  std::uint64_t address = 0;              // to which `index x scale` is added
  std::array<std::uint64_t, 2> values{};  // operands that are no registers
  std::uint64_t scale = 0;
  std::uint64_t position = 0;  // from which the stream goes on with this very operation
  std::uint64_t pc = 0;
  std::uint64_t fetch = 0;  // address of a line of instructions that must be there first; 0: it is
  std::uint32_t target = 0;
  std::uint32_t count = 1;
  std::array<RegisterId, source_count> sources{};  // a program's: values[0], values[1], index
  std::array<RegisterId, 2> destinations{};
  std::uint16_t size = 0;
  OpKind kind = OpKind::end;
  Opcode opcode = Opcode::mov;      // compute, branch and atomic of programs
  std::uint8_t before = fence_all;  // of a fence: accesses before it that come before
  std::uint8_t after = fence_all;   // those behind it
  bool last = true;                 // of its instruction, which counts then
  bool second_part = false;         // of an access that crosses lines
  bool conditional = false;         // a branch of a trace
  bool mispredicted = false;        // it was
};

class OpStream {
 public:
  virtual ~OpStream() = default;
  // The next operation; the same again until `advance`. Kind `end` at the end.
  virtual const MicroOp& front() = 0;
  // To the next one; of a branch of a program to its target or past it.
  virtual void advance(bool taken) = 0;
  // Back to an operation that was handed out and is not retired, or to an instruction of a program.
  virtual void go_to(std::uint64_t position) = 0;
  // What has to be stopped for at the retirement of an operation, such as an address outside all variables.
  // Throws Error.
  virtual void check(const MicroOp& op, std::uint64_t address, std::uint64_t divisor) const = 0;
  // Whether an access of the (possibly wrong) path may reach the caches.
  virtual bool reachable(std::uint64_t address, std::uint32_t size) const = 0;
  // Records taken in.
  virtual std::uint64_t records() const = 0;
};

}  // namespace mesim
