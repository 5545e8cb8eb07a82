// The values of a program's variables, and what each kind of access does to them in one step. Caches carry
// states, not data: on a coherent machine whose accesses finish one after the other, one copy of the values
// is what every core sees.
#pragma once
#include <cstdint>
#include <vector>

#include "cores/program/program.hpp"

namespace mesim {

// An access as a thread issues it.
struct MemoryAction {
  Opcode op = Opcode::ld;
  std::uint64_t address = 0;
  std::uint32_t size_bytes = 8;
  std::uint64_t a = 0;
  std::uint64_t b = 0;
};

class DataMemory {
 public:
  explicit DataMemory(std::vector<std::uint8_t> data) : data_(std::move(data)) {}

  // Addresses lie inside the variables; ProgramThread sees to it.
  std::uint64_t load(std::uint64_t address, std::uint32_t size_bytes) const;
  // What the destination register gets. A store-conditional that comes here succeeds.
  std::uint64_t perform(const MemoryAction& action);

  // How often a word got another value.
  std::uint64_t changes() const { return changes_; }

 private:
  void store(std::uint64_t address, std::uint32_t size_bytes, std::uint64_t value);

  std::vector<std::uint8_t> data_;  // from Program::data_base, least significant byte first
  std::uint64_t changes_ = 0;
};

}  // namespace mesim
