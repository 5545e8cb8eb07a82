#include "app/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "app/text/machine.hpp"

namespace mesim {
namespace {

using Json = nlohmann::ordered_json;

struct MetricName {
  const char* name;
  const char* pointer;
  const char* unit;
};

constexpr MetricName metric_names[] = {
    {"cycles", "/time/cycles", "cycles"},
    {"simulated time", "/time/simulated_ns", "ns"},
    {"accesses", "/stats/total/accesses", ""},
    {"loads from the store buffer", "/stats/total/forwarded_loads", ""},
    {"misses", "/stats/total/misses", ""},
    {"  read misses", "/stats/total/read_misses", ""},
    {"  write misses", "/stats/total/write_misses", ""},
    {"  false-sharing misses", "/stats/total/false_sharing_misses", ""},
    {"  true-sharing misses", "/stats/total/true_sharing_misses", ""},
    {"bus transactions", "/stats/bus/transactions", ""},
    {"  BusRd", "/stats/bus/BusRd", ""},
    {"  BusRdX", "/stats/bus/BusRdX", ""},
    {"  BusUpgr", "/stats/bus/BusUpgr", ""},
    {"  BusUpd", "/stats/bus/BusUpd", ""},
    {"misses that joined another", "/stats/total/merged_misses", ""},
    {"lines prefetched", "/stats/total/prefetch/filled", ""},
    {"  useful", "/stats/total/prefetch/useful", ""},
    {"  useless", "/stats/total/prefetch/useless", ""},
    {"  late", "/stats/total/prefetch/late", ""},
    {"network requests", "/stats/network/requests", ""},
    {"network forwards", "/stats/network/forwards", ""},
    {"network responses", "/stats/network/responses", ""},
    {"links passed by messages", "/stats/network/hops", ""},
    {"cycles queued in the network", "/stats/network/queued_cycles", ""},
    {"upgrades", "/stats/total/upgrades", ""},
    {"copies invalidated", "/stats/total/invalidations", ""},
    {"silent upgrades", "/stats/total/silent_upgrades", ""},
    {"cache-to-cache lines", "/stats/total/cache_to_cache", ""},
    {"lines written back", "/stats/total/writebacks", ""},
    {"bytes on the bus", "/ledgers/bytes/bus/total", "bytes"},
    {"bytes on the network", "/ledgers/bytes/network/total", "bytes"},
    {"bytes over its links", "/ledgers/bytes/network_hops/total", "bytes"},
    {"bytes of the last level", "/ledgers/bytes/llc/total", "bytes"},
    {"bytes of memory", "/ledgers/bytes/memory/total", "bytes"},
    {"energy", "/ledgers/energy_pj/total", "pJ"},
    {"  of cores", "/ledgers/energy_pj/groups/cores", "pJ"},
    {"  of caches", "/ledgers/energy_pj/groups/caches", "pJ"},
    {"  of the directory", "/ledgers/energy_pj/groups/directory", "pJ"},
    {"  of links and routers", "/ledgers/energy_pj/groups/interconnect", "pJ"},
    {"  of memory", "/ledgers/energy_pj/groups/memory", "pJ"},
    {"  of it leakage", "/ledgers/energy_pj/static", "pJ"},
};

const Json* find(const Json& document, const std::string& pointer) {
  const Json::json_pointer p(pointer);
  return document.contains(p) ? &document.at(p) : nullptr;
}

// Leaves of a config as dotted keys, in order.
void flatten(const Json& node, const std::string& key,
             std::vector<std::pair<std::string, std::string>>& out) {
  if (node.is_object()) {
    for (const auto& [name, child] : node.items()) flatten(child, key.empty() ? name : key + "." + name, out);
  } else {
    out.emplace_back(key, node.dump());
  }
}

// Keys that name or list a run, but do not shape it.
bool shapes_the_run(const std::string& key) {
  return key != "name" && !key.starts_with("report.") && !key.starts_with("expect");
}

// Runs that share a value of `cause` share one of `effect`.
bool follows(const ConfigDifference& effect, const ConfigDifference& cause) {
  for (std::size_t a = 0; a < cause.values.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b)
      if (cause.values[a] == cause.values[b] && effect.values[a] != effect.values[b]) return false;
  }
  return true;
}

// Of each difference the preset that brings it: a preset that differs too and stands in the same object.
void find_presets(std::vector<ConfigDifference>& all) {
  constexpr std::string_view name = "preset";
  for (const ConfigDifference& preset : all) {
    if (!preset.key.ends_with(".preset")) continue;
    const std::string object = preset.key.substr(0, preset.key.size() - name.size());
    for (ConfigDifference& d : all)
      if (&d != &preset && d.key.starts_with(object) && follows(d, preset)) d.preset = preset.key;
  }
}

std::vector<ConfigDifference> config_differences(const std::vector<ComparedRun>& runs) {
  std::vector<ConfigDifference> all;
  const auto enter = [&](const std::string& key, std::size_t run, const std::string& value) {
    auto it = std::find_if(all.begin(), all.end(), [&](const ConfigDifference& d) { return d.key == key; });
    if (it == all.end()) it = all.insert(all.end(), {key, std::vector<std::string>(runs.size(), "-"), ""});
    it->values[run] = value;
  };
  for (std::size_t run = 0; run < runs.size(); ++run) {
    std::vector<std::pair<std::string, std::string>> leaves;
    flatten(runs[run].result.at("config"), "", leaves);
    for (const auto& [key, value] : leaves) {
      if (shapes_the_run(key)) enter(key, run, value);
    }
    const Json& inputs = runs[run].result.at("inputs");
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      enter(fmt::format("input {} sha256", i), run, inputs[i].at("sha256").get<std::string>().substr(0, 12));
    }
  }
  const auto same = [](const ConfigDifference& d) {
    return std::all_of(d.values.begin(), d.values.end(),
                       [&](const std::string& v) { return v == d.values[0]; });
  };
  all.erase(std::remove_if(all.begin(), all.end(), same), all.end());
  find_presets(all);
  return all;
}

