#include "cores/program/program_ops.hpp"

#include <fmt/format.h>

namespace mesim {
namespace {

constexpr std::uint64_t event_base = 0x10;  // synchronisation objects are names, not data

OpKind kind_of(Opcode op) {
  switch (op) {
    case Opcode::ld:
      return OpKind::load;
    case Opcode::st:
      return OpKind::store;
    case Opcode::ll:
      return OpKind::load_linked;
    case Opcode::sc:
      return OpKind::store_conditional;
    case Opcode::swap:
    case Opcode::fadd:
    case Opcode::cas:
    case Opcode::tas:
      return OpKind::atomic;
    case Opcode::fence:
      return OpKind::fence;
    case Opcode::delay:
      return OpKind::delay;
    case Opcode::signal:
      return OpKind::signal;
    case Opcode::await:
      return OpKind::wait;
    case Opcode::halt:
      return OpKind::end;
    case Opcode::jmp:
      return OpKind::plain;
    default:
      return op >= Opcode::beq && op <= Opcode::bge ? OpKind::branch : OpKind::compute;
  }
}

void decode_one(const Instruction& i, std::uint64_t position, MicroOp& op) {
  op = {};
  op.kind = kind_of(i.op);
  op.opcode = i.op;
  op.position = op.pc = position;
  op.target = i.target;
  op.before = i.before;
  op.after = i.after;
  const auto operand = [&](std::size_t n, const Operand& from) {
    if (from.is_register) op.sources[n] = program_register(from.reg);
    op.values[n] = from.value;
  };
  operand(0, i.a);
  operand(1, i.b);
  if (i.op == Opcode::tas) op.values[0] = 1;
  const bool gives = (is_memory(i.op) && i.op != Opcode::st) || (i.op >= Opcode::lea && i.op <= Opcode::shr);
  if (gives) op.destinations[0] = program_register(i.rd);
  if (is_memory(i.op) || i.op == Opcode::lea) {
    op.address = i.memory.base;
    op.size = static_cast<std::uint16_t>(i.memory.size_bytes);
    if (i.memory.has_register) {
      op.sources[MicroOp::index_source] = program_register(i.memory.reg);
      op.scale = i.memory.scale;
    }
  }
  if (op.kind == OpKind::wait || op.kind == OpKind::signal) op.address = event_base + i.target;
}

}  // namespace

void ProgramOps::decode(const Program& program, Decoded& into) {
  into.resize(program.code.size());
  for (std::size_t n = 0; n < into.size(); ++n) decode_one(program.code[n], n, into[n]);
}

bool ProgramOps::reachable(std::uint64_t address, std::uint32_t size) const {
  const std::uint64_t offset = address - Program::data_base;
  return offset % size == 0 && offset < program_.data.size() && size <= program_.data.size() - offset;
}

void ProgramOps::check(const MicroOp& op, std::uint64_t address, std::uint64_t divisor) const {
  const Position at = program_.position(program_.code[op.position]);
  if ((op.opcode == Opcode::div || op.opcode == Opcode::rem) && divisor == 0)
    throw bad_input(at, "division by 0");
  if (!is_memory(op.opcode) || reachable(address, op.size)) return;
  const bool aligned = (address - Program::data_base) % op.size == 0;
  throw bad_input(at, aligned
                          ? fmt::format("address {:#x} is in no variable", address)
                          : fmt::format("address {:#x} is not aligned to its {} bytes", address, op.size));
}

}  // namespace mesim
