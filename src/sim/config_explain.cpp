#include "sim/config_explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "sim/error.hpp"
#include "sim/json_document.hpp"
#include "sim/nearest.hpp"

namespace mesim {
namespace {

using Kind = FieldDescription::Kind;
using Paths = std::vector<std::pair<std::string, const FieldDescription*>>;

bool is_group(const FieldDescription& field) {
  return field.kind == Kind::object || field.kind == Kind::list;
}

// Dots between keys; numbers of list elements are all as good as 0.
std::string normal(std::string path) {
  if (path.starts_with("/")) {
    path.erase(0, 1);
    std::replace(path.begin(), path.end(), '/', '.');
  }
  std::string out;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('.', begin), path.size());
    const std::string step = path.substr(begin, end - begin);
    const bool number = !step.empty() && std::all_of(step.begin(), step.end(),
                                                     [](unsigned char c) { return std::isdigit(c); });
    out += (out.empty() ? "" : ".") + (number ? "0" : step);
    begin = end + 1;
  }
  return out;
}

// The chosen field first, then what is below it.
Paths chosen(const FieldDescription& root, const std::string& given) {
  const Paths all = paths_of(root);
  const std::string path = normal(given);
  if (path.empty()) return all;
  Paths below;
  std::vector<std::string> names;
  std::vector<std::string> elsewhere;
  for (const auto& entry : all) {
    names.push_back(entry.first);
    if (entry.first == path || entry.first.starts_with(path + ".")) below.push_back(entry);
    if (entry.second->key == path) elsewhere.push_back(entry.first);
  }
  if (!below.empty()) return below;
  const std::string near = elsewhere.empty()
                               ? did_you_mean(path, names)
                               : fmt::format("; did you mean {}?", fmt::join(elsewhere, " or "));
  throw bad_input({"mesim config explain"},
                  fmt::format("found '{}', expected a key of the config{}", shown(given), near));
}

std::string line(const std::string& name, const std::string& value) {
  return value.empty() ? "" : fmt::format("  {:<8} {}\n", name, value);
}

// In lines of at most 76 characters, each begun with two spaces.
std::string wrapped(const std::string& text) {
  std::string out;
  std::size_t column = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::size_t width = 74;
    if (column == 0 || column + 1 + (end - begin) > width) {
      out += out.empty() ? "  " : "\n  ";
      column = 0;
    } else {
      out += ' ';
      ++column;
    }
    out += text.substr(begin, end - begin);
    column += end - begin;
    begin = end + 1;
  }
  return out;
}

// For one line of the overview.
std::string first_words(const std::string& text, std::size_t width) {
  if (text.size() <= width) return text;
  const auto space = text.rfind(' ', width - 3);
  return text.substr(0, space == std::string::npos ? width - 3 : space) + "...";
}

std::string in_full(const std::string& path, const FieldDescription& field) {
  std::string text = fmt::format("{}\n{}\n\n", path, wrapped(field.help));
  text += line("type", type_of(field) + (field.optional ? ", or null" : ""));
  text += line("unit", field.unit == "bytes" ? "bytes; also as \"32K\", \"4M\"" : field.unit);
  if (!is_group(field)) text += line("default", field.default_json);
  return text + line("range", range_of(field));
}

}  // namespace

std::string explain_config(const FieldDescription& root, const std::string& path) {
  const Paths fields = chosen(root, path);
  const bool one = !path.empty() && fields.size() == 1;
  if (one) return in_full(fields.front().first, *fields.front().second);
  std::size_t width = 0;
  for (const auto& [name, field] : fields) {
    if (!is_group(*field)) width = std::max(width, name.size() + field->default_json.size() + 3);
  }
  width = std::min<std::size_t>(width, 44);
  std::string text;
  for (const auto& [name, field] : fields) {
    const std::string head = is_group(*field) ? name : name + " = " + field->default_json;
    const std::size_t page = 100;
    const std::size_t left = std::max(head.size(), width) + 2;
    text += fmt::format("{:<{}}  {}\n", head, width,
                        first_words(field->help, left + 30 < page ? page - left : 30));
  }
  return text;
}

nlohmann::ordered_json explain_config_json(const FieldDescription& root, const std::string& path) {
  auto list = nlohmann::ordered_json::array();
  for (const auto& [name, field] : chosen(root, path)) {
    nlohmann::ordered_json entry = {{"path", name}, {"type", type_of(*field)}, {"help", field->help}};
    if (!field->unit.empty()) entry["unit"] = field->unit;
    if (!is_group(*field)) entry["default"] = nlohmann::ordered_json::parse(field->default_json);
    if (const auto range = range_of(*field); !range.empty()) entry["range"] = range;
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace mesim
