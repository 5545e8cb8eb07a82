#include "sim/config_layers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>

namespace mesim {
namespace {

std::optional<std::size_t> as_index(const std::string& key) {
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), index);
  const bool whole = error == std::errc() && end == key.data() + key.size();
  return whole && (key.size() == 1 || key[0] != '0') ? std::optional(index) : std::nullopt;
}

bool from_command_line(const JsonValue& value) {
  return value.at.source && value.at.source->from_command_line;
}

// A key of an object from the command line that addresses an element of a list of `size`; one behind the last
// appends.
std::size_t element(const JsonMember& member, std::size_t size) {
  const auto index = as_index(member.key);
  if (!index) {
    throw bad_input(
        member.at.position(),
        fmt::format("found '{}', expected the number of an element of a list", shown(member.key)));
  }
  if (*index > size) {
    throw bad_input(member.at.position(), fmt::format("found element {}, expected 0 to {}", *index, size));
  }
  return *index;
}

void merge_elements(JsonValue& list, JsonValue patch) {
  for (auto& member : patch.members) {
    const std::size_t index = element(member, list.items.size());
    if (index == list.items.size()) {
      list.items.push_back(std::move(member.value));
    } else {
      merge_over(list.items[index], std::move(member.value));
    }
  }
}

JsonValue take_member(JsonValue& object, std::string_view key) {
  for (auto member = object.members.begin(); member != object.members.end(); ++member) {
    if (member->key != key) continue;
    JsonValue value = std::move(member->value);
    object.members.erase(member);
    return value;
  }
  return {};
}

// The files that "include" names: a string or a list of strings.
std::vector<JsonValue> included(JsonValue value) {
  std::vector<JsonValue> files;
  if (value.kind == JsonValue::Kind::list) {
    files = std::move(value.items);
  } else {
    files.push_back(std::move(value));
  }
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (files[i].kind == JsonValue::Kind::string) continue;
    const std::string pointer =
        value.kind == JsonValue::Kind::list ? fmt::format("/include/{}", i) : "/include";
    throw bad_input(files[i].at.position(), pointer,
                    fmt::format("found {}, expected the path of a file", describe(files[i])));
  }
  return files;
}

// "a.b.0" or "/a/b/0" -> steps
std::vector<std::string> path_steps(const std::string& argument, std::string path) {
  const bool pointer = path.starts_with('/');
  if (pointer) path.erase(0, 1);
  std::vector<std::string> steps;
  std::size_t begin = 0;
  while (begin <= path.size()) {
    const std::size_t end = std::min(path.find(pointer ? '/' : '.', begin), path.size());
    steps.push_back(path.substr(begin, end - begin));
    if (steps.back().empty()) {
      throw bad_input({argument}, "found an empty key, expected PATH=VALUE such as l1d.ways=8");
    }
    begin = end + 1;
  }
  return steps;
}

void place_all(JsonValue& value, const JsonPlace& at) {
  value.at = at;
  for (auto& item : value.items) place_all(item, at);
  for (auto& member : value.members) {
    member.at = at;
    place_all(member.value, at);
  }
}

// A word of the command line: JSON if it is JSON, else a string.
JsonValue parse_word(const std::string& text, const JsonPlace& at) {
  JsonValue value;
  try {
    value = parse_json(text, at.source, JsonComments::refused);
  } catch (const Error&) {
    value.kind = JsonValue::Kind::string;
    value.text = text;
  }
  place_all(value, at);
  return value;
}

std::shared_ptr<JsonSource> command_line_source(const std::string& label, std::uint64_t order) {
  auto source = std::make_shared<JsonSource>();
  source->label = label;
  source->order = order;
  source->from_command_line = true;
  return source;
}

}  // namespace

JsonValue command_line_value(const std::string& label, const std::string& text) {
  return parse_word(text, {command_line_source(label, 0), 0, 0});
}

std::string path_from(const std::string& folder, const std::string& path) {
  return (std::filesystem::path(folder) / path).lexically_normal().string();
}

