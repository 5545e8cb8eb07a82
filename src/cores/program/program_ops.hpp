// A thread of a program as operations of an out-of-order core, along the path that the core predicts.
#pragma once
#include "cores/micro_op.hpp"
#include "cores/program/program.hpp"

namespace mesim {

// `reg` of a program as the core names it.
constexpr RegisterId program_register(std::uint8_t reg) { return static_cast<RegisterId>(reg + 1); }

class ProgramOps final : public OpStream {
 public:
  // The instructions of a program as operations, which all its threads share; in place of what is there.
  using Decoded = std::vector<MicroOp>;
  static void decode(const Program& program, Decoded& into);

  // Both outlive the stream.
  ProgramOps(const Program& program, const Decoded& ops) : program_(program), ops_(ops) {}

  const MicroOp& front() override { return ops_[at_]; }
  void advance(bool taken) override { at_ = taken ? ops_[at_].target : at_ + 1; }
  void go_to(std::uint64_t position) override { at_ = position; }
  // Throws bad_input: a place outside the variables or not aligned, a division by zero.
  void check(const MicroOp& op, std::uint64_t address, std::uint64_t divisor) const override;
  bool reachable(std::uint64_t address, std::uint32_t size) const override;
  std::uint64_t records() const override { return 0; }

 private:
  const Program& program_;
  const Decoded& ops_;
  std::uint64_t at_ = 0;
};

}  // namespace mesim
