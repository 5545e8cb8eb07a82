// A litmus test as a program for the simulated cores. Each thread first brings lines of the test's locations
// into its cache, waits, runs its instructions, and at last stores the registers that are asked for. How it
// warms up, how long it waits before the test and between its instructions, and where the locations lie is
// varied from run to run (`vary`), without a new program; so is which core runs which thread.
//
// A location is a line of its own, as the test's addresses have it, and its value eight bytes, sign-extended;
// elements of arrays keep their size. Instructions that the cores lack make a test unfit.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cores/program/program.hpp"
#include "litmus/test.hpp"
#include "sim/random.hpp"

namespace mesim::litmus {

struct TimesDrawn {
  std::uint32_t message_cycles = 0;  // a message takes up to so many more
  std::uint32_t drain_cycles = 0;    // a store stays so long in its buffer
};

class ProgramOfTest {
 public:
  // `weak`: the cores keep no order by themselves, so that locked instructions are fenced.
  ProgramOfTest(const Test& test, bool weak);

  // Why the test cannot run on the cores; empty if it can.
  const std::string& unfit() const { return unfit_; }
  const Program& program() const { return program_; }

  // What a run draws at random.
  void vary(Random& random);
  // What it draws for the machine: times that its model does not tell.
  static TimesDrawn times(Random& random);
  // The thread that runs on a core.
  std::size_t thread_on(std::size_t core) const { return thread_on_[core]; }

  // Where the value of an observable stands after a run.
  std::uint64_t address(std::size_t observable) const;
  std::uint32_t size(std::size_t observable) const;
  // Where a location stands in this run.
  std::uint64_t address_of_location(std::size_t location) const;

 private:
  static constexpr std::uint64_t line_bytes = 64;
  static constexpr unsigned placements = 4;
  struct Warming {  // a jump to behind it, to a load or to an atomic addition of zero
    std::uint32_t jump;
  };

  void thread(unsigned number);
  void warm(std::size_t location);
  void instruction(const Instruction& i);
  void indirect_jump(const Instruction& i, unsigned thread, std::uint32_t at);
  mesim::Instruction& branch(Compare condition, mesim::Operand a, mesim::Operand b);
  mesim::Operand flipped(const mesim::Operand& value, std::uint8_t reg);
  void jump_to(std::uint32_t target);
  void memory_access(const Instruction& i);
  void changed(const Instruction& i, const mesim::Instruction& like);
  void computation(const Instruction& i);
  void compute(Alu alu, unsigned width, std::uint8_t to, const mesim::Operand& a, const mesim::Operand& b);
  void sign_extend(std::uint8_t reg);
  void results(unsigned thread);
  mesim::Instruction& emit(Opcode op);
  void fence(std::uint8_t before, std::uint8_t after);
  void fences(std::uint8_t orders);
  void place(mesim::Instruction& access, const mesim::Instruction& like);
  void set_data();
  void fail(const std::string& why) {
    if (unfit_.empty()) unfit_ = why;
  }
  std::uint8_t reg(Register r) const { return static_cast<std::uint8_t>(r); }
  mesim::Operand operand(const Operand& o) const {
    return {o.is_register(), o.is_register() ? reg(o.reg) : std::uint8_t{0},
            static_cast<std::uint64_t>(o.number)};
  }

  const Test& test_;
  bool weak_;
  bool arrays_;  // some locations share a line
  Program program_;
  std::string unfit_;
  std::uint64_t result_base_ = 0;
  std::uint64_t shift_ = 0;            // of the locations, in bytes
  std::vector<std::uint32_t> placed_;  // accesses to locations
  std::vector<std::uint64_t> base_;    // of them, before the shift
  std::vector<Warming> warmings_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> jumps_;  // of the program, and target in the thread
  std::vector<std::uint32_t> dispatch_;                         // branches to the threads but the first
  std::vector<std::size_t> thread_on_;                          // by core
  std::vector<std::uint32_t> starts_;                           // delays before the test
  std::vector<std::uint32_t> pauses_;                           // delays between instructions
  std::uint8_t scratch_ = 0;
};

}  // namespace mesim::litmus
