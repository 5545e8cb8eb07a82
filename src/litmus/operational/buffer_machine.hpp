// The machine of SC, TSO and PSO: cores that run in order, one memory, and store buffers between them. A
// state is a row of cells (words, then each thread's place, registers, reservation and buffer); an action
// moves one core or drains one store. Sources: x86-TSO (Sewell et al., CACM 2010), SPARC V9 appendix D.
#pragma once
#include <string>
#include <vector>

#include "litmus/operational/buffer_program.hpp"

namespace mesim::litmus::operational {

struct Action {
  enum class Kind : std::uint8_t { core, conditional_fails, drain };
  Kind kind = Kind::core;
  std::uint16_t thread = 0;
  std::uint16_t word = 0;  // drain: the word written
};

class BufferMachine {
 public:
  BufferMachine(const Test& test, const BufferRules& rules, bool keep_dead = false);

  std::size_t cells() const { return program_.cells; }
  const BufferProgram& program() const { return program_; }
  const BufferRules& rules() const { return rules_; }
  const Test& test() const { return test_; }
  const Values& values() const { return values_; }

  void initial(Cell* s);
  void apply(const Action& action, Cell* s);
  // Whether the next instruction of a core that is not at its end may run now.
  bool core_enabled(const Cell* s, std::size_t thread);
  // Whether a conditional store whose turn it is could succeed, as far as the buffers are concerned; it may
  // fail at any time.
  bool conditional_may_run(const Cell* s, std::size_t thread) const {
    return atomic_may_run(s, thread, static_cast<unsigned>(next_word(s, thread)));
  }
  // The position in the buffer of the store to `word` that drains next, or -1: none may. Under TSO `word` is
  // that of the only candidate.
  int drain_position(const Cell* s, std::size_t thread, unsigned word) const;
  bool finished(const Cell* s) const;
  Outcome outcome(const Cell* s) const;

  const Point& point(const Cell* s, std::size_t thread) const {
    const auto& t = program_.threads[thread];
    return t.points[s[t.pc]];
  }
  // The word that the core's next instruction accesses; -1 at an address that is no location.
  int next_word(const Cell* s, std::size_t thread) const;
  unsigned entries(const Cell* s, std::size_t thread) const {
    const auto& t = program_.threads[thread];
    return t.buffer == no_cell ? 0 : s[t.buffer];
  }
  const Cell* entry(const Cell* s, std::size_t thread, unsigned position) const {
    return s + program_.threads[thread].buffer + 1 + 2 * position;
  }
  // Words of what stands in a buffer between stores: a store-store fence, and a store-load fence behind which
  // loads wait.
  static constexpr Cell marker = 0xffff, barrier = 0xfffe;
  static bool is_store(Cell word) { return word < barrier; }

  // Why the set of final states may lack some: empty, or what stopped a thread.
  const std::string& limit() const { return limit_; }

 private:
  Value operand(const Cell* s, const BufferThread& t, const Operand& o, const Thread& thread) const;
  Value* load_registers(const Cell* s, std::size_t thread);
  void store_registers(Cell* s, std::size_t thread, const Value* registers);
  void set_register(Cell* s, const BufferThread& t, Register r, Cell value) const {
    if (r != no_register) s[t.cell[r]] = value;
  }
  void run_local(Cell* s, std::size_t thread, std::uint32_t pc);
  void arrive(Cell* s, std::size_t thread, std::uint32_t pc);
  void core_step(Cell* s, std::size_t thread, bool conditional_fails);
  void atomic_step(Cell* s, std::size_t thread, const Instruction& i, unsigned word);
  void write(Cell* s, std::size_t thread, unsigned word, Cell value);
  void push(Cell* s, std::size_t thread, Cell word, Cell value);
  void push_fence(Cell* s, std::size_t thread, Cell kind);
  bool holds(const Cell* s, std::size_t thread, Cell word) const;
  void buffer_store(Cell* s, std::size_t thread, unsigned word, Cell value, bool release);
  void reserve(Cell* s, std::size_t thread, unsigned word) const;
  void drain(Cell* s, std::size_t thread, unsigned position);
  void remove_entry(Cell* s, std::size_t thread, unsigned position) const;
  void forget_dead_words(Cell* s) const;
  bool atomic_may_run(const Cell* s, std::size_t thread, unsigned word) const;
  Cell visible(const Cell* s, std::size_t thread, unsigned word) const;

  const Test& test_;
  BufferRules rules_;
  Values values_;
  BufferProgram program_;
  std::vector<std::vector<Value>> registers_;  // scratch, constants filled in
  std::string limit_;
};

}  // namespace mesim::litmus::operational
