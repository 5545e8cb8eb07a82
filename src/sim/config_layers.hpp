// The layers of a config below presets, merged into one tree: included files, the file, overrides of the
// command line. Objects merge key by key; everything else is replaced by the higher layer. Every key and
// value keeps the place it came from.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

#include "sim/config_reader.hpp"
#include "sim/json_document.hpp"

namespace mesim {

inline constexpr std::size_t include_depth_limit = 16;

class ConfigLayers {
 public:
  // The merged tree of a source, always an object.
  JsonValue load(const ConfigSource& source);

  // One file with what it includes; `$schema` and `include` are taken out.
  JsonValue load_file(const std::string& path);

 private:
  JsonValue load_text(const std::string& text, const std::string& path);
  void take_includes(JsonValue& tree);
  JsonValue load_override(const std::string& argument, const std::string& folder);

  std::uint64_t sources_ = 0;
  std::vector<std::string> chain_;  // files whose includes are being read
};

// Puts `upper` over `lower`. An object of numbers from the command line ("0": ...) over a list replaces
// elements.
void merge_over(JsonValue& lower, JsonValue upper);

// Makes a list of an object that the command line built from list indices; other values stay as they are.
void indices_to_list(JsonValue& value);

// A value of the command line, JSON or else a string; `label` names it in errors ("--jobs=4").
JsonValue command_line_value(const std::string& label, const std::string& text);

// `path` as seen from `folder`.
std::string path_from(const std::string& folder, const std::string& path);

}  // namespace mesim
