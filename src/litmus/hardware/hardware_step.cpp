#include "litmus/hardware/hardware_step.hpp"

#include <fmt/format.h>

#include <array>

namespace mesim::litmus {

std::string_view kind_name(HardwareStep::Kind kind) {
  static constexpr std::array<std::string_view, 6> names = {"message", "arrival", "line",
                                                            "buffer",  "load",    "wrong"};
  return names[static_cast<std::size_t>(kind)];
}

std::string step_line(const HardwareTrace& trace, const HardwareStep& step) {
  using Kind = HardwareStep::Kind;
  const std::string& who = trace.participants[step.at];
  const std::string at =
      fmt::format("{} cycle {}: {}", step.kind == Kind::wrong ? '!' : ' ', step.cycle, who);
  if (step.kind == Kind::arrival) return fmt::format("{} gets {}", at, step.text);
  if (step.kind != Kind::message) return fmt::format("{}: {}", at, step.text);
  return fmt::format("{} -> {}: {}", at,
                     step.other == HardwareStep::everyone ? "everyone" : trace.participants[step.other],
                     step.text);
}

std::vector<std::string> trace_lines(const HardwareTrace& trace) {
  std::vector<std::string> lines;
  for (const HardwareStep& step : trace.steps) lines.push_back(step_line(trace, step));
  return lines;
}

}  // namespace mesim::litmus
