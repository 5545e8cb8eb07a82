// Why a figure changed: each figure is a sum of counters, so its change is the sum of theirs.
#include <algorithm>
#include <array>
#include <cmath>

#include "app/text/energy_rows.hpp"
#include "app/comparison.hpp"

namespace mesim {
namespace {

using Json = nlohmann::ordered_json;

struct Meaning {
  const char* counter;
  const char* text;
};

constexpr Meaning meanings[] = {
    {"BusRd", "reads of lines that the cache did not hold"},
    {"BusRdX", "fetches of lines in order to store to them"},
    {"BusUpgr", "stores to a shared copy, which invalidate the others"},
    {"BusUpd", "stores sent to the other copies"},
    {"silent upgrades", "stores that found their line exclusive and needed no transaction"},
    {"copies invalidated", "lines lost to another core's store"},
    {"cache-to-cache lines", "misses answered by another cache"},
    {"memory reads", "lines fetched from memory"},
    {"lines written back", "dirty lines that memory took"},
    {"false-sharing misses", "lines lost to a store to other bytes of the line"},
    {"true-sharing misses", "bytes that another core stored since"},
    {"other misses", "first use, or evicted for want of room"},
    {"memory read", "lines fetched from memory"},
    {"memory write", "dirty lines that memory took"},
    {"bus data", "bytes moved over the bus"},
    {"bus address", "transactions driven over the bus"},
    {"bus snoop", "look-ups of transactions in the other caches"},
    {"links passed by messages", "links between routers on the ways of all messages"},
    {"cycles queued in the network", "messages that stood behind others"},
    {"network data", "lines moved over the network"},
    {"network address", "message headers driven over the network"},
    {"home directory", "look-ups of the directory"},
    {"l1d snoop", "forwards and invalidations looked up in the caches"},
    {"llc read", "lines read from the last level"},
    {"llc write", "lines written back to the last level"},
    {"llc fill", "lines from memory written to the last level"},
    {"l1d fill", "lines written into the caches"},
    {"l1d drain", "lines read out of the caches for others or to write them back"},
    {"l1d read", "loads of the cores"},
    {"l1d write", "stores of the cores"},
};

double number(const Json& document, const char* pointer) {
  const Json::json_pointer p(pointer);
  return document.contains(p) && document.at(p).is_number() ? document.at(p).get<double>() : 0;
}

std::string meaning_of(const std::string& name) {
  for (const Meaning& m : meanings) {
    if (name == m.counter) return m.text;
  }
  return "";
}

Change change(const std::string& name, double before, double after) {
  return {name, before, after, meaning_of(name)};
}

Change change_at(const std::string& name, const Json& before, const Json& after, const char* pointer) {
  return change(name, number(before, pointer), number(after, pointer));
}

double share_of_misses(const Json& result) {
  return number(result, "/stats/total/misses") - number(result, "/stats/total/false_sharing_misses") -
         number(result, "/stats/total/true_sharing_misses");
}

std::vector<Change> miss_causes(const Json& a, const Json& b) {
  const Json::json_pointer attributed("/stats/total/false_sharing_misses");
  if (!a.contains(attributed) || !b.contains(attributed)) {
    return {change_at("read misses", a, b, "/stats/total/read_misses"),
            change_at("write misses", a, b, "/stats/total/write_misses")};
  }
  return {change_at("false-sharing misses", a, b, "/stats/total/false_sharing_misses"),
          change_at("true-sharing misses", a, b, "/stats/total/true_sharing_misses"),
          change("other misses", share_of_misses(a), share_of_misses(b))};
}

std::vector<Change> bus_kinds(const Json& a, const Json& b) {
  const Json::json_pointer bus("/stats/bus");
  if (!a.contains(bus) || !b.contains(bus)) return {};  // one of the two has none
  return {change_at("BusRd", a, b, "/stats/bus/BusRd"), change_at("BusRdX", a, b, "/stats/bus/BusRdX"),
          change_at("BusUpgr", a, b, "/stats/bus/BusUpgr"), change_at("BusUpd", a, b, "/stats/bus/BusUpd")};
}

void add(std::vector<Change>& all, const std::string& name, double before, double after) {
  auto it = std::find_if(all.begin(), all.end(), [&](const Change& c) { return c.name == name; });
  if (it == all.end()) it = all.insert(all.end(), change(name, 0, 0));
  it->before += before;
  it->after += after;
}

std::vector<Change> energy_parts(const Json& a, const Json& b) {
  std::vector<Change> parts;
  for (const auto& row : energy_rows(a.at("ledgers").at("energy_pj")))
    add(parts, row.kind + " " + row.event, row.pj, 0);
  for (const auto& row : energy_rows(b.at("ledgers").at("energy_pj")))
    add(parts, row.kind + " " + row.event, 0, row.pj);
  return parts;
}

std::vector<Change> cycle_owners(const Json& a, const Json& b) {
  std::vector<Change> parts;
  const auto enter = [&](const Json& result, bool before) {
    for (const auto& unit : result.at("ledgers").at("time")) {
      for (const auto& [owner, cycles] : unit.items()) {
        const double n = cycles.template get<double>();
        if (owner != "total") add(parts, owner + " of all units", before ? n : 0, before ? 0 : n);
      }
    }
  };
  enter(a, true);
  enter(b, false);
  return parts;
}

// The largest parts, in the direction of the change, that make up nine tenths of it.
std::vector<Change> largest(std::vector<Change> parts, double whole) {
  std::stable_sort(parts.begin(), parts.end(), [](const Change& x, const Change& y) {
    return std::abs(x.difference()) > std::abs(y.difference());
  });
  std::vector<Change> chosen;
  double covered = 0;
  for (const Change& part : parts) {
    if (covered >= 0.9) break;
    if (part.difference() / whole <= 0) continue;
    chosen.push_back(part);
    covered += part.difference() / whole;
  }
  return chosen;
}

std::vector<Change> counters(const Json& a, const Json& b) {
  return {change_at("silent upgrades", a, b, "/stats/total/silent_upgrades"),
          change_at("copies invalidated", a, b, "/stats/total/invalidations"),
          change_at("cache-to-cache lines", a, b, "/stats/total/cache_to_cache"),
          change_at("lines written back", a, b, "/stats/total/writebacks"),
          change_at("memory reads", a, b, "/stats/memory/reads"),
          change_at("BusRd", a, b, "/stats/bus/BusRd"),
          change_at("BusRdX", a, b, "/stats/bus/BusRdX"),
          change_at("BusUpgr", a, b, "/stats/bus/BusUpgr"),
          change_at("BusUpd", a, b, "/stats/bus/BusUpd")};
}

// Counters that moved as far as `part`, the other way, within a twentieth.
std::vector<Change> opposite(const Change& part, const std::vector<Change>& candidates) {
  std::vector<Change> found;
  for (const Change& c : candidates) {
    if (c.name == part.name || c.difference() == 0) continue;
    if (std::abs(c.difference() + part.difference()) <= 0.05 * std::abs(part.difference()))
      found.push_back(c);
  }
  return found;
}

// The events whose energy `part` is; any other part is itself a count of events.
Change events_behind(const Change& part, const Json& a, const Json& b) {
  if (part.name == "memory read") return change_at("memory reads", a, b, "/stats/memory/reads");
  if (part.name == "memory write") return change_at("memory writes", a, b, "/stats/memory/writes");
  return part;
}

// Every count is; of cycles and energy only what shows in three digits.
bool worth_a_reason(const Change& whole, const std::string& unit) {
  const double least = unit.empty() ? 0 : 0.001 * std::abs(whole.before);
  return std::abs(whole.difference()) > least;
}

}  // namespace

std::vector<Reason> reasons_for(const Json& before, const Json& after, std::size_t run) {
  struct Figure {
    Change whole;
    const char* unit;
    std::vector<Change> parts;
  };
  const auto& a = before;
  const auto& b = after;
  const std::array<Figure, 4> figures = {{
      {change_at("cycles", a, b, "/time/cycles"), "cycles", cycle_owners(a, b)},
      {change_at("misses", a, b, "/stats/total/misses"), "", miss_causes(a, b)},
      {change_at("bus transactions", a, b, "/stats/bus/transactions"), "", bus_kinds(a, b)},
      {change_at("energy", a, b, "/ledgers/energy_pj/total"), "pJ", energy_parts(a, b)},
  }};
  std::vector<Reason> reasons;
  for (const Figure& f : figures) {
    if (f.parts.empty() || !worth_a_reason(f.whole, f.unit)) continue;
    double sum = 0;  // of the parts: the time ledger sums over units, the figure is one clock's
    for (const Change& part : f.parts) sum += part.difference();
    if (sum == 0) continue;
    Reason reason{run, f.whole, f.unit, largest(f.parts, sum), {}};
    if (!reason.parts.empty())
      reason.instead = opposite(events_behind(reason.parts.front(), a, b), counters(a, b));
    reasons.push_back(std::move(reason));
  }
  return reasons;
}

}  // namespace mesim
