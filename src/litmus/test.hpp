// A litmus test after reading: threads of instructions that no longer belong to an architecture, initial
// values, and the question asked of the final states. Source of the format: herdtools7, "A diy Seven
// tutorial"; the instructions are those of the Intel SDM, the RISC-V unprivileged ISA and its RVWMO appendix.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/error.hpp"

namespace mesim::litmus {

// Registers, memory words and addresses are 64-bit two's complement numbers; a 32-bit value is kept
// sign-extended. Locations have numeric addresses (below), so that address arithmetic needs no special case.
using Value = std::int64_t;

// Index into the registers of a thread. Registers that read as zero (x0) never appear: their reads are the
// number 0 and writes to them are dropped.
using Register = std::uint8_t;
inline constexpr Register no_register = 0xff;

// A register or a number.
struct Operand {
  Register reg = no_register;
  Value number = 0;

  bool is_register() const { return reg != no_register; }
};

enum class Op : std::uint8_t {
  nothing,            // NOP, fence.i
  compute,            // dst = alu(a, b)
  load,               // dst = [address + offset]; reserves the location when `reserve` (lr)
  store,              // [address + offset] = a
  rmw,                // one atomic event: see Instruction
  store_conditional,  // store a if the reservation holds: dst = 0; may always fail: dst = 1
  fence,              // `orders`
  branch,             // to `target` if compare(a, b) holds
  jump,               // to `target`
  jump_register,      // to the code address a + offset; dst = code address of the next instruction
};

enum class Alu : std::uint8_t {
  second,  // b: moves, and the exchange of XCHG or amoswap
  add,
  subtract,
  bit_and,
  bit_or,
  bit_xor,
  shift_left,
  shift_right,  // logical, of the operation's width
  shift_right_arithmetic,
  less,  // signed a < b, as 0 or 1
  less_unsigned,
  minimum,
  maximum,
  minimum_unsigned,
  maximum_unsigned,
};

enum class Compare : std::uint8_t {
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  less_unsigned,
  greater_equal_unsigned,
};

// Which pairs of accesses a fence keeps in order, as the masks of SPARC's MEMBAR. MFENCE is all four, SFENCE
// store_store, LFENCE load_load | load_store, `fence r,rw` load_load | load_store, fence.tso all but
// store_load.
enum Orders : std::uint8_t {
  load_load = 1,
  load_store = 2,
  store_load = 4,
  store_store = 8,
  all_orders = 15,
};

// One instruction. Unlocked x86 read-modify-writes of memory are read as load, compute and store.
//
// rmw:  old = [address + offset]
//       if `compares` and old != compare: nothing is stored
//       else [address + offset] = alu(old, a)            (alu `second` stores a)
//       dst = old; flags = compares ? compare - old : the value stored
struct Instruction {
  Op op = Op::nothing;
  Alu alu = Alu::second;
  Compare condition = Compare::equal;
  std::uint8_t width = 8;    // bytes of the memory access, or of the operation (the result is sign-extended)
  bool zero_extend = false;  // loads narrower than a register: lwu, lbu, MOVZX
  bool acquire = false;      // .aq; LOCKed instructions have both
  bool release = false;      // .rl
  bool locked = false;       // x86 LOCK prefix, and XCHG with memory
  bool reserve = false;      // lr
  bool compares = false;     // CMPXCHG
  std::uint8_t orders = 0;   // fence
  Register dst = no_register;
  Register flags = no_register;
  Operand a;
  Operand b;
  Operand compare;
  Operand address;  // of memory
  Value offset = 0;
  std::uint32_t target = 0;  // index in the thread's code; its size is the end of the thread
  std::uint32_t source = 0;  // index into Thread::sources
};

// The text that instructions came from, for messages and explanations.
struct SourceLine {
  std::string text;
  std::uint64_t line = 0;
  std::uint64_t column = 0;
};

struct Thread {
  std::vector<Instruction> code;
  std::vector<std::string> registers;  // as printed in states; names that begin with '.' are the reader's own
  std::vector<Value> initial;          // one per register
  std::vector<SourceLine> sources;
};

// A word of memory. Its address is base + 64 * slot for plain locations; elements of an array follow each
// other, each a location of its own.
struct Location {
  std::string name;
  Value address = 0;
  Value initial = 0;
  std::uint8_t width = 4;
};
inline constexpr Value location_base = 0x4a3c0000;
inline constexpr Value location_stride = 64;

// Code addresses, of labels held in registers: base + stride * thread + index of the instruction.
inline constexpr Value code_base = 0x6b5d0000;
inline constexpr Value code_stride = 4096;

// One part of a final state: a register of a thread, or the final value of a location.
struct Observable {
  bool is_register = false;
  std::uint16_t thread = 0;
  std::uint16_t index = 0;  // register of the thread, or location
  std::string name;         // "0:EAX", "[x]"
};

// A final state: one value for each of Test::observables.
using Outcome = std::vector<Value>;

// A proposition over final states, as a tree in one array; the root is the last node.
struct Proposition {
  enum class Kind : std::uint8_t {
    constant,
    equal,
    not_equal,
    negation,
    conjunction,
    disjunction,
    implication
  };
  struct Node {
    Kind kind = Kind::constant;
    std::uint32_t left = 0;   // node; of a comparison: index into Test::observables
    std::uint32_t right = 0;  // node; of `equal` and `not_equal` with `of_observable`: the second observable
    Value value = 1;          // of constants and comparisons
    bool of_observable = false;
  };
  std::vector<Node> nodes;

  bool empty() const { return nodes.empty(); }
  // An empty proposition holds.
  bool holds(const Value* outcome) const;
  bool holds(const Outcome& outcome) const { return holds(outcome.data()); }
};

enum class Quantifier : std::uint8_t { exists, not_exists, for_all, none };

struct Test {
  std::string name;
  std::string arch;  // "X86", "X86_64", "RISCV", "GENERIC"
  std::string file;
  std::vector<Thread> threads;
  std::vector<Location> locations;
  std::vector<Observable> observables;  // those printed first, then those that only `filter` needs
  std::size_t printed = 0;
  Quantifier quantifier = Quantifier::exists;
  Proposition condition;
  Proposition filter;  // final states that do not satisfy it do not count

  // The location at exactly this address, or -1.
  int location_at(Value address) const {
    const auto offset = static_cast<std::uint64_t>(address - location_base);
    return offset < location_index.size() ? location_index[offset] : -1;
  }
  std::vector<std::int16_t> location_index;  // by address - location_base; filled by index_locations

  void index_locations();
};

// "0:EAX=1; [x]=2;": an outcome as herd prints it; addresses appear as the names of their locations.
std::string state_text(const Test& test, const Outcome& outcome);
std::string value_text(const Test& test, Value value);
// "exists (0:EAX=0 /\ 1:EAX=0)"
std::string condition_text(const Test& test);

// What a set of final states says about the condition.
enum class Observation : std::uint8_t { never, sometimes, always };
struct Verdict {
  Observation observation = Observation::never;
  bool allowed = false;  // some execution satisfies the proposition
  bool holds = false;    // the quantified condition is true
};
// `outcomes`: all final states, each once, already filtered. A test without final states holds only if its
// quantifier does not ask for one.
Verdict judge(const Test& test, const std::vector<Outcome>& outcomes);

}  // namespace mesim::litmus