std::vector<Metric> metrics_of(const std::vector<ComparedRun>& runs) {
  std::vector<Metric> metrics;
  for (const MetricName& name : metric_names) {
    Metric metric{name.name, name.pointer, name.unit, {}};
    bool anything = false;
    for (const auto& run : runs) {
      const Json* value = find(run.result, name.pointer);
      const bool has = value != nullptr && value->is_number();
      metric.values.push_back(has ? std::optional(value->get<double>()) : std::nullopt);
      anything = anything || (has && metric.values.back() != 0.0);
    }
    if (anything) metrics.push_back(std::move(metric));
  }
  return metrics;
}

std::string variables_of(const Json& line) {
  std::vector<std::string> names;
  for (const auto& name : line.at("variables")) names.push_back(name.get<std::string>());
  return names.empty() ? "at " + line.at("address").get<std::string>()
                       : fmt::format("{}", fmt::join(names, ", "));
}

std::vector<SharedVariable> sharing_of(const std::vector<ComparedRun>& runs) {
  std::vector<SharedVariable> all;
  for (std::size_t run = 0; run < runs.size(); ++run) {
    const Json* lines = find(runs[run].result, "/sharing/lines");
    if (lines == nullptr) continue;
    for (const auto& line : *lines) {
      const std::string name = variables_of(line);
      auto it = std::find_if(all.begin(), all.end(), [&](const SharedVariable& v) { return v.name == name; });
      if (it == all.end()) {
        const std::vector<double> zeros(runs.size());
        it = all.insert(all.end(), {name, zeros, zeros, zeros});
      }
      it->invalidations[run] += line.at("invalidations").get<double>();
      it->false_misses[run] += line.at("false_sharing_misses").get<double>();
      it->true_misses[run] += line.at("true_sharing_misses").get<double>();
    }
  }
  const auto worst = [](const SharedVariable& v) {
    return *std::max_element(v.invalidations.begin(), v.invalidations.end());
  };
  std::stable_sort(all.begin(), all.end(), [&](const auto& a, const auto& b) { return worst(a) > worst(b); });
  return all;
}

Json change_json(const Change& change) {
  Json out = {{"name", change.name}, {"before", change.before}, {"after", change.after}};
  if (!change.meaning.empty()) out["meaning"] = change.meaning;
  return out;
}

}  // namespace

Comparison compare_runs(const std::vector<ComparedRun>& runs) {
  Comparison c;
  for (const auto& run : runs) {
    c.labels.push_back(run.label);
    c.machines.push_back(machine_text(run.result.at("config")));
    c.complete.push_back(run.result.at("complete").get<bool>());
    c.attributes_sharing.push_back(find(run.result, "/sharing/lines") != nullptr);
  }
  c.config = config_differences(runs);
  c.metrics = metrics_of(runs);
  c.sharing = sharing_of(runs);
  for (std::size_t run = 1; run < runs.size(); ++run) {
    for (auto& reason : reasons_for(runs[0].result, runs[run].result, run))
      c.reasons.push_back(std::move(reason));
  }
  return c;
}

Json comparison_json(const Comparison& c) {
  Json out = {{"mesim", {{"version", MESIM_VERSION}}}};
  Json& runs = out["runs"] = Json::array();
  for (std::size_t i = 0; i < c.labels.size(); ++i) {
    runs.push_back(
        {{"label", c.labels[i]}, {"machine", c.machines[i]}, {"complete", static_cast<bool>(c.complete[i])}});
  }
  Json& config = out["config"] = Json::array();
  for (const auto& d : c.config) config.push_back({{"key", d.key}, {"values", d.values}});
  Json& metrics = out["metrics"] = Json::array();
  for (const auto& m : c.metrics) {
    Json entry = {
        {"pointer", m.pointer}, {"unit", m.unit}, {"values", Json::array()}, {"ratios", Json::array()}};
    for (const auto& value : m.values) {
      const bool divides = value && m.values[0] && *m.values[0] != 0;
      entry["values"].push_back(value ? Json(*value) : Json());
      entry["ratios"].push_back(divides ? Json(*value / *m.values[0]) : Json());
    }
    metrics.push_back(std::move(entry));
  }
  Json& reasons = out["reasons"] = Json::array();
  for (const auto& r : c.reasons) {
    Json entry = {
        {"run", r.run}, {"of", change_json(r.whole)}, {"parts", Json::array()}, {"instead", Json::array()}};
    for (const auto& part : r.parts) entry["parts"].push_back(change_json(part));
    for (const auto& other : r.instead) entry["instead"].push_back(change_json(other));
    reasons.push_back(std::move(entry));
  }
  Json& sharing = out["sharing"] = Json::array();
  for (const auto& v : c.sharing) {
    const auto told = [&](const std::vector<double>& values) {
      Json list = Json::array();
      for (std::size_t i = 0; i < values.size(); ++i)
        list.push_back(c.attributes_sharing[i] ? Json(values[i]) : Json());
      return list;
    };
    sharing.push_back({{"variables", v.name},
                       {"invalidations", told(v.invalidations)},
                       {"false_sharing_misses", told(v.false_misses)},
                       {"true_sharing_misses", told(v.true_misses)}});
  }
  return out;
}

}  // namespace mesim
