#include "app/sweep/sweep_halving.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/sweep/sweep_point.hpp"

namespace mesim {
namespace {

using Json = nlohmann::ordered_json;

struct Ranked {
  std::size_t point;
  double figure;
};

// The points of a rung from the best on, equal ones in their order; none if some have not ended. Points
// without the figure are left out.
std::optional<std::vector<Ranked>> ranking(const SweepPlan& plan, const SweepRung& rung,
                                           const std::string& folder) {
  const Json::json_pointer at(plan.sweep.halving.measure);
  std::vector<Ranked> all;
  for (std::size_t i = rung.first; i < rung.first + rung.count; ++i) {
    const auto document = read_point(folder, plan.points[i].hash);
    if (!document) return std::nullopt;
    const Json& result = document->at("result");
    if (result.is_object() && result.contains(at) && result.at(at).is_number())
      all.push_back({i, result.at(at).get<double>()});
  }
  const bool most = plan.sweep.halving.goal == "most";
  std::stable_sort(all.begin(), all.end(), [&](const Ranked& a, const Ranked& b) {
    return most ? a.figure > b.figure : a.figure < b.figure;
  });
  return all;
}

}  // namespace

bool next_rung(SweepPlan& plan, const std::string& folder) {
  if (plan.rungs.empty()) return false;
  const HalvingConfig halving = plan.sweep.halving;
  const SweepRung last = plan.rungs.back();
  if (last.amount >= halving.to) return false;
  const auto best = ranking(plan, last, folder);
  if (!best || best->empty()) return false;
  const std::size_t kept =
      std::min<std::size_t>(best->size(), (last.count + halving.factor - 1) / halving.factor);
  // without overflow: the next amount is at most `to`
  const std::uint64_t amount =
      last.amount > halving.to / halving.factor ? halving.to : last.amount * halving.factor;
  plan.rungs.push_back({amount, plan.points.size(), kept});
  std::vector<std::size_t> points;
  for (std::size_t i = 0; i < kept; ++i) points.push_back((*best)[i].point);
  std::sort(points.begin(), points.end());
  for (const std::size_t i : points) {
    std::vector<Setting> settings = plan.points[i].settings;
    settings.back().value = std::to_string(amount);
    add_point(plan, std::move(settings));
  }
  return true;
}

}  // namespace mesim
