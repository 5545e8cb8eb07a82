// The beginning of a run cycle by cycle: its first misses, or the first commands of a memory by itself.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "app/report/html.hpp"
#include "app/report/sections.hpp"
#include "sim/segments.hpp"

namespace mesim {
namespace {

using Json = nlohmann::ordered_json;

// A colour for each way of spending time; segments of one kind share theirs.
constexpr std::array<std::size_t, segment_count> segment_colours = {7, 4, 4, 1, 2, 1, 5, 3, 6, 6, 0};
const std::vector<std::string> colour_names = {
    "waiting for sharers", "waiting in line", "home", "another cache", "request on its way", "memory",
    "reply on its way",    "lookup"};

// The lane of a core that is free from `begin` on, the first of them if there are several.
html::Lane& lane_of(std::vector<html::Lane>& lanes, const std::string& unit, double begin) {
  std::size_t number = 1;
  for (html::Lane& lane : lanes) {
    if (lane.name != unit && lane.name.rfind(unit + " (", 0) != 0) continue;
    ++number;
    if (lane.spans.empty() || lane.spans.back().until <= begin) return lane;
  }
  lanes.push_back({number == 1 ? unit : fmt::format("{} ({})", unit, number), {}});
  return lanes.back();
}

std::string misses_html(const Json& first) {
  std::map<unsigned, std::vector<html::Lane>> cores;
  for (const Json& miss : first) {
    const auto core = miss.at("core").get<unsigned>();
    double at = miss.at("begin").get<double>();
    html::Lane& lane = lane_of(cores[core], fmt::format("core{}", core), at);
    const Json& segments = miss.at("segments");
    for (std::size_t s = 0; s < segments.size() && s < segment_count; ++s) {
      const double length = segments[s].get<double>();
      if (length == 0) continue;
      lane.spans.push_back(
          {at, at + length, segment_colours[s],
           fmt::format("{} of {}: {} for {} cycles from {}", miss.at("kind").get<std::string>(),
                       miss.at("address").get<std::string>(), segment_names[s], length, at)});
      at += length;
    }
  }
  std::vector<html::Lane> lanes;
  for (auto& [core, own] : cores) lanes.insert(lanes.end(), own.begin(), own.end());
  return fmt::format("<p>The first {} misses and what each was waiting for; all of them: --timeline.</p>\n",
                     first.size()) +
         html::legend(colour_names) + html::lanes("the first misses of each core", "cycle", lanes);
}

// By bank: how long a row is open, and the bursts in it.
std::string commands_html(const Json& commands) {
  struct Bank {
    html::Lane lane;
    double opened = -1;
    std::uint64_t row = 0;
  };
  std::map<std::string, Bank> banks;
  double last = 0;
  const auto close = [](Bank& bank, double at) {
    if (bank.opened >= 0)
      bank.lane.spans.insert(bank.lane.spans.begin(),
                             {bank.opened, at, 4, fmt::format("row {} open", bank.row)});
    bank.opened = -1;
  };
  constexpr double drawn_cycles = 3;  // commands take one; so that they are seen
  for (const Json& command : commands) {
    const auto at = command.at(0).get<double>();
    const auto op = command.at(3).get<std::string>();
    Bank& bank =
        banks[fmt::format("ch{} bank {}", command.at(1).get<unsigned>(), command.at(2).get<std::string>())];
    last = std::max(last, at + drawn_cycles);
    if (op == "ACT") {
      close(bank, at);
      bank.opened = at;
      bank.row = command.at(4).get<std::uint64_t>();
    } else if (op.rfind("PRE", 0) == 0) {
      close(bank, at);
    }
    const std::size_t colour = op == "ACT" ? 1 : op.rfind("RD", 0) == 0 ? 0 : op.rfind("WR", 0) == 0 ? 5 : 7;
    bank.lane.spans.push_back({at, at + drawn_cycles, colour, fmt::format("{} in cycle {}", op, at)});
  }
  std::vector<html::Lane> lanes;
  for (auto& [name, bank] : banks) {
    close(bank, last);
    bank.lane.name = name;
    lanes.push_back(std::move(bank.lane));
  }
  if (lanes.size() > 64) lanes.resize(64);
  return fmt::format("<p>The first {} commands; banks are numbered pseudo-channel, rank, group, bank.</p>\n",
                     commands.size()) +
         html::legend({"RD", "ACT", "", "", "row open", "WR", "", "others"}) +
         html::lanes("the first commands of each bank", "cycle of the memory's command clock", lanes);
}

}  // namespace

std::string first_events_html(const Json& result) {
  std::string out;
  if (result.contains("misses") && !result.at("misses").at("first").empty())
    out += misses_html(result.at("misses").at("first"));
  if (result.contains("dram_commands") && !result.at("dram_commands").empty())
    out += commands_html(result.at("dram_commands"));
  return out;
}

}  // namespace mesim
