#include "system/sharing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

namespace mesim {
namespace {

using Json = nlohmann::ordered_json;

void add_once(std::vector<std::string>& names, const std::string& name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

// Names of the symbols that overlap [first, last], plain and with the place in them where the overlap begins;
// `symbols` are sorted and do not overlap.
void add_names(const std::vector<Symbol>& symbols, std::uint64_t first, std::uint64_t last,
               std::vector<std::string>& names, std::vector<std::string>& places) {
  auto it = std::upper_bound(symbols.begin(), symbols.end(), first,
                             [](std::uint64_t address, const Symbol& s) { return address < s.address; });
  if (it != symbols.begin()) --it;
  for (; it != symbols.end() && it->address <= last; ++it) {
    if (it->address + it->size_bytes <= first) continue;
    add_once(names, it->name);
    const std::uint64_t offset = first > it->address ? first - it->address : 0;
    add_once(places, offset == 0 ? it->name : fmt::format("{}+{}", it->name, offset));
  }
}

std::string kind_of(const SharedLine& line) {
  if (line.false_sharing_misses == 0 && line.true_sharing_misses == 0) return "none";
  return line.false_sharing_misses > line.true_sharing_misses ? "false" : "true";
}

Json line_json(const SharedLine& line, const std::vector<Symbol>& symbols, bool timed) {
  std::vector<std::string> variables;
  Json cores = Json::array();
  for (const auto& touched : line.bytes) {
    std::vector<std::string> places;
    std::vector<std::string> runs;
    for (const auto& [first, last] : touched.runs) {
      add_names(symbols, line.address + first, line.address + last, variables, places);
      runs.push_back(first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last));
    }
    cores.push_back(
        {{"core", touched.core}, {"bytes", fmt::format("{}", fmt::join(runs, ","))}, {"places", places}});
  }
  Json losses = Json::array();
  for (const auto& loss : line.losses) {
    losses.push_back({{"by", loss.by}, {"victim", loss.victim}, {"count", loss.count}});
    if (timed) losses.back()["cycles_lost"] = loss.cycles;
  }
  Json out = {{"address", fmt::format("0x{:x}", line.address)},
              {"variables", variables},
              {"kind", kind_of(line)},
              {"invalidations", line.invalidations},
              {"false_sharing_misses", line.false_sharing_misses},
              {"true_sharing_misses", line.true_sharing_misses}};
  if (timed) out["cycles_lost"] = line.cycles_lost;
  out["cores"] = std::move(cores);
  out["losses"] = std::move(losses);
  return out;
}

std::string variable_at(const std::vector<Symbol>& symbols, std::uint64_t address) {
  std::vector<std::string> names;
  std::vector<std::string> places;
  add_names(symbols, address, address, names, places);
  return names.empty() ? "" : names.front();
}

Json variables_json(const std::vector<SharedPlace>& places, std::size_t limit,
                    const std::vector<Symbol>& symbols, bool timed) {
  std::map<std::string, SharedPlace> sums;
  for (const SharedPlace& place : places) {
    const std::string name = variable_at(symbols, place.address);
    if (name.empty()) continue;
    SharedPlace& sum = sums[name];
    sum.true_sharing_misses += place.true_sharing_misses;
    sum.false_sharing_misses += place.false_sharing_misses;
    sum.cycles_lost += place.cycles_lost;
  }
  std::vector<std::pair<std::string, SharedPlace>> order(sums.begin(), sums.end());
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    const auto rank = [](const SharedPlace& p) {
      return std::pair(p.cycles_lost, p.true_sharing_misses + p.false_sharing_misses);
    };
    return rank(a.second) > rank(b.second);
  });
  order.resize(std::min(order.size(), limit));
  Json list = Json::array();
  for (const auto& [name, sum] : order) {
    list.push_back({{"name", name},
                    {"false_sharing_misses", sum.false_sharing_misses},
                    {"true_sharing_misses", sum.true_sharing_misses}});
    if (timed) list.back()["cycles_lost"] = sum.cycles_lost;
  }
  return list;
}

}  // namespace

std::string place_name(const std::vector<Symbol>& symbols, std::uint64_t address) {
  std::vector<std::string> names;
  std::vector<std::string> places;
  add_names(symbols, address, address, names, places);
  return places.empty() ? "" : places.front();
}

Json sharing_json(const SharingTracker& sharing, std::size_t limit, const std::vector<Symbol>& symbols,
                  bool timed) {
  Json list = Json::array();
  for (const SharedLine& line : sharing.worst(limit)) list.push_back(line_json(line, symbols, timed));
  return {{"lines", std::move(list)}, {"variables", variables_json(sharing.places(), limit, symbols, timed)}};
}

}  // namespace mesim
