#include "app/report/scalesim_reports.hpp"

#include <fmt/format.h>

#include "accel/element_type.hpp"

namespace mesim {
namespace {

using Json = nlohmann::ordered_json;

struct Operand {
  const char* title;  // of the columns
  const char* name;   // in the result
  bool written;
};
constexpr Operand operands[] = {
    {"IFMAP", "ifmap", false}, {"Filter", "filter", false}, {"OFMAP", "ofmap", true}};

std::uint64_t figure(const Json& group, const char* name) {
  return group.contains(name) ? group.at(name).get<std::uint64_t>() : 0;
}

class Table {
 public:
  explicit Table(std::string head) : text_(std::move(head)) { text_ += '\n'; }
  void begin(std::size_t layer) { text_ += fmt::format("{}, ", layer); }
  void cell(std::uint64_t value) { text_ += fmt::format("{}, ", value); }
  void cell(double value) { text_ += fmt::format("{:.6g}, ", value); }
  void end() { text_.back() = '\n'; }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// Multipliers that work, of all while operands stream: what edges of folds and the way through the array
// leave.
double compute_percent(const Json& layer) {
  const Json& cycles = layer.at("multiplier_cycles");
  const double useful = cycles.at("useful").get<double>();
  const double others = cycles.at("fold_edges").get<double>() + cycles.at("drain").get<double>();
  return useful > 0 ? 100 * useful / (useful + others) : 0;
}

std::string compute_report(const Json& layers) {
  Table table(
      "LayerID, Total Cycles (incl. prefetch), Total Cycles, Stall Cycles, Overall Util %, Mapping "
      "Efficiency %, "
      "Compute Util %,");
  std::size_t number = 0;
  for (const auto& [name, layer] : layers.items()) {
    table.begin(number++);
    table.cell(figure(layer, "cycles"));
    table.cell(figure(layer, "cycles") - 1);
    table.cell(figure(layer, "stall_cycles"));
    table.cell(layer.at("utilisation_percent").get<double>());
    table.cell(layer.at("mapping_percent").get<double>());
    table.cell(compute_percent(layer));
    table.end();
  }
  return table.text();
}

std::uint64_t memory_words(const Json& layer, const Operand& operand, std::uint64_t element_bits) {
  return figure(layer.at(operand.name), operand.written ? "written_bytes" : "read_bytes") * 8 / element_bits;
}

std::uint64_t buffer_words(const Json& layer, const Operand& operand) {
  return figure(layer.at("buffers").at(operand.name), operand.written ? "writes" : "reads");
}

std::string bandwidth_report(const Json& layers, std::uint64_t element_bits) {
  Table table(
      "LayerID, Avg IFMAP SRAM BW, Avg FILTER SRAM BW, Avg OFMAP SRAM BW, Avg IFMAP DRAM BW, Avg FILTER DRAM "
      "BW, "
      "Avg OFMAP DRAM BW,");
  std::size_t number = 0;
  for (const auto& [name, layer] : layers.items()) {
    const auto cycles = static_cast<double>(figure(layer, "cycles") - 1);
    table.begin(number++);
    for (const Operand& operand : operands) {
      table.cell(static_cast<double>(buffer_words(layer, operand)) / cycles);
    }
    for (const Operand& operand : operands) {
      table.cell(static_cast<double>(memory_words(layer, operand, element_bits)) / cycles);
    }
    table.end();
  }
  return table.text();
}

std::string access_report(const Json& layers, std::uint64_t element_bits) {
  std::string head = "LayerID,";
  for (const char* level : {"SRAM", "DRAM"}) {
    for (const Operand& operand : operands) {
      head += fmt::format(" {0} {1} Start Cycle, {0} {1} Stop Cycle, {0} {1} {2},", level, operand.title,
                          operand.written ? "Writes" : "Reads");
    }
  }
  Table table(head);
  std::size_t number = 0;
  for (const auto& [name, layer] : layers.items()) {
    table.begin(number++);
    for (const Operand& operand : operands) {
      const Json& buffer = layer.at("buffers").at(operand.name);
      table.cell(figure(buffer, "begin_cycle") + 1);
      table.cell(figure(buffer, "end_cycle"));
      table.cell(buffer_words(layer, operand));
    }
    for (const Operand& operand : operands) {
      const Json& moved = layer.at(operand.name);
      table.cell(figure(moved, operand.written ? "write_begin_cycle" : "read_begin_cycle") + 1);
      table.cell(figure(moved, operand.written ? "write_end_cycle" : "read_end_cycle"));
      table.cell(memory_words(layer, operand, element_bits));
    }
    table.end();
  }
  return table.text();
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
  return {{"COMPUTE_REPORT.csv", compute_report(layers)},
          {"BANDWIDTH_REPORT.csv", bandwidth_report(layers, element_bits)},
          {"DETAILED_ACCESS_REPORT.csv", access_report(layers, element_bits)}};
}

}  // namespace mesim
