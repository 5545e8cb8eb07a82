// What the sections of a text report have in common: counters of a component, and a table with its title.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "app/text_table.hpp"

namespace mesim::text {

using Json = nlohmann::ordered_json;

// The counter `name`, 0 where the component has none.
inline std::uint64_t count(const Json& component, const char* name) {
  const auto it = component.find(name);
  return it != component.end() && it->is_number_unsigned() ? it->get<std::uint64_t>() : 0;
}

// The same for people: "1,234", or "-".
inline std::string counted(const Json& component, const char* name) {
  return component.contains(name) ? with_commas(count(component, name)) : "-";
}

// How much of an input a run had: "1,234 records", "1 operator".
inline std::string amount(const Json& result, const Json& input) {
  const std::uint64_t many = count(input, "records");
  const bool operators = result.at("config").value("order", "") == "accelerator";
  return with_commas(many) + (operators ? " operator" : " record") + (many == 1 ? "" : "s");
}

// A section, or nothing if its table has no row.
inline std::string section(const std::string& title, const TextTable& table) {
  return table.empty() ? "" : "\n" + title + "\n" + table.text();
}

}  // namespace mesim::text
