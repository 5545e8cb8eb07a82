// What the names of a program stand for while it is read: parameters, variables, events, and the constants
// `threads` and `line_bytes`.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cores/program/program.hpp"

namespace mesim {

struct ProgramNames {
  std::vector<std::pair<std::string, std::uint64_t>> constants;  // with the parameters
  std::vector<Variable> variables;
  std::vector<std::string> events;

  const std::uint64_t* constant(const std::string& name) const;
  const Variable* variable(const std::string& name) const;
  bool is_event(const std::string& name) const;
  bool taken(const std::string& name) const;
  // Names that a value may have, for "did you mean".
  std::vector<std::string> all() const;
};

// r0 .. r31 and tid; 255 if `name` is none of them.
std::uint8_t register_number(const std::string& name);
inline constexpr std::uint8_t no_register = 255;

}  // namespace mesim
