#include "sim/config_writer.hpp"

namespace mesim {
namespace {

using Json = nlohmann::ordered_json;

class Writer : public Fields {
 public:
  Json take() { return std::move(object_); }

 protected:
  void on_integer(std::string_view key, std::uint64_t& value, const IntegerRule&) override {
    put(key, value);
  }
  void on_number(std::string_view key, double& value, const NumberRule&) override { put(key, value); }
  void on_flag(std::string_view key, bool& value, std::string_view) override { put(key, value); }
  void on_text(std::string_view key, std::string& value, std::string_view) override { put(key, value); }
  void on_path(std::string_view key, InputPath& value, std::string_view) override { put(key, value.written); }
  void on_choice(std::string_view key, std::string& value, const std::vector<std::string>&,
                 std::string_view) override {
    put(key, value);
  }
  void on_optional_integer(std::string_view key, std::optional<std::uint64_t>& value,
                           const IntegerRule&) override {
    put(key, value ? Json(*value) : Json());
  }
  void on_optional_number(std::string_view key, std::optional<double>& value, const NumberRule&) override {
    put(key, value ? Json(*value) : Json());
  }
  void on_json(std::string_view key, std::string& value, std::string_view) override {
    put(key, value.empty() ? Json() : Json::parse(value));
  }
  void on_text_list(std::string_view key, std::vector<std::string>& values, std::string_view) override {
    put(key, values);
  }
  void on_integer_list(std::string_view key, std::vector<std::uint64_t>& values,
                       const IntegerRule&) override {
    put(key, values);
  }
  void on_number_list(std::string_view key, std::vector<double>& values, const NumberRule&) override {
    put(key, values);
  }
  void on_object(std::string_view key, std::string_view, const Visit& visit) override {
    put(key, write_fields(visit));
  }
  void on_list(std::string_view key, std::string_view, std::size_t size,
               const std::function<void(std::size_t)>&,
               const std::function<void(std::size_t, Fields&)>& visit) override {
    Json list = Json::array();
    for (std::size_t i = 0; i < size; ++i) {
      list.push_back(write_fields([&visit, i](Fields& fields) { visit(i, fields); }));
    }
    put(key, std::move(list));
  }
  void on_preset(std::string_view, std::string& value) override {
    put("preset", value.empty() ? Json() : Json(value));
  }
  void on_broken_rule(std::string_view, const std::string&) override {
  }  // a struct in hand is written as it is

 private:
  void put(std::string_view key, Json value) { object_[std::string(key)] = std::move(value); }

  Json object_ = Json::object();
};

bool is_short_list(const Json& value) {
  if (!value.is_array() || value.dump().size() > 80) return false;
  for (const auto& item : value) {
    if (item.is_structured()) return false;
  }
  return true;
}

void pretty(const Json& value, const std::string& indent, std::string& out) {
  if (!value.is_structured() || value.empty()) {
    out += value.dump();
    return;
  }
  if (is_short_list(value)) {
    const char* separator = "[";
    for (const auto& item : value) out += std::exchange(separator, ", ") + item.dump();
    out += "]";
    return;
  }
  const std::string inner = indent + "  ";
  const char* separator = "";
  out += value.is_array() ? "[" : "{";
  for (const auto& [key, item] : value.items()) {
    out += std::string(std::exchange(separator, ",")) + "\n" + inner;
    if (value.is_object()) out += Json(key).dump() + ": ";
    pretty(item, inner, out);
  }
  out += "\n" + indent + (value.is_array() ? "]" : "}");
}

}  // namespace

nlohmann::ordered_json write_fields(const std::function<void(Fields&)>& visit) {
  Writer writer;
  visit(writer);
  return writer.take();
}

std::string pretty_json(const nlohmann::ordered_json& document) {
  std::string text;
  pretty(document, "", text);
  return text + "\n";
}

}  // namespace mesim
