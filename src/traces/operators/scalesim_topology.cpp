#include "traces/operators/scalesim_topology.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <optional>
#include <string_view>

#include "sim/error.hpp"
#include "sim/nearest.hpp"
#include "traces/byte_source.hpp"
#include "traces/source_error.hpp"

namespace mesim {
namespace {

struct Field {
  std::string_view text;  // without blanks around it
  std::size_t column = 0;
};

constexpr std::array<const char*, 7> conv_columns = {
    "ifmap height", "ifmap width", "filter height", "filter width", "channels", "filters", "stride"};
constexpr std::array<const char*, 3> gemm_columns = {"M", "N", "K"};
constexpr std::uint64_t most = 1'000'000'000;

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

std::vector<Field> fields_of(std::string_view line) {
  std::vector<Field> fields;
  const auto blank = [](char c) { return c == ' ' || c == '\r' || c == '\t'; };
  const char separator = line.find(',') != std::string_view::npos ? ',' : '\t';
  for (std::size_t at = 0; at <= line.size();) {
    const std::size_t end = std::min(line.find(separator, at), line.size());
    std::size_t first = at;
    std::size_t last = end;
    while (first < last && blank(line[first])) ++first;
    while (last > first && blank(line[last - 1])) --last;
    fields.push_back({line.substr(first, last - first), first + 1});
    at = end + 1;
  }
  while (!fields.empty() && fields.back().text.empty()) fields.pop_back();
  return fields;
}

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

class TopologyReader {
 public:
  TopologyReader(std::string path, const std::vector<std::string>& symbols) : path_(std::move(path)) {
    for (const std::string& symbol : symbols) {
      const std::size_t equals = symbol.find('=');
      const auto value =
          equals == std::string::npos ? std::nullopt : number(std::string_view(symbol).substr(equals + 1));
      if (!value) {
        throw bad_input({path_}, fmt::format("the symbol '{}' has no value, expected NAME=NUMBER", symbol));
      }
      names_.push_back(symbol.substr(0, equals));
      values_.push_back(*value);
    }
  }

  std::vector<OperatorLayer> read(std::string_view text) {
    constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
    if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
    for (line_ = 1; !text.empty(); ++line_) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      row(fields_of(text.substr(0, end)));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    if (layers_.empty()) throw bad_input({path_}, "no layer in it, expected lines of a name and numbers");
    return std::move(layers_);
  }

 private:
  void row(const std::vector<Field>& fields) {
    if (line_ == 1) return header(fields);
    // A row of nothing, or the title of a section.
    if (std::count_if(fields.begin(), fields.end(), [](const Field& f) { return !f.text.empty(); }) <= 1)
      return;
    // A comma too few or too many (`1, ,1 2, 2`): the numbers by themselves may still be as many as a layer
    // has.
    if (!gemm_ && slipped(fields)) {
      const std::vector<Field> apart = numbers_apart(fields);
      if (apart.size() == conv_columns.size() + 1) return row(apart);
    }
    OperatorLayer layer;
    layer.name = std::string(fields[0].text);
    if (gemm_) {
      layer.shape = GemmShape{1, at(fields, 1, gemm_columns[0]), at(fields, 2, gemm_columns[1]),
                              at(fields, 3, gemm_columns[2])};
    } else {
      layer.shape = convolution(fields);
    }
    const std::size_t ratio = gemm_ ? 4 : 8;
    if (fields.size() > ratio) sparsity(fields[ratio], layer);
    layers_.push_back(std::move(layer));
  }

  // Whether a number is missing, or two stand in one field.
  static bool slipped(const std::vector<Field>& fields) {
    for (std::size_t i = 1; i < std::min(fields.size(), conv_columns.size() + 1); ++i) {
      if (fields[i].text.empty() || fields[i].text.find(' ') != std::string_view::npos) return true;
    }
    return false;
  }
  static std::vector<Field> numbers_apart(const std::vector<Field>& fields) {
    std::vector<Field> out = {fields[0]};
    for (std::size_t i = 1; i < fields.size(); ++i) {
      std::string_view rest = fields[i].text;
      std::size_t column = fields[i].column;
      while (!rest.empty()) {
        const std::size_t end = std::min(rest.find(' '), rest.size());
        if (end != 0) out.push_back({rest.substr(0, end), column});
        rest.remove_prefix(std::min(end + 1, rest.size()));
        column += end + 1;
      }
    }
    return out;
  }

