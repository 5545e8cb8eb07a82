#include "sim/config_scalars.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>

#include "sim/nearest.hpp"

namespace mesim {
namespace {

using Kind = JsonValue::Kind;

Error wrong(const JsonValue& value, const std::string& pointer, const std::string& expected) {
  return bad_input(value.at.position(), pointer,
                   fmt::format("found {}, expected {}", describe(value), expected));
}

std::optional<std::uint64_t> parse_unsigned(std::string_view digits) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return error == std::errc() && end == digits.data() + digits.size() ? std::optional(number) : std::nullopt;
}

// "32K" -> 32768; a string without a suffix is not a size.
std::optional<std::uint64_t> parse_size(std::string_view text) {
  const std::string_view suffixes = "KMGT";
  if (text.empty()) return std::nullopt;
  const auto suffix = suffixes.find(static_cast<char>(std::toupper(static_cast<unsigned char>(text.back()))));
  if (suffix == std::string_view::npos) return std::nullopt;
  const auto count = parse_unsigned(text.substr(0, text.size() - 1));
  const unsigned shift = 10 * (static_cast<unsigned>(suffix) + 1);
  if (!count || *count > (std::uint64_t{0} - 1) >> shift) return std::nullopt;
  return *count << shift;
}

// "; the nearest are 32 and 64", within the range.
std::string nearest_powers(std::uint64_t number, const IntegerRule& rule) {
  const std::uint64_t low = number == 0 ? 1 : std::bit_floor(number);
  const std::uint64_t high = low > (std::uint64_t{1} << 62) ? low : low * 2;
  const auto legal = [&rule](std::uint64_t power) { return power >= rule.min && power <= rule.max; };
  if (number != 0 && legal(low) && legal(high)) return fmt::format("; the nearest are {} and {}", low, high);
  if (legal(low)) return fmt::format("; the nearest is {}", low);
  if (legal(high)) return fmt::format("; the nearest is {}", high);
  return "";
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

bool from_command_line(const JsonValue& value) {
  return value.at.source && value.at.source->from_command_line;
}

// A word of the command line that happens to be JSON (`name=2024`, `name=true`) is still that word.
std::optional<std::string> as_word(const JsonValue& value) {
  if (value.kind == Kind::string) return value.text;
  const bool scalar = value.kind == Kind::number || value.kind == Kind::boolean || value.kind == Kind::null;
  return from_command_line(value) && scalar ? std::optional(json_text(value)) : std::nullopt;
}

}  // namespace

std::string expected_integer(const IntegerRule& rule) {
  const std::string unit = rule.unit.empty() ? "" : fmt::format(" of {}", rule.unit);
  const std::string what = rule.power_of_two ? "a power of two" : "an integer";
  if (rule.max >= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    return rule.min == 0 ? fmt::format("{}{}, at least 0", what, unit)
                         : fmt::format("{}{}, at least {}", what, unit, rule.min);
  }
  return fmt::format("{}{} from {} to {}", what, unit, rule.min, rule.max);
}

std::string expected_number(const NumberRule& rule) {
  const double unbounded = std::numeric_limits<double>::max();
  const std::string unit = rule.unit.empty() ? "" : fmt::format(" of {}", rule.unit);
  if (rule.max >= unbounded && rule.min <= -unbounded) return "a number" + unit;
  if (rule.max >= unbounded) return fmt::format("a number{}, at least {}", unit, rule.min);
  if (rule.min <= -unbounded) return fmt::format("a number{}, at most {}", unit, rule.max);
  return fmt::format("a number{} from {} to {}", unit, rule.min, rule.max);
}

std::uint64_t to_integer(const JsonValue& value, const std::string& pointer, const IntegerRule& rule) {
  std::optional<std::uint64_t> number;
  if (value.kind == Kind::number) number = parse_unsigned(value.text);
  const bool sized = rule.unit == "bytes";
  if (value.kind == Kind::string && sized) number = parse_size(value.text);
  if (!number || *number < rule.min || *number > rule.max) {
    const char* forms = sized && value.kind == Kind::string ? " (a size such as \"32K\", \"4M\")" : "";
    throw wrong(value, pointer, expected_integer(rule) + forms);
  }
  if (rule.power_of_two && !std::has_single_bit(*number)) {
    throw wrong(value, pointer, expected_integer(rule) + nearest_powers(*number, rule));
  }
  return *number;
}

double to_number(const JsonValue& value, const std::string& pointer, const NumberRule& rule) {
  if (value.kind != Kind::number) throw wrong(value, pointer, expected_number(rule));
  double number = 0;
  const char* const end = value.text.data() + value.text.size();
  const auto [stop, error] = std::from_chars(value.text.data(), end, number);
  if (error != std::errc() || stop != end || !(number >= rule.min && number <= rule.max)) {
    throw wrong(value, pointer, expected_number(rule));
  }
  // A long integer that a double would round is not what was written.
  const auto whole = parse_unsigned(value.text);
  const double two_to_64 = 18446744073709551616.0;
  if (whole && (number >= two_to_64 || static_cast<std::uint64_t>(number) != *whole)) {
    throw wrong(value, pointer, fmt::format("{} that a double holds exactly", expected_number(rule)));
  }
  return number;
}

bool to_flag(const JsonValue& value, const std::string& pointer) {
  if (value.kind != Kind::boolean) throw wrong(value, pointer, "true or false");
  return value.boolean;
}

std::string to_text(const JsonValue& value, const std::string& pointer) {
  const auto word = as_word(value);
  if (!word) throw wrong(value, pointer, "a string");
  return *word;
}

std::string to_choice(const JsonValue& value, const std::string& pointer,
                      const std::vector<std::string>& names) {
  const std::string expected = "one of " + fmt::format("{}", fmt::join(names, ", "));
  const auto word = as_word(value);
  if (!word) throw wrong(value, pointer, expected);
  const std::string wanted = lower(*word);
  for (const auto& name : names) {
    if (lower(name) == wanted) return name;
  }
  throw wrong(value, pointer, expected + did_you_mean(*word, names));
}

}  // namespace mesim
