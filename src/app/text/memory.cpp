#include <fmt/format.h>

#include "app/text/counts.hpp"
#include "app/text/sections.hpp"

namespace mesim::text {
namespace {

std::string latency(const Json& ns) {
  return fmt::format("mean {}, half below {}, 99 % below {}, longest {}",
                     time_text(ns.at("mean").get<double>()), time_text(ns.at("p50").get<double>()),
                     time_text(ns.at("p99").get<double>()), time_text(ns.at("max").get<double>()));
}

}  // namespace

std::string memory(const Json& result) {
  const Json& stats = result.at("stats");
  if (!stats.contains("memory") || !stats.at("memory").contains("row_hits")) return "";
  const Json& memory = stats.at("memory");
  const double rows = static_cast<double>(count(memory, "row_hits") + count(memory, "row_misses") +
                                          count(memory, "row_conflicts"));
  std::string out =
      fmt::format("\nMemory\n  bandwidth  {:.2f} GB/s", memory.at("bandwidth_gbps").get<double>());
  if (memory.contains("ceiling_gbps"))
    out += fmt::format(" of {:.2f} that refresh and turn-arounds leave",
                       memory.at("ceiling_gbps").get<double>());
  out += fmt::format("\n  rows       {} hits ({}), {} misses, {} conflicts\n", counted(memory, "row_hits"),
                     percent_text(static_cast<double>(count(memory, "row_hits")), rows),
                     counted(memory, "row_misses"), counted(memory, "row_conflicts"));
  if (memory.contains("read_latency_ns"))
    out += wrapped("  reads      " + latency(memory.at("read_latency_ns")), 13) + "\n";
  if (memory.contains("write_latency_ns"))
    out += wrapped("  writes     " + latency(memory.at("write_latency_ns")), 13) + "\n";
  return out;
}

}  // namespace mesim::text