void merge_over(JsonValue& lower, JsonValue upper) {
  const bool objects = lower.kind == JsonValue::Kind::object && upper.kind == JsonValue::Kind::object;
  if (lower.kind == JsonValue::Kind::list && upper.kind == JsonValue::Kind::object &&
      from_command_line(upper)) {
    merge_elements(lower, std::move(upper));
  } else if (!objects) {
    lower = std::move(upper);
  } else {
    lower.at = upper.at;
    for (auto& member : upper.members) {
      if (JsonMember* below = lower.find(member.key)) {
        below->at = member.at;
        merge_over(below->value, std::move(member.value));
      } else {
        lower.members.push_back(std::move(member));
      }
    }
  }
}

void indices_to_list(JsonValue& value) {
  if (value.kind != JsonValue::Kind::object || !from_command_line(value)) return;
  JsonValue list;
  list.kind = JsonValue::Kind::list;
  list.at = value.at;
  merge_elements(list, std::move(value));
  value = std::move(list);
}

JsonValue ConfigLayers::load_text(const std::string& text, const std::string& path) {
  auto source = std::make_shared<JsonSource>();
  source->label = path;
  source->folder = std::filesystem::path(path).parent_path().string();
  source->order = sources_++;
  JsonValue tree = parse_json(text, source);
  if (tree.kind != JsonValue::Kind::object) {
    throw bad_input(tree.at.position(), fmt::format("found {}, expected an object", describe(tree)));
  }
  take_member(tree, "$schema");
  chain_.push_back(std::filesystem::path(path).lexically_normal().string());
  take_includes(tree);
  chain_.pop_back();
  return tree;
}

JsonValue ConfigLayers::load_file(const std::string& path) { return load_text(read_json_file(path), path); }

void ConfigLayers::take_includes(JsonValue& tree) {
  if (tree.find("include") == nullptr) return;
  JsonValue merged;
  merged.kind = JsonValue::Kind::object;
  for (const auto& file : included(take_member(tree, "include"))) {
    const std::string path = path_from(file.at.source->folder, file.text);
    if (std::find(chain_.begin(), chain_.end(), path) != chain_.end()) {
      throw bad_input(file.at.position(), "/include",
                      fmt::format("a cycle of includes: {} -> {}", fmt::join(chain_, " -> "), path));
    }
    if (chain_.size() > include_depth_limit) {
      throw bad_input(file.at.position(), "/include",
                      fmt::format("included deeper than {} files", include_depth_limit));
    }
    try {
      merge_over(merged, load_file(path));
    } catch (const Error& error) {
      if (error.status() != Exit::io) throw;
      throw Error(Exit::io, bad_input(file.at.position(), "/include", error.what()).what());
    }
  }
  merge_over(merged, std::move(tree));
  tree = std::move(merged);
}

JsonValue ConfigLayers::load_override(const std::string& argument, const std::string& folder) {
  const auto equals = argument.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw bad_input({argument}, "found no '=' after a key, expected PATH=VALUE such as l1d.ways=8");
  }
  const auto source = command_line_source(argument, sources_++);
  source->folder = folder;
  const JsonPlace at{source, 0, 0};

  JsonValue value = parse_word(argument.substr(equals + 1), at);

  const auto steps = path_steps(argument, argument.substr(0, equals));
  if (steps.size() > json_nesting_limit) {
    throw bad_input({argument}, fmt::format("nested deeper than {} levels", json_nesting_limit));
  }
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    JsonValue object;
    object.kind = JsonValue::Kind::object;
    object.at = at;
    object.members.push_back({*step, at, std::move(value)});
    value = std::move(object);
  }
  return value;
}

JsonValue ConfigLayers::load(const ConfigSource& source) {
  JsonValue tree;
  tree.kind = JsonValue::Kind::object;
  if (source.text) {
    tree = load_text(*source.text, source.path);
  } else if (!source.path.empty()) {
    tree = load_file(source.path);
  }
  for (const auto& argument : source.overrides) {
    merge_over(tree, load_override(argument, source.override_folder));
  }
  return tree;
}

}  // namespace mesim
