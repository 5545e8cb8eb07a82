#include "sim/config_schema.hpp"

#include <fmt/format.h>

#include "sim/config_files.hpp"

namespace mesim {
namespace {

using Kind = FieldDescription::Kind;
using Json = nlohmann::ordered_json;

Json object_schema(const FieldDescription& field);

Json integer_schema(const FieldDescription& field) {
  Json schema = {{"type", "integer"}, {"minimum", field.min_integer}};
  const auto no_limit = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (field.max_integer < no_limit) schema["maximum"] = field.max_integer;
  if (field.power_of_two) {
    Json powers = Json::array();
    for (unsigned bit = 0; bit < 63; ++bit) {
      const std::uint64_t power = std::uint64_t{1} << bit;
      if (power >= field.min_integer && power <= field.max_integer) powers.push_back(power);
    }
    schema["enum"] = std::move(powers);
  }
  if (field.unit != "bytes") return schema;
  return {{"anyOf", {schema, {{"type", "string"}, {"pattern", "^[0-9]+[KMGTkmgt]$"}}}}};
}

Json number_schema(const FieldDescription& field) {
  const double unbounded = std::numeric_limits<double>::max();
  Json schema = {{"type", "number"}};
  if (field.min_number > -unbounded) schema["minimum"] = field.min_number;
  if (field.max_number < unbounded) schema["maximum"] = field.max_number;
  return schema;
}

Json list_of(Json items) { return {{"type", "array"}, {"items", std::move(items)}}; }

Json value_schema(const FieldDescription& field) {
  const Json text = {{"type", "string"}};
  switch (field.kind) {
    case Kind::integer:
      return integer_schema(field);
    case Kind::number:
      return number_schema(field);
    case Kind::flag:
      return {{"type", "boolean"}};
    case Kind::text:
    case Kind::path:
      return text;
    case Kind::preset:  // any file of the folder will do; those that are there are offered
      return {{"type", "string"}, {"examples", preset_names(field.choices.at(0))}};
    case Kind::choice:
      return {{"enum", field.choices}};
    case Kind::json:
      return Json::object();
    case Kind::text_list:
      return list_of(text);
    case Kind::integer_list:
      return list_of(integer_schema(field));
    case Kind::number_list:
      return list_of(number_schema(field));
    case Kind::object:
      return object_schema(field);
    case Kind::list:
      break;
  }
  return list_of(object_schema(field));
}

Json field_schema(const FieldDescription& field) {
  Json value = value_schema(field);
  if (field.optional && !value.empty()) value = {{"anyOf", {value, {{"type", "null"}}}}};
  Json schema = {
      {"description", field.unit.empty() ? field.help : fmt::format("{} [{}]", field.help, field.unit)}};
  schema.update(value);
  if (field.kind != Kind::object) schema["default"] = Json::parse(field.default_json);
  return schema;
}

Json object_schema(const FieldDescription& field) {
  Json properties = Json::object();
  for (const auto& child : field.children) properties[child.key] = field_schema(child);
  return {{"type", "object"}, {"additionalProperties", false}, {"properties", std::move(properties)}};
}

}  // namespace

Json config_schema(const FieldDescription& root, const std::string& title) {
  Json schema = {{"$schema", "http://json-schema.org/draft-07/schema#"}, {"title", title}};
  schema.update(object_schema(root));
  Json& properties = schema["properties"];
  properties["$schema"] = {{"description", "this schema, for editors"}, {"type", "string"}};
  const Json text = {{"type", "string"}};
  properties["include"] = {{"description", "files whose values stand beneath those given here"},
                           {"anyOf", {text, list_of(text)}}};
  return schema;
}

}  // namespace mesim
