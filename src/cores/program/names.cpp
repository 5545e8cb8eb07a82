#include "cores/program/names.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace mesim {

const std::uint64_t* ProgramNames::constant(const std::string& name) const {
  for (const auto& [known, value] : constants) {
    if (known == name) return &value;
  }
  return nullptr;
}

const Variable* ProgramNames::variable(const std::string& name) const {
  for (const Variable& variable : variables) {
    if (variable.name == name) return &variable;
  }
  return nullptr;
}

bool ProgramNames::is_event(const std::string& name) const {
  return std::find(events.begin(), events.end(), name) != events.end();
}

bool ProgramNames::taken(const std::string& name) const {
  return constant(name) != nullptr || variable(name) != nullptr || is_event(name) ||
         register_number(name) != no_register;
}

std::vector<std::string> ProgramNames::all() const {
  std::vector<std::string> names;
  for (const auto& entry : constants) names.push_back(entry.first);
  for (const Variable& variable : variables) names.push_back(variable.name);
  names.insert(names.end(), events.begin(), events.end());
  names.emplace_back("tid");
  return names;
}

std::uint8_t register_number(const std::string& name) {
  if (name == "tid") return thread_register;
  for (std::uint8_t r = 0; r < program_registers; ++r) {
    if (name == fmt::format("r{}", r)) return r;
  }
  return no_register;
}

}  // namespace mesim
