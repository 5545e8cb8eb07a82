#include "app/sweep/sweep_config.hpp"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

#include "sim/config_reader.hpp"

namespace mesim {
namespace {

using Json = nlohmann::ordered_json;

// A list of at least one scalar, as JSON text.
bool holds_values(const std::string& text) {
  const Json list = Json::parse(text, nullptr, false);
  return list.is_array() && !list.empty() &&
         std::none_of(list.begin(), list.end(), [](const Json& value) { return value.is_structured(); });
}

constexpr const char* needs_values = "expected a list of one or more values, as [2, 4, 8]";

}  // namespace

void SweepAxis::fields(Fields& f) {
  f.text("key", key, "key of the config, as l1d.ways");
  f.json("values", values, "list of the values that it takes");
  f.require("key", !key.empty(), [] { return "an axis needs the key that it varies"; });
  f.require("values", holds_values(values), [] { return needs_values; });
}

void RandomAxis::fields(Fields& f) {
  f.text("key", key, "key of the config, as l1d.ways");
  f.json("values", values, "list of values to draw from, all alike; or give `from` and `to`");
  f.optional_number("from", from, {.help = "lowest number drawn"});
  f.optional_number("to", to, {.help = "highest number drawn"});
  f.choice("scale", scale, {"linear", "log"}, "log: every ratio is as likely as any other");
  f.flag("whole", whole, "numbers are rounded to whole ones");
  f.require("key", !key.empty(), [] { return "an axis needs the key that it varies"; });
  f.require("values", values.empty() || holds_values(values), [] { return needs_values; });
  f.require("values", values.empty() == (from && to) && from.has_value() == to.has_value(),
            [] { return "an axis has either `values`, or both `from` and `to`"; });
  const bool bounds = from && to;
  f.require("from", !bounds || *from <= *to, [] { return "`from` is above `to`"; });
  f.require("from", !bounds || scale != "log" || *from > 0, [] { return "a log scale begins above 0"; });
}

void RandomPoints::fields(Fields& f) {
  f.integer("count", count, {.max = 1'000'000, .unit = "points", .help = "points drawn"});
  f.integer("seed", seed, {.help = "of the draws; the same seed draws the same points"});
  f.list("axes", axes, "what is drawn");
  f.require("count", axes.empty() == (count == 0),
            [] { return "random points need both a count above 0 and axes"; });
}

void ListedPoint::fields(Fields& f) {
  f.text_list("set", set, "keys of the config with their values, as on the command line: \"l1d.ways=2\"");
  f.require("set", !set.empty(), [] { return "a point sets at least one key"; });
}

void PointLimits::fields(Fields& f) {
  f.integer("cpu_seconds", cpu_seconds,
            {.max = 10'000'000, .unit = "s", .help = "CPU time after which a point is given up; 0: none"});
  f.integer("memory_bytes", memory_bytes,
            {.max = std::uint64_t{1} << 50,
             .unit = "bytes",
             .help = "address space beyond which a point is given up; 0: none"});
}

void HalvingConfig::fields(Fields& f) {
  f.text("key", key, "key of the config that grows from rung to rung, as workload.rounds; empty: no halving");
  f.integer("from", from, {.min = 1, .help = "its value in the first rung, in which every point runs"});
  f.integer("to", to, {.min = 1, .help = "its value in the last rung"});
  f.integer("factor", factor,
            {.min = 2, .max = 1000, .help = "from rung to rung: times as much, for one in so many points"});
  f.text("measure", measure, "JSON pointer to the figure of the result by which points are ranked");
  f.choice("goal", goal, {"least", "most"}, "whether the best point has the least or the most of it");
  f.require("measure", !enabled() || measure.starts_with('/'),
            [] { return "halving needs the figure to rank by, as /time/cycles"; });
  f.require("to", from <= to, [] { return "the last rung has less than the first"; });
}

void SweepConfig::fields(Fields& f) {
  f.text("name", name, "the sweep's name, also of its folder under results/runs");
  f.require("name", !name.starts_with('.') && name.find('/') == std::string::npos,
            [] { return "the name is that of a folder: no '/', no '.' in front"; });
  f.path("config", config, "the config that every point starts from");
  f.require("config", !config.empty(), [] { return "a sweep needs a config to start from"; });
  f.text_list("set", set, "keys that are the same in every point, as on the command line");
  f.list("grid", grid, "axes whose values are all combined");
  f.list("zip", zip, "axes that advance together, first value with first value");
  f.object("random", random, "points drawn at random, each combined with every point of grid and zip");
  f.list("points", points, "further points, one by one");
  f.text_list("measure", measure,
              "JSON pointers into the results that become columns; default: time, total counters, energy");
  f.object("limits", limits, "what a point may use");
  f.object("halving", halving, "spend most of the time on the points that look best");
  const bool even = std::all_of(zip.begin(), zip.end(), [this](const SweepAxis& axis) {
    return Json::parse(axis.values, nullptr, false).size() ==
           Json::parse(zip.front().values, nullptr, false).size();
  });
  f.require("zip", even, [] { return "the axes of a zip have lists of different lengths"; });
  f.require("grid", !grid.empty() || !zip.empty() || random.count != 0 || !points.empty(),
            [] { return "nothing varies: give `grid`, `zip`, `random` or `points`"; });
}

SweepConfig read_sweep(const std::string& path) {
  SweepConfig sweep;
  sweep.name = std::filesystem::path(path).stem().string();
  read_config(sweep, {.path = path, .overrides = {}, .text = {}});
  return sweep;
}

}  // namespace mesim
