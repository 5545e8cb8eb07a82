#include "sim/result.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace mesim {
namespace {

using Json = nlohmann::ordered_json;

Json stat_json(const StatNode& node) {
  Json out = Json::object();
  for (const Stat& stat : node.stats) {
    std::visit([&](const auto& value) { out[stat.name] = value; }, stat.value);
  }
  for (const StatNode& child : node.children) out[child.name] = stat_json(child);
  return out;
}

Json time_json(const TimeLedger& ledger) {
  Json out = Json::object();
  for (const auto& unit : ledger.units()) {
    Json& entry = out[unit.name] = Json::object();
    for (const auto& owner : unit.owners) entry[owner.name] = owner.cycles;
    entry["total"] = unit.total;
  }
  return out;
}

Json bytes_json(const ByteLedger& ledger) {
  Json out = Json::object();
  for (const auto& link : ledger.links()) {
    Json& entry = out[link.name] = {
        {"read", link.read}, {"written", link.written}, {"total", link.read + link.written}};
    Json& by = entry["by"] = Json::object();
    for (const auto& share : link.by)
      by[share.requester] = {{"read", share.read}, {"written", share.written}};
  }
  return out;
}

Json energy_json(const EnergyLedger& ledger) {
  Json out = {{"technology", ledger.technology()}};
  Json groups = Json::object();
  const auto enter = [&](const std::string& component, const std::string& event, double pj) {
    Json& parts = out[component];
    parts[event] = pj;
    parts["total"] = parts.value("total", 0.0) + pj;
    Json& group = groups[std::string(energy_group(component))];
    group = (group.is_null() ? 0.0 : group.get<double>()) + pj;
  };
  for (const auto& entry : ledger.entries()) enter(entry.component, entry.event, entry.pj());
  for (const auto& leaking : ledger.statics()) enter(leaking.component, "leakage", leaking.pj());
  out["groups"] = groups;
  out["static"] = ledger.static_pj();
  out["total"] = ledger.total_pj();
  return out;
}

}  // namespace

Json result_document(const RunResult& run) {
  const auto faults = imbalances(run.accounts);
  if (!faults.empty())
    throw std::logic_error(fmt::format("the accounts do not balance: {}", fmt::join(faults, "; ")));
  Json out;
  out["mesim"] = {{"version", MESIM_VERSION}, {"schema", result_schema}};
  out["name"] = run.name;
  out["complete"] = run.complete;
  out["seed"] = run.seed;
  out["config"] = run.config;
  Json& inputs = out["inputs"] = Json::array();
  for (const auto& input : run.inputs) {
    inputs.push_back({{"path", input.path}, {"sha256", input.sha256}, {"records", input.records}});
  }
  Json& time = out["time"] = Json::object();
  if (run.time) time = {{"cycles", run.time->cycles}, {"simulated_ns", run.time->simulated_ns}};
  out["stats"] = stat_json(run.stats.root());
  out["ledgers"] = {{"time", time_json(run.accounts.time)},
                    {"bytes", bytes_json(run.accounts.bytes)},
                    {"energy_pj", energy_json(run.accounts.energy)}};
  if (!run.sharing.is_null()) out["sharing"] = run.sharing;
  if (!run.traffic.is_null()) out["traffic"] = run.traffic;
  if (!run.misses.is_null()) out["misses"] = run.misses;
  if (!run.dram_commands.is_null()) out["dram_commands"] = run.dram_commands;
  out["notes"] = run.notes;
  return out;
}

std::string result_text(const Json& document) { return document.dump(2) + "\n"; }

}  // namespace mesim
