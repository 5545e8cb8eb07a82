// Reads a config struct from its layers, lowest first: presets (`"preset": "ddr4-3200"` in an object),
// `include`d files (relative to the including file), the file, and overrides of the command line. What is
// wrong is thrown as one Error that names file, line and column, JSON pointer, the text found and what was
// expected; nothing is ever rounded, wrapped or ignored.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/fields.hpp"

namespace mesim {

struct ConfigSource {
  std::string path;  // the file; empty: no file, defaults and overrides only
  std::vector<std::string>
      overrides;                    // "l1d.ways=8", "expect.0.at=/time/cycles": JSON, else taken as a string
  std::optional<std::string> text;  // when given: the config itself; `path` then only names it in errors
  std::string override_folder = {};  // what paths in overrides are relative to; empty: the working directory
};

// Fills what `visit` lists. Throws bad_input for a wrong config, file_error for a file that cannot be read.
void read_fields(const std::function<void(Fields&)>& visit, const ConfigSource& source);

template <class Struct>
void read_config(Struct& config, const ConfigSource& source) {
  read_fields([&config](Fields& fields) { config.fields(fields); }, source);
}

template <class Struct>
Struct read_config(const ConfigSource& source) {
  Struct config{};
  read_config(config, source);
  return config;
}

}  // namespace mesim
