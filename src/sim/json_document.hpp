// JSON text -> a tree in which every key and value knows where it stands, and numbers keep the text they were
// written as, so that a reader can refuse what it would have to round. Accepts // and /* */ comments, CRLF
// and a byte-order mark; refuses duplicate keys (RFC 8259 leaves them open) and what is beyond the limits
// below.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim/error.hpp"

namespace mesim {

inline constexpr std::size_t json_nesting_limit = 64;
inline constexpr std::size_t json_bytes_limit = 64u << 20;
inline constexpr std::size_t json_values_limit = 4'000'000;  // bounds the memory of the tree, about 0.6 GB

// What was read: a file, or an override of the command line.
struct JsonSource {
  std::string label;        // as it begins error messages: the path, or `l1d.ways=8`
  std::string folder;       // what relative paths in it are relative to; empty: the working directory
  std::uint64_t order = 0;  // of two errors the one in the source with the lower order comes first
  bool from_command_line = false;
};

struct JsonPlace {
  std::shared_ptr<const JsonSource> source;
  std::uint32_t line = 0;    // from 1; 0 on the command line
  std::uint32_t column = 0;  // from 1, in characters
  Position position() const { return {source ? source->label : std::string(), line, column}; }
  bool before(const JsonPlace& other) const;
};

struct JsonMember;

struct JsonValue {
  enum class Kind : std::uint8_t { null, boolean, number, string, list, object };
  Kind kind = Kind::null;
  bool boolean = false;
  JsonPlace at;
  std::string text;                 // of a string its value, of a number the characters in the file
  std::vector<JsonValue> items;     // of a list
  std::vector<JsonMember> members;  // of an object, in file order

  JsonMember* find(std::string_view key);
  const JsonMember* find(std::string_view key) const;
};

struct JsonMember {
  std::string key;
  JsonPlace at;
  JsonValue value;
};

enum class JsonComments { accepted, refused };

// Parses `text`. Throws bad_input with the place.
JsonValue parse_json(std::string_view text, std::shared_ptr<const JsonSource> source,
                     JsonComments comments = JsonComments::accepted);

// The whole of a file. Throws file_error when it cannot be read or is a folder, bad_input beyond the limit.
std::string read_json_file(const std::string& path, std::size_t bytes_limit = json_bytes_limit);

// The value as compact JSON text.
std::string json_text(const JsonValue& value);

// "4.9", "'abc'", "a list", ...: a value as an error message shows it.
std::string describe(const JsonValue& value);

// Text as an error message shows it: cut to 40 characters, control characters replaced.
std::string shown(std::string_view text);

// `key` as one more step of a JSON pointer (RFC 6901).
std::string pointer_step(std::string_view key);

}  // namespace mesim
