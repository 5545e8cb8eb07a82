// The fields of a config struct as data: what schema, `config explain` and manual are made from.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "sim/fields.hpp"

namespace mesim {

struct FieldDescription {
  enum class Kind {
    integer,
    number,
    flag,
    text,
    path,
    choice,
    preset,
    json,
    text_list,
    integer_list,
    number_list,
    object,
    list
  };
  Kind kind = Kind::object;
  std::string key;
  std::string help;
  std::string unit;
  bool optional = false;  // may be null
  std::uint64_t min_integer = 0, max_integer = 0;
  bool power_of_two = false;
  double min_number = 0, max_number = 0;
  std::vector<std::string> choices;        // of a choice; of a preset its kind
  std::string default_json;                // of everything but objects
  std::vector<FieldDescription> children;  // of an object; of the elements of a list
};

// The root: an object without a key. Defaults are the values that the struct at hand has.
FieldDescription describe_fields(const std::function<void(Fields&)>& visit);

template <class Struct>
FieldDescription describe_config(Struct config = {}) {
  return describe_fields([&config](Fields& fields) { config.fields(fields); });
}

// Every field below `root` with its path: "l1d.ways"; of the elements of a list "expect.0.at".
std::vector<std::pair<std::string, const FieldDescription*>> paths_of(const FieldDescription& root);

// "integer", "one of lru, random", ...
std::string type_of(const FieldDescription& field);
// "1 to 64", "at least 0", "a power of two, 16 to 256", or nothing.
std::string range_of(const FieldDescription& field);

}  // namespace mesim
