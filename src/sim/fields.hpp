// The one list of a config struct's fields. Each struct has
//
//   struct CacheConfig {
//     std::uint64_t size_bytes = 32 * KiB;          // the default stands in the member
//     std::string replacement = "lru";
//     void fields(Fields& f) {
//       f.integer("size_bytes", size_bytes, {.min = 64, .max = GiB, .unit = "bytes", .help = "data
//       capacity"}); f.choice("replacement", replacement, {"lru", "random"}, "which way a fill evicts");
//       f.require("size_bytes", size_bytes % 64 == 0, [&] { return fmt::format("{} is not ...", size_bytes);
//       });
//     }
//   };
//
// and reader (config_reader.hpp), resolved config (config_writer.hpp), schema and `config explain`
// (config_description.hpp) are visitors of that list, so that none of them can disagree. A struct nests by
// `object`, repeats by `list`; a preset of a kind is a file configs/presets/KIND/NAME.json whose keys stand
// beneath those that the config gives.
//
// Two duties of `fields`: list the same fields whatever their values (a rule between them is a `require`),
// and compute the `holds` of a rule without trouble for every value in the fields' own ranges (no division by
// a field that may be 0), because reading goes on past a broken rule to look for a misspelt key, its likely
// cause.
#pragma once
#include <algorithm>
#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mesim {

// Integers with the unit "bytes" may also be written as strings with K, M, G or T for 2^10 ... 2^40: "32K".
struct IntegerRule {
  std::uint64_t min = 0;
  std::uint64_t max = std::numeric_limits<std::int64_t>::max();
  bool power_of_two = false;
  std::string_view unit = {};
  std::string_view help = {};
};

struct NumberRule {
  double min = 0;
  double max = std::numeric_limits<double>::max();
  std::string_view unit = {};
  std::string_view help = {};
};

// The path of an input: relative to the folder of the file that names it, or to the working directory when
// given on the command line.
struct InputPath {
  std::string written;  // as the config has it; this is what results show
  std::string path;     // where to open it
  bool empty() const { return written.empty(); }
  bool operator==(const InputPath& other) const { return written == other.written; }
};

class Fields {
 public:
  virtual ~Fields() = default;

  // Scalars. Integers of any unsigned width; the range is clipped to what the member can hold.
  template <std::unsigned_integral Unsigned>
  void integer(std::string_view key, Unsigned& value, IntegerRule rule) {
    rule.max = std::min<std::uint64_t>(rule.max, std::numeric_limits<Unsigned>::max());
    std::uint64_t wide = value;
    on_integer(key, wide, rule);
    value = static_cast<Unsigned>(wide);
  }
  void number(std::string_view key, double& value, const NumberRule& rule) { on_number(key, value, rule); }
  void flag(std::string_view key, bool& value, std::string_view help) { on_flag(key, value, help); }
  void text(std::string_view key, std::string& value, std::string_view help) { on_text(key, value, help); }
  void path(std::string_view key, InputPath& value, std::string_view help) { on_path(key, value, help); }
  // One of `names`; compared without regard to case, stored as listed.
  void choice(std::string_view key, std::string& value, const std::vector<std::string>& names,
              std::string_view help) {
    on_choice(key, value, names, help);
  }
  // Values that may be left out; null in a config means the same as leaving out.
  void optional_integer(std::string_view key, std::optional<std::uint64_t>& value, const IntegerRule& rule) {
    on_optional_integer(key, value, rule);
  }
  void optional_number(std::string_view key, std::optional<double>& value, const NumberRule& rule) {
    on_optional_number(key, value, rule);
  }
  // Any JSON value, kept as its text; empty when left out.
  void json(std::string_view key, std::string& value, std::string_view help) { on_json(key, value, help); }
  // Lists of scalars; the rule holds for every element.
  void text_list(std::string_view key, std::vector<std::string>& values, std::string_view help) {
    on_text_list(key, values, help);
  }
  void integer_list(std::string_view key, std::vector<std::uint64_t>& values, const IntegerRule& rule) {
    on_integer_list(key, values, rule);
  }
  void number_list(std::string_view key, std::vector<double>& values, const NumberRule& rule) {
    on_number_list(key, values, rule);
  }

  // A nested struct.
  template <class Struct>
  void object(std::string_view key, Struct& value, std::string_view help) {
    on_object(key, help, [&value](Fields& inner) { value.fields(inner); });
  }
  // A list of structs.
  template <class Struct>
  void list(std::string_view key, std::vector<Struct>& values, std::string_view help) {
    // Elements start from their defaults: a list in a config replaces the default list, it does not patch it.
    on_list(
        key, help, values.size(), [&values](std::size_t size) { values.assign(size, Struct{}); },
        [&values](std::size_t index, Fields& inner) {
          if (index < values.size()) {
            values[index].fields(inner);
          } else {
            Struct example{};
            example.fields(inner);
          }
        });
  }

  // First line of a struct that has presets: allows the key "preset" and names the folder of its files. A
  // value with a '/' in it is the path of a file instead. A default in `value` is used when the config gives
  // none.
  void preset(std::string_view kind, std::string& value) { on_preset(kind, value); }

  // A rule between fields; `key` is the field that the error points at, "object/field" one further in.
  // Checked after its struct was read.
  template <std::invocable Message>
  void require(std::string_view key, bool holds, const Message& message) {
    if (!holds) on_broken_rule(key, message());
  }

 protected:
  using Visit = std::function<void(Fields&)>;
  virtual void on_integer(std::string_view key, std::uint64_t& value, const IntegerRule& rule) = 0;
  virtual void on_number(std::string_view key, double& value, const NumberRule& rule) = 0;
  virtual void on_flag(std::string_view key, bool& value, std::string_view help) = 0;
  virtual void on_text(std::string_view key, std::string& value, std::string_view help) = 0;
  virtual void on_path(std::string_view key, InputPath& value, std::string_view help) = 0;
  virtual void on_choice(std::string_view key, std::string& value, const std::vector<std::string>& names,
                         std::string_view help) = 0;
  virtual void on_optional_integer(std::string_view key, std::optional<std::uint64_t>& value,
                                   const IntegerRule& rule) = 0;
  virtual void on_optional_number(std::string_view key, std::optional<double>& value,
                                  const NumberRule& rule) = 0;
  virtual void on_json(std::string_view key, std::string& value, std::string_view help) = 0;
  virtual void on_text_list(std::string_view key, std::vector<std::string>& values,
                            std::string_view help) = 0;
  virtual void on_integer_list(std::string_view key, std::vector<std::uint64_t>& values,
                               const IntegerRule& rule) = 0;
  virtual void on_number_list(std::string_view key, std::vector<double>& values, const NumberRule& rule) = 0;
  virtual void on_object(std::string_view key, std::string_view help, const Visit& visit) = 0;
  virtual void on_list(std::string_view key, std::string_view help, std::size_t size,
                       const std::function<void(std::size_t)>& resize,
                       const std::function<void(std::size_t, Fields&)>& visit) = 0;
  virtual void on_preset(std::string_view kind, std::string& value) = 0;
  virtual void on_broken_rule(std::string_view key, const std::string& message) = 0;
};

}  // namespace mesim
