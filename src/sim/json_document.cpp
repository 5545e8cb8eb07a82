#include "sim/json_document.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "sim/json_cursor.hpp"

namespace mesim {
namespace {

// The line of `offset` with a caret under it, for syntax errors, where the eye is the best judge.
std::string source_line(std::string_view text, std::size_t offset) {
  offset = std::min(offset, text.size());
  const auto newline = offset == 0 ? std::string_view::npos : text.rfind('\n', offset - 1);
  std::size_t begin = newline == std::string_view::npos ? 0 : newline + 1;
  std::size_t end = std::min(text.find('\n', begin), text.size());
  if (end > begin && text[end - 1] == '\r') --end;
  const std::size_t half = 36;  // fits 80 columns
  if (offset > begin + half) begin = offset - half;
  if (end > offset + half) end = offset + half;
  std::string line;
  for (const char c : text.substr(begin, end - begin)) line += c >= ' ' && c <= '~' ? c : ' ';
  return fmt::format("\n    {}\n    {:>{}}", line, '^', offset - begin + 1);
}

// Follows the events of nlohmann's parser, building the tree with the cursor's places.
class TreeBuilder : public nlohmann::json_sax<nlohmann::json> {
 public:
  TreeBuilder(std::string_view text, std::shared_ptr<const JsonSource> source)
      : text_(text), source_(std::move(source)), cursor_(text) {}

  JsonValue take() { return std::move(root_); }

  bool null() override {
    scalar(JsonValue::Kind::null);
    return true;
  }
  bool boolean(bool value) override {
    scalar(JsonValue::Kind::boolean).boolean = value;
    return true;
  }
  bool number_integer(number_integer_t) override { return number(); }
  bool number_unsigned(number_unsigned_t) override { return number(); }
  bool number_float(number_float_t, const string_t&) override { return number(); }
  bool string(string_t& value) override {
    scalar(JsonValue::Kind::string).text = std::move(value);
    return true;
  }
  bool binary(binary_t&) override { return false; }  // JSON text has none

  bool start_object(std::size_t) override { return open(JsonValue::Kind::object); }
  bool start_array(std::size_t) override { return open(JsonValue::Kind::list); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    const JsonPlace at = place();
    cursor_.token();
    auto& level = open_.back();
    const auto [first, fresh] = level.keys.try_emplace(name, at);
    level.value->members.push_back({std::move(name), at, {}});
    if (!fresh) {
      throw bad_input(
          at.position(), pointer(),
          fmt::format("the key stands twice, first at {}:{}", first->second.line, first->second.column));
    }
    return true;
  }

  bool parse_error(std::size_t position, const std::string& /*last_token*/,
                   const nlohmann::json::exception& error) override {
    cursor_.to_token();
    constexpr int number_overflow = 406;
    if (error.id == number_overflow) {
      const Position at = place().position();
      throw bad_input(
          at, next_pointer(),
          fmt::format("found {}, expected a number of magnitude at most 1.8e308", shown(cursor_.token())));
    }
    if (cursor_.at_end() && root_empty_) {
      throw bad_input({source_->label, 1, 1}, "nothing in it, expected a JSON object");
    }
    throw syntax_error(position, error.what());
  }

 private:
  struct Level {
    JsonValue* value;
    std::unordered_map<std::string, JsonPlace> keys;
  };

  JsonPlace place() {
    cursor_.to_token();
    return {source_, cursor_.line(), cursor_.column()};
  }

  // The place for the value that begins here.
  JsonValue& next() {
    if (++values_ > json_values_limit) {
      throw bad_input(place().position(), fmt::format("more than {} values", json_values_limit));
    }
    JsonValue* value = &root_;
    if (!open_.empty()) {
      JsonValue& parent = *open_.back().value;
      if (parent.kind == JsonValue::Kind::object) {
        value = &parent.members.back().value;
      } else {
        value = &parent.items.emplace_back();
      }
    }
    root_empty_ = false;
    value->at = place();
    return *value;
  }

