#include "sim/config_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "sim/config_description.hpp"
#include "sim/config_files.hpp"
#include "sim/config_layers.hpp"
#include "sim/config_scalars.hpp"
#include "sim/json_document.hpp"
#include "sim/nearest.hpp"

namespace mesim {
namespace {

constexpr std::size_t preset_depth_limit = 16;  // presets that build on presets

// What is wrong beyond a single value; the first in the order of the sources is thrown at the end.
struct Fault {
  JsonPlace at;
  std::string pointer;
  std::string message;
  std::string stray_key = {};  // an unknown key unlike any of its object; it may belong elsewhere
};

class Faults {
 public:
  void unknown_key(Fault fault) { keep_first(unknown_, std::move(fault)); }
  void broken_rule(Fault fault) { keep_first(broken_, std::move(fault)); }
  // A misspelt key is often why a rule is broken, so it goes first.
  void check(const std::function<void(Fields&)>& visit) const {
    for (const auto* fault : {&unknown_, &broken_}) {
      if (!*fault) continue;
      const Fault& first = **fault;
      throw bad_input(first.at.position(), first.pointer, first.message + homes_of(first.stray_key, visit));
    }
  }

 private:
  // "; did you mean l1d.ways?"
  static std::string homes_of(const std::string& key, const std::function<void(Fields&)>& visit) {
    if (key.empty()) return "";
    std::vector<std::string> homes;
    const FieldDescription root = describe_fields(visit);
    for (const auto& [path, field] : paths_of(root)) {
      if (field->key == key && homes.size() < 3) homes.push_back(path);
    }
    return homes.empty() ? "" : fmt::format("; did you mean {}?", fmt::join(homes, " or "));
  }

  static void keep_first(std::optional<Fault>& kept, Fault fault) {
    if (!kept || fault.at.before(kept->at)) kept = std::move(fault);
  }
  std::optional<Fault> unknown_;
  std::optional<Fault> broken_;
};

// Reads one object of the tree into one struct.
class Reader : public Fields {
 public:
  Reader(JsonValue& object, std::string pointer, ConfigLayers& layers, Faults& faults)
      : object_(object), pointer_(std::move(pointer)), layers_(layers), faults_(faults) {}

  // After all fields were visited.
  void finish() const {
    for (const auto& member : object_.members) {
      if (std::find(known_.begin(), known_.end(), member.key) != known_.end()) continue;
      const std::string near = did_you_mean(member.key, known_);
      faults_.unknown_key({member.at, pointer_ + pointer_step(shown(member.key)),
                           "unknown key" + (near.empty() ? known_keys() : near),
                           near.empty() ? member.key : ""});
    }
  }

 protected:
  void on_integer(std::string_view key, std::uint64_t& value, const IntegerRule& rule) override {
    if (const auto* found = take(key)) value = to_integer(*found, at(key), rule);
  }
  void on_number(std::string_view key, double& value, const NumberRule& rule) override {
    if (const auto* found = take(key)) value = to_number(*found, at(key), rule);
  }
  void on_flag(std::string_view key, bool& value, std::string_view) override {
    if (const auto* found = take(key)) value = to_flag(*found, at(key));
  }
  void on_text(std::string_view key, std::string& value, std::string_view) override {
    if (const auto* found = take(key)) value = to_text(*found, at(key));
  }
  void on_path(std::string_view key, InputPath& value, std::string_view) override {
    const auto* found = take(key);
    if (found == nullptr) return;
    value.written = to_text(*found, at(key));
    value.path = value.written.empty() ? "" : path_from(found->at.source->folder, value.written);
  }
  void on_choice(std::string_view key, std::string& value, const std::vector<std::string>& names,
                 std::string_view) override {
    if (const auto* found = take(key)) value = to_choice(*found, at(key), names);
  }
  void on_optional_integer(std::string_view key, std::optional<std::uint64_t>& value,
                           const IntegerRule& rule) override {
    const auto* found = take(key);
    if (found == nullptr) return;
    value = is_null(*found) ? std::nullopt : std::optional(to_integer(*found, at(key), rule));
  }
  void on_optional_number(std::string_view key, std::optional<double>& value,
                          const NumberRule& rule) override {
    const auto* found = take(key);
    if (found == nullptr) return;
    value = is_null(*found) ? std::nullopt : std::optional(to_number(*found, at(key), rule));
  }
  void on_json(std::string_view key, std::string& value, std::string_view) override {
    const auto* found = take(key);
    if (found == nullptr) return;
    value = is_null(*found) ? "" : json_text(*found);
  }
  void on_text_list(std::string_view key, std::vector<std::string>& values, std::string_view) override {
    read_list(key, values, "strings",
              [](const JsonValue& item, const std::string& pointer) { return to_text(item, pointer); });
  }
  void on_integer_list(std::string_view key, std::vector<std::uint64_t>& values,
                       const IntegerRule& rule) override {
    read_list(key, values, "integers", [&rule](const JsonValue& item, const std::string& pointer) {
      return to_integer(item, pointer, rule);
    });
  }
  void on_number_list(std::string_view key, std::vector<double>& values, const NumberRule& rule) override {
    read_list(key, values, "numbers", [&rule](const JsonValue& item, const std::string& pointer) {
      return to_number(item, pointer, rule);
    });
  }

