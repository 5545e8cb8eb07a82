#include "cores/program/data_memory.hpp"

namespace mesim {

std::uint64_t DataMemory::load(std::uint64_t address, std::uint32_t size_bytes) const {
  const std::uint8_t* at = data_.data() + (address - Program::data_base);
  std::uint64_t value = 0;
  for (std::uint32_t i = size_bytes; i > 0; --i) value = value << 8 | at[i - 1];
  return value;
}

void DataMemory::store(std::uint64_t address, std::uint32_t size_bytes, std::uint64_t value) {
  if (load(address, size_bytes) != value) ++changes_;
  std::uint8_t* at = data_.data() + (address - Program::data_base);
  for (std::uint32_t i = 0; i < size_bytes; ++i) at[i] = static_cast<std::uint8_t>(value >> 8 * i);
}

std::uint64_t DataMemory::perform(const MemoryAction& action) {
  const std::uint64_t mask = action.size_bytes == 8 ? ~0ULL : (1ULL << 8 * action.size_bytes) - 1;
  const std::uint64_t old = load(action.address, action.size_bytes);
  const auto put = [&](std::uint64_t value) { store(action.address, action.size_bytes, value & mask); };
  switch (action.op) {
    case Opcode::st:
    case Opcode::swap:
      put(action.a);
      return old;
    case Opcode::fadd:
      put(old + action.a);
      return old;
    case Opcode::cas:
      if (old == (action.a & mask)) put(action.b);
      return old;
    case Opcode::tas:
      put(1);
      return old;
    case Opcode::sc:
      put(action.a);
      return 1;
    default:
      return old;
  }
}

}  // namespace mesim
