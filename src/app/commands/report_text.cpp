#include "app/commands/report_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <nlohmann/json.hpp>

#include "app/text_table.hpp"
#include "sim/statistics.hpp"

namespace mesim {
namespace {

using Json = nlohmann::ordered_json;

std::uint64_t count(const Json& component, const char* name) {
  const auto it = component.find(name);
  return it != component.end() && it->is_number_unsigned() ? it->get<std::uint64_t>() : 0;
}

std::string counted(const Json& component, const char* name) {
  return component.contains(name) ? with_commas(count(component, name)) : "-";
}

// A section, or nothing if its table has no row.
std::string section(const std::string& title, const TextTable& table) {
  return table.empty() ? "" : "\n" + title + "\n" + table.text();
}

std::string head_text(const Json& result) {
  std::string out = fmt::format("{}{}\n", result.at("name").get<std::string>(),
                                result.at("complete").get<bool>() ? "" : "  (INCOMPLETE: stopped early)");
  out += wrapped("  machine   " + machine_text(result.at("config")), 12) + "\n";
  for (const auto& input : result.at("inputs")) {
    const auto digest = input.at("sha256").get<std::string>();
    out += fmt::format("  input     {}\n            {} records{}\n", input.at("path").get<std::string>(),
                       with_commas(input.at("records").get<std::uint64_t>()),
                       digest.empty() ? "" : fmt::format(", sha256 {:.16}", digest));
  }
  const Json& time = result.at("time");
  if (time.empty()) {
    out += "  time      none: this order has no clock, only counts\n";
  } else {
    out += fmt::format("  time      {} cycles, {}\n", with_commas(time.at("cycles").get<std::uint64_t>()),
                       time_text(time.at("simulated_ns").get<double>()));
  }
  return out;
}

bool is_cache(const Json& component) { return component.is_object() && component.contains("read_misses"); }

std::string cache_text(const Json& stats) {
  TextTable table({"", "reads", "missed", "writes", "missed", "missed", "written back", "lost"});
  const auto row = [&](const std::string& name, const Json& c) {
    const double accesses = static_cast<double>(count(c, "reads") + count(c, "writes"));
    const double misses = static_cast<double>(count(c, "read_misses") + count(c, "write_misses"));
    table.row({name, counted(c, "reads"), counted(c, "read_misses"), counted(c, "writes"),
               counted(c, "write_misses"), percent_text(misses, accesses), counted(c, "writebacks"),
               counted(c, "invalidations")});
  };
  constexpr std::size_t listed = 16;
  std::size_t caches = 0;
  for (const auto& [name, component] : stats.items()) {
    if (name == "total" || !is_cache(component)) continue;
    if (++caches <= listed) row(name, component);
  }
  if (caches > listed) table.row({fmt::format("... {} more", caches - listed)});
  if (caches > 1 && stats.contains("total") && is_cache(stats.at("total")))
    row("total l1d", stats.at("total"));
  return section("Caches (accesses; lines written back, lines lost to other cores' stores)", table);
}

std::string bus_text(const Json& stats) {
  if (!stats.contains("bus")) return "";
  const Json& bus = stats.at("bus");
  TextTable table({"", "count", "share"});
  const double all = static_cast<double>(count(bus, "transactions"));
  for (const char* kind : {"BusRd", "BusRdX", "BusUpgr", "BusUpd"}) {
    if (count(bus, kind) > 0)
      table.row({kind, counted(bus, kind), percent_text(static_cast<double>(count(bus, kind)), all)});
  }
  table.row({"transactions", with_commas(count(bus, "transactions")), ""});
  for (const char* kind : {"BusWB", "fetches"}) {
    if (count(bus, kind) > 0) table.row({fmt::format("beside them {}", kind), counted(bus, kind), ""});
  }
  return section("Bus transactions (count)", table);
}

std::string network_text(const Json& stats) {
  if (!stats.contains("network")) return "";
  const Json& network = stats.at("network");
  TextTable table({"", "messages", "bytes", "share of bytes"});
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  const auto bytes_of = [&](const char* kind) {
    return count(network, (std::string(kind) + "_bytes").c_str());
  };
  constexpr std::array kinds = {"requests", "forwards", "responses"};
  for (const char* kind : kinds) {
    messages += count(network, kind);
    bytes += bytes_of(kind);
  }
  for (const char* kind : kinds) {
    table.row({kind, counted(network, kind), with_commas(bytes_of(kind)),
               percent_text(static_cast<double>(bytes_of(kind)), static_cast<double>(bytes))});
  }
  table.row({"all", with_commas(messages), with_commas(bytes), ""});
  return section("Network messages (by virtual network)", table);
}

std::string prefetch_text(const Json& stats) {
  TextTable table({"", "filled", "useful", "useless", "resident", "late", "lost", "dropped"});
  constexpr std::array columns = {"filled", "useful", "useless", "resident", "late", "lost", "dropped"};
  for (const auto& [name, component] : stats.items()) {
    if (!component.is_object() || component_kind(name) != "prefetch") continue;
    std::vector<std::string> cells{name};
    for (const char* column : columns) cells.push_back(counted(component, column));
    table.row(cells);
  }
  return section("Prefetched lines (filled = useful + useless + resident)", table);
}

// The links that were busiest, of networks of routers.
std::string links_text(const Json& result) {
  if (!result.contains("traffic") || !result.at("traffic").contains("links")) return "";
  std::vector<Json> links = result.at("traffic").at("links");
  if (links.empty()) return "";
  std::stable_sort(links.begin(), links.end(),
                   [](const Json& a, const Json& b) { return a.at("flits") > b.at("flits"); });
  constexpr std::size_t most = 5;
  if (links.size() > most) links.resize(most);
  TextTable table({"link", "messages", "bytes", "busy"});
  for (const Json& link : links) {
    table.row({fmt::format("router {} to {}", link.at("from").get<unsigned>(), link.at("to").get<unsigned>()),
               counted(link, "messages"), counted(link, "bytes"),
               fmt::format("{:.1f}%", 100 * link.at("utilisation").get<double>())});
  }
  return section(fmt::format("Busiest links between routers ({} cycles queued behind others in all)",
                             counted(result.at("stats").at("network"), "queued_cycles")),
                 table);
}

std::string homes_text(const Json& stats) {
  TextTable table({"", "GetS", "GetM", "Put", "forwards", "invalidations", "llc reads", "missed", "recalls"});
  constexpr std::array columns = {
      "GetS", "GetM", "Put", "forwards", "invalidations", "llc_reads", "llc_read_misses", "recalls"};
  for (const auto& [name, component] : stats.items()) {
    if (!component.is_object() || !component.contains("GetS") || component_kind(name) != "home") continue;
    std::vector<std::string> cells{name};
    for (const char* column : columns) cells.push_back(counted(component, column));
    table.row(cells);
  }
  return section("Homes (requests taken, what they sent, their slice of the last level)", table);
}

std::string bytes_ledger_text(const Json& ledger) {
  TextTable table({"", "read", "written", "total bytes", "largest requester"});
  for (const auto& [name, link] : ledger.items()) {
    const auto total = link.at("total").get<std::uint64_t>();
    if (total == 0) continue;
    std::string who;
    std::uint64_t most = 0;
    for (const auto& [requester, share] : link.at("by").items()) {
      const std::uint64_t moved = count(share, "read") + count(share, "written");
      if (moved <= most) continue;
      most = moved;
      who = requester;
    }
    table.row(
        {name, bytes_text(link.at("read").get<double>()), bytes_text(link.at("written").get<double>()),
         with_commas(total),
         fmt::format("{} {}", who, percent_text(static_cast<double>(most), static_cast<double>(total)))});
  }
  return section("Bytes per link (read: towards the requester)", table);
}

std::string energy_ledger_text(const Json& ledger) {
  const double total = ledger.at("total").get<double>();
  TextTable table({"", "energy", "share"});
  for (const EnergyRow& r : energy_rows(ledger)) {
    if (r.pj > 0) table.row({r.kind + " " + r.event, energy_text(r.pj), percent_text(r.pj, total)});
  }
  if (table.empty()) return "";
  table.row({"total", energy_text(total), ""});
  return section(fmt::format("Energy (technology table {})", ledger.at("technology").get<std::string>()),
                 table);
}

std::string time_ledger_text(const Json& ledger) {
  std::vector<std::pair<std::string, double>> owners;
  double all = 0;
  for (const auto& unit : ledger) {
    for (const auto& [owner, cycles] : unit.items()) {
      if (owner == "total") continue;
      const std::string& name = owner;
      auto it = std::find_if(owners.begin(), owners.end(), [&](const auto& o) { return o.first == name; });
      if (it == owners.end()) it = owners.insert(owners.end(), {name, 0});
      it->second += cycles.template get<double>();
      all += cycles.template get<double>();
    }
  }
  std::stable_sort(owners.begin(), owners.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  TextTable table({"", "cycles", "share"});
  for (const auto& [owner, cycles] : owners) {
    if (cycles > 0)
      table.row({owner, with_commas(static_cast<std::uint64_t>(cycles)), percent_text(cycles, all)});
  }
  return section("Where the cycles went (all units together, cycles)", table);
}

std::string notes_text(const Json& result) {
  std::string out = result.at("notes").empty() ? "" : "\nTo know when reading this\n";
  for (const auto& note : result.at("notes")) out += wrapped("  - " + note.get<std::string>(), 4) + "\n";
  return out;
}

std::string expect_text(const Json& result) {
  if (!result.contains("expect") || result.at("expect").empty()) return "";
  std::string out = "\nExpected\n";
  for (const auto& e : result.at("expect")) {
    const Json& wanted = e.at("wanted");
    const double tolerance = e.at("tolerance").get<double>();
    const std::string line =
        fmt::format("  {}  {} is {}, wanted {}{}", e.at("pass").get<bool>() ? "pass" : "FAIL",
                    e.at("pointer").get<std::string>(), e.at("got").dump(),
                    wanted.is_string() ? wanted.get<std::string>() : wanted.dump(),
                    tolerance > 0 ? fmt::format(" within {:g} %", 100 * tolerance) : "");
    out += wrapped(line, 8) + "\n";
  }
  return out;
}

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

std::vector<EnergyRow> energy_rows(const Json& ledger) {
  std::vector<EnergyRow> rows;
  for (const auto& [name, component] : ledger.items()) {
    if (!component.is_object() || name == "groups") continue;
    const std::string_view numbered = component_kind(name);
    const std::string kind(numbered.empty() ? std::string_view(name) : numbered);
    for (const auto& [event, pj] : component.items()) {
      if (event == "total") continue;
      const std::string& same_event = event;
      auto it = std::find_if(rows.begin(), rows.end(),
                             [&](const EnergyRow& r) { return r.kind == kind && r.event == same_event; });
      if (it == rows.end()) it = rows.insert(rows.end(), {kind, event, 0});
      it->pj += pj.template get<double>();
    }
  }
  return rows;
}

// Where an accelerator's operands come from: "ddr4-3200", or how it is modelled: "ideal", "bandwidth".
std::string accelerator_memory(const Json& config) {
  const auto kind = config.at("accel").at("dma").at("memory").get<std::string>();
  if (kind != "dram") return kind;
  const Json& preset = config.at("memory").value("preset", Json());
  return preset.is_string() ? preset.get<std::string>() : kind;
}

std::string machine_text(const Json& config) {
  if (!config.contains("cores")) return "";
  if (config.at("order") == "accelerator") {
    const Json& accel = config.at("accel");
    return fmt::format("{} array{} of {} x {}, dataflow {}, memory {}", accel.at("arrays").get<int>(),
                       accel.at("arrays") == 1 ? "" : "s", accel.at("rows").get<int>(),
                       accel.at("columns").get<int>(), accel.at("dataflow").get<std::string>(),
                       accelerator_memory(config));
  }
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

std::string sharing_text(const Json& result, std::size_t most) {
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

std::string report_text(const Json& result) {
  const Json& stats = result.at("stats");
  const Json& ledgers = result.at("ledgers");
  return head_text(result) + cache_text(stats) + bus_text(stats) + prefetch_text(stats) +
         network_text(stats) + links_text(result) + homes_text(stats) +
         bytes_ledger_text(ledgers.at("bytes")) + energy_ledger_text(ledgers.at("energy_pj")) +
         time_ledger_text(ledgers.at("time")) + sharing_text(result, 10) + expect_text(result) +
         notes_text(result);
}

}  // namespace mesim