  JsonValue& scalar(JsonValue::Kind kind) {
    JsonValue& value = next();
    value.kind = kind;
    cursor_.token();
    return value;
  }
  bool number() {
    JsonValue& value = next();
    value.kind = JsonValue::Kind::number;
    value.text = cursor_.token();
    return true;
  }

  bool open(JsonValue::Kind kind) {
    JsonValue& value = next();
    value.kind = kind;
    if (open_.size() == json_nesting_limit) {
      throw bad_input(value.at.position(), fmt::format("nested deeper than {} levels", json_nesting_limit));
    }
    cursor_.token();
    open_.push_back({&value, {}});
    return true;
  }
  bool close() {
    cursor_.to_token();
    cursor_.token();
    open_.pop_back();
    return true;
  }

  // Of the member or item at hand, and of the value that was to come.
  std::string pointer() const { return pointer_of(0); }
  std::string next_pointer() const { return pointer_of(1); }
  std::string pointer_of(std::size_t item_ahead) const {
    std::string text;
    for (const auto& level : open_) {
      const JsonValue& value = *level.value;
      const bool last = &level == &open_.back();
      if (value.kind == JsonValue::Kind::object) {
        if (!value.members.empty()) text += pointer_step(value.members.back().key);
      } else {
        text += fmt::format("/{}", value.items.size() - 1 + (last ? item_ahead : 0));
      }
    }
    return text;
  }

  Error syntax_error(std::size_t position, std::string what) {
    // The parser stands behind the token that it refused (or at the end of a comma too many).
    const std::size_t offset = std::min(cursor_.offset(), position == 0 ? 0 : position - 1);
    JsonCursor at(text_);
    at.advance_to(offset);
    const auto before = text_.find_last_not_of(" \t\r\n", offset == 0 ? 0 : offset - 1);
    const bool after_comma = offset > 0 && before != std::string_view::npos && text_[before] == ',';
    const char refused = offset < text_.size() ? text_[offset] : '\0';
    if (after_comma && (refused == '}' || refused == ']')) {
      what = fmt::format("trailing comma: found '{}' after ',', expected another {}", refused,
                         refused == '}' ? "key" : "value");
    } else if (offset >= text_.size()) {
      what = fmt::format("the text ends here, expected {}", open_.empty() ? "a value" : closing());
    } else {
      // "[json.exception.parse_error.101] parse error at line 1, column 8: syntax error while ... - WHAT"
      const auto dash = what.find(" - ");
      if (dash != std::string::npos) what.erase(0, dash + 3);
      const auto last = what.find("; last read: ");
      if (last != std::string::npos) {
        const auto end = what.find("; expected", last);
        what.erase(last, end == std::string::npos ? end : end - last);
      }
      what = "syntax error: " + what;
      if (what.size() > 200) what.resize(200);
    }
    return bad_input({source_->label, at.line(), at.column()}, what + source_line(text_, offset));
  }

  std::string closing() const {
    const JsonValue& value = *open_.back().value;
    return fmt::format("the '{}' of the '{}' at {}:{}", value.kind == JsonValue::Kind::object ? '}' : ']',
                       value.kind == JsonValue::Kind::object ? '{' : '[', value.at.line, value.at.column);
  }