  void header(const std::vector<Field>& fields) {
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (lower(fields[i].text).find("batch") != std::string::npos) batch_ = i;
    }
    gemm_ = fields.size() > 3 && lower(fields[1].text) == "m" && lower(fields[2].text) == "n" &&
            lower(fields[3].text) == "k";
    const bool numbers = fields.size() > 1 && number(fields[1].text).has_value();
    if (fields.size() < 4 || numbers) {
      throw bad_input({path_, 1, 1},
                      "no line of titles, expected 'Layer name, IFMAP Height, IFMAP Width, Filter "
                      "Height, Filter Width, Channels, Num Filter, Strides,' or 'Layer, M, N, K,'");
    }
  }

  ConvShape convolution(const std::vector<Field>& fields) const {
    ConvShape conv;
    std::uint64_t* const members[] = {&conv.height,   &conv.width,   &conv.filter_height, &conv.filter_width,
                                      &conv.channels, &conv.filters, &conv.stride};
    for (std::size_t i = 0; i < conv_columns.size(); ++i) *members[i] = at(fields, i + 1, conv_columns[i]);
    if (batch_ != 0 && batch_ < fields.size()) conv.batch = at(fields, batch_, "batch size");
    conv.depthwise = fields[0].text.find("DP") != std::string_view::npos;
    const auto fits = [&](std::uint64_t filter, std::uint64_t input, std::size_t column, const char* what) {
      if (filter <= input) return;
      throw bad_input(
          position(fields[column]),
          fmt::format("the {} is {}, expected at most that of the input, {}", what, filter, input));
    };
    fits(conv.filter_height, conv.height, 3, "filter's height");
    fits(conv.filter_width, conv.width, 4, "filter's width");
    return conv;
  }

  std::uint64_t at(const std::vector<Field>& fields, std::size_t index, const char* what) const {
    if (index >= fields.size() || fields[index].text.empty()) {
      const Field& last = fields[std::min(index, fields.size() - 1)];
      throw bad_input(position(last),
                      fmt::format("no {}: the layer '{}' ends early, expected {} numbers", what,
                                  fields[0].text, gemm_ ? gemm_columns.size() : conv_columns.size()));
    }
    const Field& field = fields[index];
    auto value = number(field.text);
    if (!value) value = symbol(field, what);
    if (*value == 0 || *value > most) {
      throw bad_input(position(field), fmt::format("{} is {}, expected 1 to {}", what, *value, most));
    }
    return *value;
  }

  std::optional<std::uint64_t> symbol(const Field& field, const char* what) const {
    const auto named = std::find(names_.begin(), names_.end(), field.text);
    if (named != names_.end()) return values_[static_cast<std::size_t>(named - names_.begin())];
    throw bad_input(position(field),
                    fmt::format("{}: found '{}', expected a number, or a symbol with a value given: "
                                "workload.parameters=[\"{}=1\"]{}",
                                what, field.text, field.text, did_you_mean(field.text, names_)));
  }

  // "2:4". Anything else there is one of the columns that some files have beside.
  void sparsity(const Field& field, OperatorLayer& layer) const {
    const std::size_t colon = field.text.find(':');
    if (colon == std::string_view::npos) return;
    const auto kept = number(field.text.substr(0, colon));
    const auto of = number(field.text.substr(colon + 1));
    if (!kept || !of || *kept == 0 || *kept > *of || *of > 1024) {
      throw bad_input(position(field),
                      fmt::format("sparsity: found '{}', expected N:M with 1 <= N <= M <= 1024", field.text));
    }
    layer.kept = static_cast<std::uint32_t>(*kept);
    layer.of = static_cast<std::uint32_t>(*of);
  }

  Position position(const Field& field) const { return {path_, line_, field.column}; }

  std::string path_;
  std::vector<std::string> names_;
  std::vector<std::uint64_t> values_;
  std::vector<OperatorLayer> layers_;
  std::uint64_t line_ = 1;
  std::size_t batch_ = 0;  // its column, 0 if there is none
  bool gemm_ = false;
};

}  // namespace

std::vector<OperatorLayer> parse_scalesim_topology(const std::string& text, const std::string& path,
                                                   const std::vector<std::string>& symbols) {
  return TopologyReader(path, symbols).read(text);
}

std::vector<OperatorLayer> read_scalesim_topology(const std::string& path,
                                                  const std::vector<std::string>& symbols) {
  const auto source = open_bytes(path);
  std::string text;
  std::array<char, 1 << 14> block;
  while (const std::size_t size = read_or_fail(*source, path, block.data(), block.size(), 0)) {
    text.append(block.data(), size);
  }
  return parse_scalesim_topology(text, path, symbols);
}

}  // namespace mesim