  void on_object(std::string_view key, std::string_view, const Visit& visit) override {
    JsonValue* found = take(key);
    JsonValue absent;
    absent.kind = JsonValue::Kind::object;
    absent.at = object_.at;
    if (found == nullptr) found = &absent;
    read_object(*found, at(key), visit);
  }
  void on_list(std::string_view key, std::string_view, std::size_t,
               const std::function<void(std::size_t)>& resize,
               const std::function<void(std::size_t, Fields&)>& visit) override {
    JsonValue* list = take_list(key, "objects");
    if (list == nullptr) return;
    resize(list->items.size());
    for (std::size_t i = 0; i < list->items.size(); ++i) {
      read_object(list->items[i], fmt::format("{}/{}", at(key), i),
                  [&visit, i](Fields& fields) { visit(i, fields); });
    }
  }

  void on_preset(std::string_view kind, std::string& value) override {
    if (const auto* found = take("preset")) value = is_null(*found) ? "" : to_text(*found, at("preset"));
    if (value.empty()) return;
    std::string next = value;
    JsonValue named;  // where a missing preset is reported
    named.at = object_.at;
    if (const auto* member = object_.find("preset")) named.at = member->value.at;
    for (std::size_t depth = 0; !next.empty(); ++depth) {
      if (depth == preset_depth_limit) {
        throw bad_input(named.at.position(), at("preset"),
                        fmt::format("presets build on each other deeper than {}", preset_depth_limit));
      }
      JsonValue below = load_preset(std::string(kind), next, named.at);
      next.clear();
      if (const auto* base = below.find("preset")) {
        next = to_text(base->value, at("preset"));
        named.at = base->value.at;
      }
      const JsonPlace own = object_.at;
      merge_over(below, std::move(object_));
      object_ = std::move(below);
      object_.at = own;
    }
  }

  void on_broken_rule(std::string_view key, const std::string& message) override {
    const JsonValue* place = &object_;  // as far down as the config goes
    const JsonValue* next = place;
    std::string pointer = pointer_;
    for (std::size_t begin = 0; begin <= key.size();) {
      const std::size_t end = std::min(key.find('/', begin), key.size());
      const std::string_view step = key.substr(begin, end - begin);
      const JsonMember* member = next != nullptr ? next->find(step) : nullptr;
      next = member != nullptr ? &member->value : nullptr;
      if (next != nullptr) place = next;
      pointer += pointer_step(step);
      begin = end + 1;
    }
    faults_.broken_rule({place->at, pointer, message});
  }

 private:
  std::string at(std::string_view key) const { return pointer_ + pointer_step(key); }
  static bool is_null(const JsonValue& value) { return value.kind == JsonValue::Kind::null; }

  JsonValue* take(std::string_view key) {
    known_.emplace_back(key);
    JsonMember* member = object_.find(key);
    return member == nullptr ? nullptr : &member->value;
  }

  JsonValue* take_list(std::string_view key, std::string_view of) {
    JsonValue* found = take(key);
    if (found == nullptr) return nullptr;
    indices_to_list(*found);
    if (found->kind != JsonValue::Kind::list) {
      throw bad_input(found->at.position(), at(key),
                      fmt::format("found {}, expected a list of {}", describe(*found), of));
    }
    return found;
  }

  template <class Value, class Convert>
  void read_list(std::string_view key, std::vector<Value>& values, std::string_view of,
                 const Convert& convert) {
    const JsonValue* list = take_list(key, of);
    if (list == nullptr) return;
    values.clear();
    for (const auto& item : list->items) {
      values.push_back(convert(item, fmt::format("{}/{}", at(key), values.size())));
    }
  }

  void read_object(JsonValue& value, const std::string& pointer, const Visit& visit) {
    if (value.kind != JsonValue::Kind::object) {
      throw bad_input(value.at.position(), pointer,
                      fmt::format("found {}, expected an object", describe(value)));
    }
    Reader inner(value, pointer, layers_, faults_);
    visit(inner);
    inner.finish();
  }

  // A preset by its name, or by its path when it has a '/'.
  JsonValue load_preset(const std::string& kind, const std::string& name, const JsonPlace& named) {
    const bool path = name.find('/') != std::string::npos;
    if (!path) {
      const auto names = preset_names(kind);
      if (std::find(names.begin(), names.end(), name) == names.end()) {
        throw bad_input(named.position(), at("preset"),
                        fmt::format("found '{}', expected one of {}{}", shown(name), fmt::join(names, ", "),
                                    did_you_mean(name, names)));
      }
    }
    const std::string file =
        path ? path_from(named.source ? named.source->folder : "", name) : preset_path(kind, name);
    try {
      return layers_.load_file(file);
    } catch (const Error& error) {
      if (error.status() != Exit::io) throw;
      throw Error(Exit::io, bad_input(named.position(), at("preset"), error.what()).what());
    }
  }

  std::string known_keys() const {
    if (known_.empty()) return ", expected none";
    const std::size_t most = 12;
    const std::vector<std::string> first(known_.begin(), known_.begin() + std::min(most, known_.size()));
    return fmt::format(", expected {}{}", fmt::join(first, ", "), known_.size() > most ? ", ..." : "");
  }

  JsonValue& object_;
  std::string pointer_;
  ConfigLayers& layers_;
  Faults& faults_;
  std::vector<std::string> known_;
};

}  // namespace

void read_fields(const std::function<void(Fields&)>& visit, const ConfigSource& source) {
  ConfigLayers layers;
  Faults faults;
  JsonValue tree = layers.load(source);
  Reader reader(tree, "", layers, faults);
  visit(reader);
  reader.finish();
  faults.check(visit);
}

}  // namespace mesim
