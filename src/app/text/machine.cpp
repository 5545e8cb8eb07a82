#include "app/text/machine.hpp"

#include <fmt/format.h>

#include <cctype>
#include <nlohmann/json.hpp>

#include "app/text_table.hpp"
#include "sim/statistics.hpp"

namespace mesim {
namespace {

using Json = nlohmann::ordered_json;

// Where an accelerator's operands come from: "ddr4-3200", or how it is modelled: "ideal", "bandwidth".
std::string accelerator_memory(const Json& config) {
  const auto kind = config.at("accel").at("dma").at("memory").get<std::string>();
  if (kind != "dram") return kind;
  const Json& preset = config.at("memory").value("preset", Json());
  return preset.is_string() ? preset.get<std::string>() : kind;
}

std::string accelerator_text(const Json& config) {
  const Json& accel = config.at("accel");
  const int arrays = accel.at("arrays").get<int>();
  return fmt::format("{} array{} of {} x {}, dataflow {}, memory {}", arrays, arrays == 1 ? "" : "s",
                     accel.at("rows").get<int>(), accel.at("columns").get<int>(),
                     accel.at("dataflow").get<std::string>(), accelerator_memory(config));
}

// "ddr4-3200, 1 channel, mapping A, fr-fcfs, rows open"
std::string dram_text(const Json& config) {
  const Json& memory = config.at("memory");
  const Json& preset = memory.value("preset", Json());
  const int channels = memory.at("organisation").at("channels").get<int>();
  const Json& controller = memory.at("controller");
  return fmt::format("{}, {} channel{}, mapping {}, {}, rows {}",
                     preset.is_string() ? preset.get<std::string>() : memory.at("family").get<std::string>(),
                     channels, channels == 1 ? "" : "s", memory.at("mapping").get<std::string>(),
                     controller.at("scheduler").get<std::string>(), controller.at("rows").get<std::string>());
}

std::string cores_text(const Json& config) {
  const auto cores = config.at("cores").at("count").get<std::uint64_t>();
  const Json& coherence = config.at("coherence");
  std::string out = fmt::format("{} core{}, {} on a {}", cores, cores == 1 ? "" : "s",
                                coherence.at("protocol").get<std::string>(),
                                coherence.at("interconnect").get<std::string>());
  for (const auto& [name, part] : config.items()) {
    if (!part.is_object() || !part.contains("ways") || !part.contains("size_bytes")) continue;
    if (part.contains("enabled") && !part.at("enabled").get<bool>()) continue;
    std::string upper = name;
    for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    out +=
        fmt::format(", {} {} {}-way with {} B lines", upper, bytes_text(part.at("size_bytes").get<double>()),
                    part.at("ways").get<std::uint64_t>(), part.at("line_bytes").get<std::uint64_t>());
  }
  return out + ", order " + config.at("order").get<std::string>();
}

}  // namespace

std::string machine_text(const Json& config) {
  if (!config.contains("cores")) return "";
  const Json& order = config.at("order");
  if (order == "accelerator") return accelerator_text(config);
  if (order == "memory") return dram_text(config);
  return cores_text(config);
}

}  // namespace mesim
