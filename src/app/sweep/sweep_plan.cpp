#include "app/sweep/sweep_plan.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "app/sweep/sweep_point.hpp"
#include "app/version.hpp"
#include "sim/config_inputs.hpp"
#include "sim/config_writer.hpp"
#include "sim/error.hpp"
#include "sim/random.hpp"
#include "sim/sha256.hpp"

namespace mesim {
namespace {

using Json = nlohmann::ordered_json;
using Settings = std::vector<Setting>;

std::vector<std::string> values_of(const std::string& list) {
  std::vector<std::string> values;
  for (const Json& value : Json::parse(list)) values.push_back(value.dump());
  return values;
}

// Every combination of what is there with the alternatives, which vary faster.
void combine(std::vector<Settings>& points, const std::vector<Settings>& alternatives) {
  std::vector<Settings> all;
  for (const Settings& point : points) {
    for (const Settings& more : alternatives) {
      all.push_back(point);
      all.back().insert(all.back().end(), more.begin(), more.end());
    }
  }
  points = std::move(all);
}

std::vector<Settings> alternatives(const SweepAxis& axis) {
  std::vector<Settings> all;
  for (auto& value : values_of(axis.values)) all.push_back({{axis.key, std::move(value)}});
  return all;
}

std::vector<Settings> zipped(const std::vector<SweepAxis>& axes) {
  std::vector<Settings> all;
  for (const SweepAxis& axis : axes) {
    auto values = values_of(axis.values);
    all.resize(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) all[i].push_back({axis.key, std::move(values[i])});
  }
  return all;
}

std::string drawn(const RandomAxis& axis, Random& random) {
  if (!axis.values.empty()) {
    const auto values = values_of(axis.values);
    return values[random.below(values.size())];
  }
  const double share = static_cast<double>(random.next() >> 11) * 0x1.0p-53;
  const double number = axis.scale == "log" ? *axis.from * std::pow(*axis.to / *axis.from, share)
                                            : *axis.from + (*axis.to - *axis.from) * share;
  if (!axis.whole) return Json(number).dump();
  return Json(static_cast<std::int64_t>(std::llround(number))).dump();
}

std::vector<Settings> random_points(const RandomPoints& points) {
  Random random(points.seed);
  std::vector<Settings> all(points.count);
  for (Settings& point : all) {
    for (const RandomAxis& axis : points.axes) point.push_back({axis.key, drawn(axis, random)});
  }
  return all;
}

Settings listed(const ListedPoint& point, const std::string& path) {
  Settings settings;
  for (const std::string& text : point.set) {
    const auto equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw bad_input({path}, "/points",
                      fmt::format("found '{}', expected KEY=VALUE such as l1d.ways=8", text));
    }
    const std::string value = text.substr(equals + 1);
    settings.push_back({text.substr(0, equals), Json::accept(value) ? value : Json(value).dump()});
  }
  return settings;
}

std::string override_text(const Setting& setting) {
  const Json value = Json::parse(setting.value);
  const bool plain = value.is_string() && !Json::accept(value.get<std::string>());
  return setting.key + "=" + (plain ? value.get<std::string>() : setting.value);
}

const std::string& input_digest(SweepPlan& plan, const std::string& path) {
  std::string& digest = plan.input_digests[path];
  if (digest.empty()) digest = sha256_of_path(path);
  return digest;
}

std::string hash_of(const std::string& text) {
  Sha256 sha;
  sha.update({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  return sha.hex();
}

std::string point_hash(SweepPlan& plan, const SweepPoint& point) {
  std::string identity = version_text();
  try {
    const SystemConfig config = read_point_config(plan, point);
    identity += write_config(config).dump();
    for (const InputPath& input : input_paths(config)) identity += "\n" + input_digest(plan, input.path);
  } catch (const Error& error) {
    if (plan.wrong_points++ == 0) plan.first_fault = std::current_exception();
    identity += plan.sweep.config.path;  // its result will be the error
    for (const auto& text : point.overrides) identity += "\n" + text;
    identity += std::string("\n") + error.what();
  }
  return hash_of(identity);
}

}  // namespace

void add_point(SweepPlan& plan, Settings settings) {
  SweepPoint point{std::move(settings), plan.sweep.set, {}};
  for (const Setting& setting : point.settings) {
    point.overrides.push_back(override_text(setting));
    if (std::find(plan.keys.begin(), plan.keys.end(), setting.key) == plan.keys.end())
      plan.keys.push_back(setting.key);
  }
  point.hash = point_hash(plan, point);
  plan.points.push_back(std::move(point));
}

SweepPlan plan_sweep(const std::string& path) {
  SweepPlan plan;
  plan.sweep = read_sweep(path);
  plan.folder = std::filesystem::path(path).parent_path().string();
  const SweepConfig& sweep = plan.sweep;

  std::vector<Settings> all;
  if (!sweep.grid.empty() || !sweep.zip.empty() || sweep.random.count != 0) all.emplace_back();
  for (const SweepAxis& axis : sweep.grid) combine(all, alternatives(axis));
  if (!sweep.zip.empty()) combine(all, zipped(sweep.zip));
  if (sweep.random.count != 0) combine(all, random_points(sweep.random));
  for (const ListedPoint& point : sweep.points) all.push_back(listed(point, path));

  for (Settings& settings : all) {
    if (sweep.halving.enabled()) settings.push_back({sweep.halving.key, std::to_string(sweep.halving.from)});
    add_point(plan, std::move(settings));
  }
  if (plan.wrong_points == plan.points.size()) std::rethrow_exception(plan.first_fault);
  if (sweep.halving.enabled()) plan.rungs.push_back({sweep.halving.from, 0, plan.points.size()});
  return plan;
}

}  // namespace mesim
