#include "cores/program/thread.hpp"

#include <fmt/format.h>

#include "cores/program/arithmetic.hpp"

namespace mesim {

ProgramThread::ProgramThread(const Program& program, unsigned number) : program_(program) {
  place_.registers[thread_register] = number;
}

const ProgramThread::Action& ProgramThread::next() {
  for (std::uint64_t steps = 0; !pending_; ++steps) {
    const Instruction& i = program_.code[place_.at];
    if (!compute(i)) {
      act(i);
      pending_ = true;
    } else if (steps == most_steps) {
      throw Error(Exit::limit, fmt::format("{}:{}: thread {} computed {} instructions without an access",
                                           program_.file, i.line, place_.registers[thread_register], steps));
    }
  }
  return action_;
}

bool ProgramThread::compute(const Instruction& i) {
  if (i.op >= Opcode::beq && i.op <= Opcode::jmp) {
    place_.at = branch_taken(i.op, value(i.a), value(i.b)) ? i.target : place_.at + 1;
  } else if (i.op == Opcode::lea) {
    place_.registers[i.rd] = address(i.memory);
    ++place_.at;
  } else if (i.op >= Opcode::mov && i.op <= Opcode::shr) {
    const std::uint64_t b = value(i.b);
    if ((i.op == Opcode::div || i.op == Opcode::rem) && b == 0)
      throw bad_input(program_.position(i), "division by 0");
    place_.registers[i.rd] = computed_value(i.op, value(i.a), b);
    ++place_.at;
  } else {
    return false;
  }
  ++computed_;
  return true;
}

void ProgramThread::act(const Instruction& i) {
  using Kind = Action::Kind;
  action_ = {};
  action_.event = i.target;
  action_.amount = value(i.a);
  switch (i.op) {
    case Opcode::fence:
      action_.kind = Kind::fence;
      return;
    case Opcode::delay:
      action_.kind = Kind::delay;
      return;
    case Opcode::signal:
      action_.kind = Kind::signal;
      return;
    case Opcode::await:
      action_.kind = Kind::await;
      return;
    case Opcode::halt:
      action_.kind = Kind::finished;
      return;
    default:
      break;
  }
  action_.kind = Kind::memory;
  action_.memory = {i.op, address(i.memory), i.memory.size_bytes, value(i.a), value(i.b)};
  check_place(i);
}

void ProgramThread::check_place(const Instruction& i) const {
  const std::uint64_t address = action_.memory.address;
  const std::uint32_t size = action_.memory.size_bytes;
  const std::uint64_t offset = address - Program::data_base;
  const auto fault = [&](const std::string& what) {
    return bad_input(program_.position(i), fmt::format("thread {}: address {:#x} {}",
                                                       place_.registers[thread_register], address, what));
  };
  if (offset % size != 0) throw fault(fmt::format("is not aligned to its {} bytes", size));
  if (offset >= program_.data.size() || size > program_.data.size() - offset)
    throw fault("is in no variable");
}

void ProgramThread::done(std::uint64_t outcome) {
  if (action_.kind == Action::Kind::finished) return;
  const Instruction& i = program_.code[place_.at];
  if (is_memory(i.op) && i.op != Opcode::st) place_.registers[i.rd] = outcome;
  ++place_.at;
  pending_ = false;
}

}  // namespace mesim
