#include "app/report/scalesim_reports.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <variant>

#include "accel/element_type.hpp"

namespace mesim {
namespace {

using Json = nlohmann::ordered_json;

struct Operand {
  const char* title;     // in the report of accesses
  const char* in_rates;  // in that of rates
  const char* name;      // in the result
  bool written;
};
constexpr Operand operands[] = {{"IFMAP", "IFMAP", "ifmap", false},
                                {"Filter", "FILTER", "filter", false},
                                {"OFMAP", "OFMAP", "ofmap", true}};

std::uint64_t figure(const Json& group, const char* name) {
  return group.contains(name) ? group.at(name).get<std::uint64_t>() : 0;
}

// Multipliers that work, of all while operands stream: what edges of folds and the way through the array
// leave.
double compute_percent(const Json& layer) {
  const Json& cycles = layer.at("multiplier_cycles");
  const double useful = cycles.at("useful").get<double>();
  const double others = cycles.at("fold_edges").get<double>() + cycles.at("drain").get<double>();
  return useful > 0 ? 100 * useful / (useful + others) : 0;
}

std::uint64_t memory_words(const Json& layer, const Operand& operand, std::uint64_t element_bits) {
  return figure(layer.at(operand.name), operand.written ? "written_bytes" : "read_bytes") * 8 / element_bits;
}

std::uint64_t buffer_words(const Json& layer, const Operand& operand) {
  return figure(layer.at("buffers").at(operand.name), operand.written ? "writes" : "reads");
}

// SCALE-Sim says of a read in which cycle its word has come, of a write in which cycle it goes.
struct Span {
  std::uint64_t start = 0;
  std::uint64_t stop = 0;
};
Span numbered(std::uint64_t begin, std::uint64_t end, const Operand& operand) {
  if (operand.written) return {begin, std::max(begin + 1, end) - 1};
  return {begin + 1, std::max(begin + 1, end)};
}
Span buffer_span(const Json& layer, const Operand& operand) {
  const Json& buffer = layer.at("buffers").at(operand.name);
  return numbered(figure(buffer, "begin_cycle"), figure(buffer, "end_cycle"), operand);
}
Span memory_span(const Json& layer, const Operand& operand) {
  const Json& moved = layer.at(operand.name);
  return numbered(figure(moved, operand.written ? "write_begin_cycle" : "read_begin_cycle"),
                  figure(moved, operand.written ? "write_end_cycle" : "read_end_cycle"), operand);
}

// A column of a report: its title, and what stands in it for a layer.
struct Column {
  std::string title;
  std::function<std::variant<std::uint64_t, double>(const Json& layer)> value;
};

std::string table(const std::vector<Column>& columns, const Json& layers) {
  std::string text = "LayerID,";
  for (const Column& column : columns) text += fmt::format(" {},", column.title);
  std::size_t number = 0;
  for (const auto& [name, layer] : layers.items()) {
    text += fmt::format("\n{},", number++);
    for (const Column& column : columns) {
      const auto value = column.value(layer);
      if (const auto* count = std::get_if<std::uint64_t>(&value)) {
        text += fmt::format(" {},", *count);
      } else {
        text += fmt::format(" {:.6g},", std::get<double>(value));
      }
    }
  }
  return text + "\n";
}

std::vector<Column> compute_columns() {
  const auto total = [](const Json& layer) { return figure(layer, "cycles"); };
  return {
      {"Total Cycles (incl. prefetch)", total},
      {"Total Cycles", [=](const Json& layer) { return total(layer) - 1; }},
      {"Stall Cycles", [](const Json& layer) { return figure(layer, "stall_cycles"); }},
      {"Overall Util %", [](const Json& layer) { return layer.at("utilisation_percent").get<double>(); }},
      {"Mapping Efficiency %", [](const Json& layer) { return layer.at("mapping_percent").get<double>(); }},
      {"Compute Util %", compute_percent}};
}

std::vector<Column> bandwidth_columns(std::uint64_t element_bits) {
  std::vector<Column> columns;
  const auto add = [&](const char* level, const Operand& operand, auto words_of) {
    columns.push_back({fmt::format("Avg {} {} BW", operand.in_rates, level), [=](const Json& layer) {
                         return static_cast<double>(words_of(layer, operand)) /
                                static_cast<double>(figure(layer, "cycles") - 1);
                       }});
  };
  for (const Operand& operand : operands) add("SRAM", operand, buffer_words);
  for (const Operand& operand : operands) {
    add("DRAM", operand,
        [=](const Json& layer, const Operand& moved) { return memory_words(layer, moved, element_bits); });
  }
  return columns;
}

std::vector<Column> access_columns(std::uint64_t element_bits) {
  std::vector<Column> columns;
  const auto add = [&](const char* level, const Operand& operand, auto span_of, auto words_of) {
    const auto title = [&](const char* what) { return fmt::format("{} {} {}", level, operand.title, what); };
    columns.push_back(
        {title("Start Cycle"), [=](const Json& layer) { return span_of(layer, operand).start; }});
    columns.push_back({title("Stop Cycle"), [=](const Json& layer) { return span_of(layer, operand).stop; }});
    columns.push_back({title(operand.written ? "Writes" : "Reads"),
                       [=](const Json& layer) { return words_of(layer, operand); }});
  };
  for (const Operand& operand : operands) add("SRAM", operand, buffer_span, buffer_words);
  for (const Operand& operand : operands) {
    add("DRAM", operand, memory_span,
        [=](const Json& layer, const Operand& moved) { return memory_words(layer, moved, element_bits); });
  }
  return columns;
}

// int4 takes half of accel.operand_bytes.
std::uint64_t bits_of_an_element(const Json& config) {
  const auto type = accel::element_type(config.at("workload").at("dtype").get<std::string>());
  const std::uint64_t bits = accel::format_of(type).bits;
  return type == accel::ElementType::raw ? 8 * config.at("accel").at("operand_bytes").get<std::uint64_t>()
                                         : bits;
}

}  // namespace

std::vector<NamedText> scalesim_reports(const Json& result) {
  const Json& stats = result.at("stats");
  if (!stats.contains("layers")) return {};
  const Json& layers = stats.at("layers");
  const auto element_bits = bits_of_an_element(result.at("config"));
  return {{"COMPUTE_REPORT.csv", table(compute_columns(), layers)},
          {"BANDWIDTH_REPORT.csv", table(bandwidth_columns(element_bits), layers)},
          {"DETAILED_ACCESS_REPORT.csv", table(access_columns(element_bits), layers)}};
}

}  // namespace mesim
