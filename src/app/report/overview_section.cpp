// What was run, how long it took, what it cost, and the three largest reasons.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "app/report/html.hpp"
#include "app/report/sections.hpp"
#include "app/text/machine.hpp"
#include "app/text_table.hpp"

namespace mesim {
namespace {

std::string tile(const std::string& figure, const std::string& name) {
  return fmt::format("<li><strong>{}</strong><span>{}</span></li>", html::escaped(figure),
                     html::escaped(name));
}

// What a cycle's owner says about the machine: the part of it that would have to be faster.
std::string_view part_of(std::string_view owner) {
  struct Row {
    std::string_view word;
    std::string_view part;
  };
  static constexpr std::array<Row, 18> rows = {{{"memory", "memory"},
                                                {"home", "the homes and their last level"},
                                                {"owner", "lines that other caches hold"},
                                                {"cache_to_cache", "lines that other caches hold"},
                                                {"invalidation", "lines that other caches hold"},
                                                {"synchronisation", "other threads"},
                                                {"finished", "other threads"},
                                                {"idle", "other threads"},
                                                {"bus", "the bus or network"},
                                                {"link", "the bus or network"},
                                                {"queue", "the bus or network"},
                                                {"reply", "the bus or network"},
                                                {"refused", "misses that may be outstanding"},
                                                {"store_drain", "the store buffer"},
                                                {"front_end", "the front end"},
                                                {"hit_latency", "the private caches"},
                                                {"lookup", "the private caches"},
                                                {"", "the cores themselves"}}};
  for (const Row& row : rows) {
    if (owner.find(row.word) != std::string_view::npos) return row.part;
  }
  return rows.back().part;
}

// The same for a memory by itself, whose data bus is the unit.
std::string_view memory_part_of(std::string_view owner) {
  return owner == "transfer"      ? "the data bus"
         : owner == "row wait"    ? "rows that had to be opened"
         : owner == "idle"        ? "those who ask: there was nothing to do"
         : owner == "refresh"     ? "refresh"
         : owner == "turn-around" ? "turns of the bus between reads and writes"
         : owner == "bank group"  ? "bursts of the same bank group"
                                  : owner;
}

std::string bound_text(std::string_view by, double share, double all, const char* of) {
  return fmt::format("<p>Bound by <b>{}</b>: {} of {}.</p>\n", html::escaped(by), percent_text(share, all),
                     of);
}

// The engine of an accelerator that worked longest, and how long.
NamedAmount busiest(const nlohmann::ordered_json& ledger) {
  NamedAmount most;
  for (const auto& [unit, owners] : ledger.items()) {
    const double busy = owners.value("working", 0.0) + owners.value("moving", 0.0);
    if (busy > most.amount) most = {unit, busy};
  }
  return most;
}

bool has_cores(const nlohmann::ordered_json& ledger) {
  return !ledger.empty() && ledger.begin().key().starts_with("core");
}
bool is_memory(const nlohmann::ordered_json& ledger) {
  return !ledger.empty() && ledger.begin().key().starts_with("memory");
}

// "Bound by memory: 62 % of all cycles."
std::string bound(const nlohmann::ordered_json& ledger) {
  if (!has_cores(ledger) && !is_memory(ledger)) {
    const NamedAmount engine = busiest(ledger);
    if (engine.amount == 0) return "";
    return bound_text(engine.name, engine.amount, ledger.at(engine.name).at("total").get<double>(),
                      "its cycles it was at work, more than any other engine");
  }
  std::vector<NamedAmount> parts;
  double all = 0;
  for (const NamedAmount& owner : summed_owners(ledger)) {
    const std::string part(has_cores(ledger) ? part_of(owner.name) : memory_part_of(owner.name));
    auto it = std::find_if(parts.begin(), parts.end(), [&](const NamedAmount& p) { return p.name == part; });
    if (it == parts.end()) it = parts.insert(parts.end(), {part, 0});
    it->amount += owner.amount;
    all += owner.amount;
  }
  if (parts.empty()) return "";
  const auto most =
      std::max_element(parts.begin(), parts.end(),
                       [](const NamedAmount& a, const NamedAmount& b) { return a.amount < b.amount; });
  return bound_text(most->name, most->amount, all, "all cycles");
}

// Of an accelerator those of the engine that bounds it: what the others wait for is no reason.
std::string reasons(const nlohmann::ordered_json& ledger) {
  const NamedAmount engine = has_cores(ledger) || is_memory(ledger) ? NamedAmount{} : busiest(ledger);
  const auto owners = summed_owners(
      engine.name.empty() ? ledger : nlohmann::ordered_json{{engine.name, ledger.at(engine.name)}});
  double all = 0;
  for (const auto& o : owners) all += o.amount;
  std::string out;
  for (std::size_t i = 0; i < owners.size() && i < 3; ++i) {
    out += fmt::format("<li><b>{}</b>: {} of all cycles</li>", html::escaped(owners[i].name),
                       percent_text(owners[i].amount, all));
  }
  const std::string whose = engine.name.empty() ? "the time" : "the time of " + html::escaped(engine.name);
  return out.empty() ? "" : "<p>Most of " + whose + " went to</p><ol>" + out + "</ol>\n";
}

}  // namespace

std::string overview_html(const nlohmann::ordered_json& result) {
  std::string out;
  if (!result.at("complete").get<bool>())
    out += "<p class=\"warning\">Stopped early: the figures hold what happened until then.</p>\n";
  const bool cores = result.at("config").value("order", "") != "memory";
  const std::string machine = cores ? machine_text(result.at("config")) : "";
  if (!machine.empty()) out += fmt::format("<p>{}</p>\n", html::escaped(machine));
  out += "<ul class=\"tiles\">";
  const auto& time = result.at("time");
  if (time.contains("cycles")) {
    out += tile(with_commas(time.at("cycles").get<std::uint64_t>()), "cycles");
    out += tile(time_text(time.at("simulated_ns").get<double>()), "simulated time");
  }
  const auto& energy = result.at("ledgers").at("energy_pj");
  if (energy.contains("total") && energy.at("total").get<double>() > 0)
    out += tile(energy_text(energy.at("total").get<double>()), "energy");
  const auto& stats = result.at("stats");
  if (stats.contains("total")) {
    for (const char* name : {"references", "misses", "invalidations"}) {
      const auto it = stats.at("total").find(name);
      if (it != stats.at("total").end()) out += tile(with_commas(it->get<std::uint64_t>()), name);
    }
  }
  return out + "</ul>\n" + bound(result.at("ledgers").at("time")) + reasons(result.at("ledgers").at("time"));
}

}  // namespace mesim
