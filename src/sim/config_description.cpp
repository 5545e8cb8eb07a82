#include "sim/config_description.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace mesim {
namespace {

using Kind = FieldDescription::Kind;
using Json = nlohmann::ordered_json;

class Describer : public Fields {
 public:
  std::vector<FieldDescription> take() { return std::move(fields_); }

 protected:
  void on_integer(std::string_view key, std::uint64_t& value, const IntegerRule& rule) override {
    integer(Kind::integer, key, value, rule);
  }
  void on_number(std::string_view key, double& value, const NumberRule& rule) override {
    number(Kind::number, key, value, rule);
  }
  void on_flag(std::string_view key, bool& value, std::string_view help) override {
    add(Kind::flag, key, help, value);
  }
  void on_text(std::string_view key, std::string& value, std::string_view help) override {
    add(Kind::text, key, help, value);
  }
  void on_path(std::string_view key, InputPath& value, std::string_view help) override {
    add(Kind::path, key, help, value.written);
  }
  void on_choice(std::string_view key, std::string& value, const std::vector<std::string>& names,
                 std::string_view help) override {
    add(Kind::choice, key, help, value).choices = names;
  }
  void on_optional_integer(std::string_view key, std::optional<std::uint64_t>& value,
                           const IntegerRule& rule) override {
    integer(Kind::integer, key, value ? Json(*value) : Json(), rule).optional = true;
  }
  void on_optional_number(std::string_view key, std::optional<double>& value,
                          const NumberRule& rule) override {
    number(Kind::number, key, value ? Json(*value) : Json(), rule).optional = true;
  }
  void on_json(std::string_view key, std::string& value, std::string_view help) override {
    add(Kind::json, key, help, value.empty() ? Json() : Json::parse(value)).optional = true;
  }
  void on_text_list(std::string_view key, std::vector<std::string>& values, std::string_view help) override {
    add(Kind::text_list, key, help, values);
  }
  void on_integer_list(std::string_view key, std::vector<std::uint64_t>& values,
                       const IntegerRule& rule) override {
    integer(Kind::integer_list, key, values, rule);
  }
  void on_number_list(std::string_view key, std::vector<double>& values, const NumberRule& rule) override {
    number(Kind::number_list, key, values, rule);
  }
  void on_object(std::string_view key, std::string_view help, const Visit& visit) override {
    add(Kind::object, key, help, Json()).children = describe_fields(visit).children;
  }
  void on_list(std::string_view key, std::string_view help, std::size_t size,
               const std::function<void(std::size_t)>&,
               const std::function<void(std::size_t, Fields&)>& visit) override {
    const auto example = [&](Fields& fields) { visit(size, fields); };
    add(Kind::list, key, help, Json::array()).children = describe_fields(example).children;
  }
  void on_preset(std::string_view kind, std::string& value) override {
    FieldDescription& field =
        add(Kind::preset, "preset",
            fmt::format("a file of presets/{}, whose values stand beneath those given here", kind),
            value.empty() ? Json() : Json(value));
    field.choices = {std::string(kind)};
    field.optional = true;
  }
  void on_broken_rule(std::string_view, const std::string&) override {}  // no config is judged here

 private:
  FieldDescription& add(Kind kind, std::string_view key, std::string_view help, const Json& value) {
    FieldDescription& field = fields_.emplace_back();
    field.kind = kind;
    field.key = key;
    field.help = help;
    field.default_json = value.dump();
    return field;
  }
  FieldDescription& integer(Kind kind, std::string_view key, const Json& value, const IntegerRule& rule) {
    FieldDescription& field = add(kind, key, rule.help, value);
    field.unit = rule.unit;
    field.min_integer = rule.min;
    field.max_integer = rule.max;
    field.power_of_two = rule.power_of_two;
    return field;
  }
  FieldDescription& number(Kind kind, std::string_view key, const Json& value, const NumberRule& rule) {
    FieldDescription& field = add(kind, key, rule.help, value);
    field.unit = rule.unit;
    field.min_number = rule.min;
    field.max_number = rule.max;
    return field;
  }

  std::vector<FieldDescription> fields_;
};

void collect(const FieldDescription& parent, const std::string& path,
             std::vector<std::pair<std::string, const FieldDescription*>>& out) {
  for (const auto& field : parent.children) {
    const std::string here = path.empty() ? field.key : path + "." + field.key;
    out.emplace_back(here, &field);
    collect(field, field.kind == Kind::list ? here + ".0" : here, out);
  }
}

std::string number_range(double min, double max) {
  const double unbounded = std::numeric_limits<double>::max();
  if (max >= unbounded) return min <= -unbounded ? "" : fmt::format("at least {}", min);
  return min <= -unbounded ? fmt::format("at most {}", max) : fmt::format("{} to {}", min, max);
}

}  // namespace

FieldDescription describe_fields(const std::function<void(Fields&)>& visit) {
  Describer describer;
  visit(describer);
  FieldDescription root;
  root.children = describer.take();
  return root;
}

std::vector<std::pair<std::string, const FieldDescription*>> paths_of(const FieldDescription& root) {
  std::vector<std::pair<std::string, const FieldDescription*>> paths;
  collect(root, "", paths);
  return paths;
}

std::string type_of(const FieldDescription& field) {
  switch (field.kind) {
    case Kind::integer:
      return "integer";
    case Kind::number:
      return "number";
    case Kind::flag:
      return "true or false";
    case Kind::text:
      return "string";
    case Kind::path:
      return "path of a file or folder";
    case Kind::choice:
      return fmt::format("one of {}", fmt::join(field.choices, ", "));
    case Kind::preset:
      return fmt::format("name from `mesim presets {}`, or the path of a file", field.choices.front());
    case Kind::json:
      return "any JSON";
    case Kind::text_list:
      return "list of strings";
    case Kind::integer_list:
      return "list of integers";
    case Kind::number_list:
      return "list of numbers";
    case Kind::object:
      return "object";
    case Kind::list:
      break;
  }
  return "list of objects";
}

std::string range_of(const FieldDescription& field) {
  const auto no_limit = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (field.kind == Kind::integer || field.kind == Kind::integer_list) {
    const std::string range = field.max_integer >= no_limit
                                  ? fmt::format("at least {}", field.min_integer)
                                  : fmt::format("{} to {}", field.min_integer, field.max_integer);
    return field.power_of_two ? "a power of two, " + range : range;
  }
  const bool number = field.kind == Kind::number || field.kind == Kind::number_list;
  return number ? number_range(field.min_number, field.max_number) : "";
}

}  // namespace mesim