  std::string_view text_;
  std::shared_ptr<const JsonSource> source_;
  JsonCursor cursor_;
  JsonValue root_;
  bool root_empty_ = true;
  std::size_t values_ = 0;
  std::vector<Level> open_;
};

void append_text(const JsonValue& value, std::string& out) {
  const auto quoted = [](const std::string& text) { return nlohmann::json(text).dump(); };
  const char* separator = "";
  switch (value.kind) {
    case JsonValue::Kind::null:
      out += "null";
      break;
    case JsonValue::Kind::boolean:
      out += value.boolean ? "true" : "false";
      break;
    case JsonValue::Kind::string:
      out += quoted(value.text);
      break;
    case JsonValue::Kind::number:
      out += value.text;
      break;
    case JsonValue::Kind::list:
      out += '[';
      for (const auto& item : value.items) {
        out += std::exchange(separator, ",");
        append_text(item, out);
      }
      out += ']';
      break;
    case JsonValue::Kind::object:
      out += '{';
      for (const auto& member : value.members) {
        out += std::exchange(separator, ",") + quoted(member.key) + ":";
        append_text(member.value, out);
      }
      out += '}';
      break;
  }
}

}  // namespace

bool JsonPlace::before(const JsonPlace& other) const {
  const auto mine = source ? source->order : 0;
  const auto theirs = other.source ? other.source->order : 0;
  return std::tie(mine, line, column) < std::tie(theirs, other.line, other.column);
}

JsonMember* JsonValue::find(std::string_view key) {
  for (auto& member : members) {
    if (member.key == key) return &member;
  }
  return nullptr;
}

const JsonMember* JsonValue::find(std::string_view key) const {
  return const_cast<JsonValue*>(this)->find(key);
}

JsonValue parse_json(std::string_view text, std::shared_ptr<const JsonSource> source, JsonComments comments) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  const auto nul = text.find('\0');  // which nlohmann takes for the end of the text
  if (nul != std::string_view::npos) {
    JsonCursor cursor(text);
    cursor.advance_to(nul);
    throw bad_input({source->label, cursor.line(), cursor.column()}, "found a NUL byte, expected JSON text");
  }
  TreeBuilder builder(text, source);
  const bool strict = true;
  nlohmann::json::sax_parse(text, &builder, nlohmann::json::input_format_t::json, strict,
                            comments == JsonComments::accepted);
  return builder.take();
}

std::string read_json_file(const std::string& path, std::size_t bytes_limit) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) throw file_error(path, "cannot be opened", errno);
  if (S_ISDIR(status.st_mode)) throw file_error(path, "is a folder, expected a file");
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!file) throw file_error(path, "cannot be opened", errno);
  std::string text;
  text.reserve(std::min<std::size_t>(static_cast<std::size_t>(status.st_size), bytes_limit));
  char block[65536];
  std::size_t got = 0;
  while ((got = std::fread(block, 1, sizeof block, file.get())) > 0) {
    text.append(block, got);
    if (text.size() > bytes_limit) {
      throw bad_input({path, 0, 0}, fmt::format("larger than the {} MiB allowed", bytes_limit >> 20));
    }
  }
  if (std::ferror(file.get()) != 0) throw file_error(path, "cannot be read", errno);
  return text;
}

std::string json_text(const JsonValue& value) {
  std::string text;
  append_text(value, text);
  return text;
}

std::string shown(std::string_view text) {
  const std::size_t longest = 40;
  std::string cut(text.substr(0, longest));
  if (text.size() > longest) {
    // Whole characters only: messages go into JSON documents.
    while (!cut.empty() && (static_cast<unsigned char>(cut.back()) & 0xC0) == 0x80) cut.pop_back();
    if (!cut.empty() && static_cast<unsigned char>(cut.back()) >= 0xC0) cut.pop_back();
    cut += "...";
  }
  for (char& c : cut) {
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7F) c = '?';
  }
  return cut;
}

std::string describe(const JsonValue& value) {
  switch (value.kind) {
    case JsonValue::Kind::null:
      return "null";
    case JsonValue::Kind::boolean:
      return value.boolean ? "true" : "false";
    case JsonValue::Kind::number:
      return shown(value.text);
    case JsonValue::Kind::string:
      return "'" + shown(value.text) + "'";
    case JsonValue::Kind::list:
      return "a list";
    case JsonValue::Kind::object:
      break;
  }
  return "an object";
}

std::string pointer_step(std::string_view key) {
  std::string step = "/";
  for (const char c : key) {
    if (c == '~') {
      step += "~0";
    } else if (c == '/') {
      step += "~1";
    } else {
      step += c;
    }
  }
  return step;
}

}  // namespace mesim
