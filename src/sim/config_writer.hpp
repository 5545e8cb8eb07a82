// The resolved config: every key with the value that is in force, in the order of the field lists. Reading it
// back gives the same struct. Includes nlohmann/json: for .cpp files only.
#pragma once
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "sim/fields.hpp"

namespace mesim {

nlohmann::ordered_json write_fields(const std::function<void(Fields&)>& visit);

// Takes a copy because visitors may write; this one does not.
template <class Struct>
nlohmann::ordered_json write_config(Struct config) {
  return write_fields([&config](Fields& fields) { config.fields(fields); });
}

// A JSON text for people: two spaces of indent, short lists of scalars on one line.
std::string pretty_json(const nlohmann::ordered_json& document);

}  // namespace mesim
