// A config struct with a field of every kind, for tests of reader, writer, schema and explanations.
#pragma once
#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/error.hpp"
#include "sim/fields.hpp"
#include "sim/units.hpp"

namespace mesim::test {

struct SampleCache {
  std::string preset;
  std::uint64_t size_bytes = 32 * KiB;
  std::uint32_t ways = 8;
  std::uint32_t line_bytes = 64;
  std::string policy = "lru";
  bool inclusive = false;
  void fields(Fields& f) {
    f.preset("sample", preset);
    f.integer("size_bytes", size_bytes, {.min = 64, .max = GiB, .unit = "bytes", .help = "data capacity"});
    f.integer("ways", ways, {.min = 1, .max = 64, .help = "associativity"});
    f.integer("line_bytes", line_bytes,
              {.min = 16, .max = 256, .power_of_two = true, .unit = "bytes", .help = "bytes of a line"});
    f.choice("policy", policy, {"lru", "random", "fifo"}, "which way a fill evicts");
    f.flag("inclusive", inclusive, "holds what the inner levels hold");
    f.require("size_bytes", size_bytes % (ways * line_bytes) == 0, [&] {
      return fmt::format("{} bytes are not a multiple of {} ways x {} bytes", size_bytes, ways, line_bytes);
    });
  }
};

struct SampleEntry {
  std::string at;
  std::optional<std::uint64_t> limit;
  void fields(Fields& f) {
    f.text("at", at, "what the entry looks at");
    f.optional_integer("limit", limit, {.min = 1, .help = "the most it may be"});
  }
};

struct Sample {
  std::string name = "unnamed";
  InputPath input;
  SampleCache cache;
  double rate = 1.5;
  std::optional<double> share;
  std::uint8_t small = 3;
  std::string any;
  std::vector<std::string> words;
  std::vector<std::uint64_t> sizes;
  std::vector<double> factors = {1, 2.5};
  std::vector<SampleEntry> list;
  void fields(Fields& f) {
    f.text("name", name, "of the run");
    f.path("input", input, "a file to read");
    f.object("cache", cache, "the only cache");
    f.number("rate", rate, {.max = 1000, .unit = "gbps", .help = "how fast"});
    f.optional_number("share", share, {.max = 1, .help = "of the whole"});
    f.integer("small", small, {.help = "fits a byte"});
    f.json("any", any, "anything");
    f.text_list("words", words, "some words");
    f.integer_list("sizes", sizes, {.max = 1u << 20, .unit = "bytes", .help = "some sizes"});
    f.number_list("factors", factors, {.help = "some factors"});
    f.list("list", list, "some entries");
  }
};

// The message and nothing else; empty when nothing was thrown.
template <class Action>
std::string message_of(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace mesim::test
