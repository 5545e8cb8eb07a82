#include <fmt/format.h>

#include "app/text/counts.hpp"
#include "app/text/sections.hpp"
#include "app/text_table.hpp"
#include "sim/statistics.hpp"

namespace mesim::text {
namespace {

std::string joined(const Json& list) {
  std::vector<std::string> texts;
  for (const auto& item : list) texts.push_back(item.is_string() ? item.get<std::string>() : item.dump());
  return fmt::format("{}", fmt::join(texts, ", "));
}

constexpr std::size_t detailed_lines = 3;  // with what each core touches in them

// "  0x4188c0: core 1 cell, core 2 cell+4": different bytes of one line.
std::string places_text(const Json& line) {
  std::string text = fmt::format("  {}:", line.at("address").get<std::string>());
  for (const auto& core : line.at("cores")) {
    const std::string places = joined(core.at("places"));
    const std::string what = places.empty() ? "bytes " + core.at("bytes").get<std::string>() : places;
    text += fmt::format("{} core {} {}", text.back() == ':' ? "" : ";", core.at("core").get<std::uint64_t>(),
                        what);
  }
  return wrapped(text, 4) + "\n";
}

}  // namespace

std::string sharing(const Json& result) {
  constexpr std::size_t most = 10;
  if (!result.contains("sharing")) return "";
  const Json& lines = result.at("sharing").at("lines");
  const bool timed = !lines.empty() && lines.front().contains("cycles_lost");
  std::vector<std::string> head = {"variables in the line", "address",    "kind", "lost",
                                   "false misses",          "true misses"};
  if (timed) head.emplace_back("cycles");
  TextTable table(head);
  std::string places;
  std::size_t listed = 0;
  for (const auto& line : lines) {
    if (line.at("kind") == "none") continue;  // handed over once, and never missed again
    if (listed++ == most) break;
    const std::string names = joined(line.at("variables"));
    std::vector<std::string> row = {
        names.empty() ? "(no symbol)" : names, line.at("address").get<std::string>(),
        line.at("kind").get<std::string>(),    counted(line, "invalidations"),
        counted(line, "false_sharing_misses"), counted(line, "true_sharing_misses")};
    if (timed) row.push_back(counted(line, "cycles_lost"));
    table.row(row);
    if (listed <= detailed_lines && line.at("kind") == "false") places += places_text(line);
  }
  return section("Lines that cores took from each other (copies lost, misses that followed)", table) + places;
}

}  // namespace mesim::text
