// One thread of a program: computes with its registers until it needs something that takes time or depends on
// others, says what, and goes on when told the outcome.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "cores/program/data_memory.hpp"
#include "cores/program/program.hpp"

namespace mesim {

class ProgramThread {
 public:
  struct Action {
    enum class Kind : std::uint8_t { memory, fence, delay, signal, await, finished };
    Kind kind = Kind::finished;
    MemoryAction memory;
    std::uint32_t event = 0;   // signal, await
    std::uint64_t amount = 0;  // delay: cycles; await: times
  };

  // Registers and place of a thread, to see whether it comes back to where it was.
  struct Place {
    std::uint32_t at = 0;
    std::array<std::uint64_t, program_registers + 1> registers{};
    friend bool operator==(const Place&, const Place&) = default;
  };

  ProgramThread(const Program& program, unsigned number);

  // Computes up to the next action, which then waits for `done`. Asking again changes nothing. Throws Error:
  // bad_input for a division by zero and a place outside the variables or not aligned, Exit::limit for
  // `most_steps` instructions without any action.
  const Action& next();
  // The action is over; `result` goes to its destination register, if it has one.
  void done(std::uint64_t result = 0);

  const Place& place() const { return place_; }
  std::uint32_t line() const { return program_.code[place_.at].line; }
  // Instructions computed: arithmetic, moves and branches.
  std::uint64_t computed() const { return computed_; }

  static constexpr std::uint64_t most_steps = 10'000'000;

 private:
  bool compute(const Instruction& i);  // false: it is an action
  void act(const Instruction& i);
  void check_place(const Instruction& i) const;
  std::uint64_t value(const Operand& operand) const {
    return operand.is_register ? place_.registers[operand.reg] : operand.value;
  }
  std::uint64_t address(const MemoryOperand& memory) const {
    return memory.base + (memory.has_register ? place_.registers[memory.reg] * memory.scale : 0);
  }

  const Program& program_;
  Place place_;
  Action action_;
  bool pending_ = false;
  std::uint64_t computed_ = 0;
};

}  // namespace mesim
