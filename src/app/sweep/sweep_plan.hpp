// The points of a sweep in their order, each with the name of its result: a hash of everything that the
// result depends on.
#pragma once
#include <exception>
#include <map>
#include <string>
#include <vector>

#include "app/sweep/sweep_config.hpp"

namespace mesim {

// One key of a point with its value as JSON text.
struct Setting {
  std::string key;
  std::string value;
  bool operator==(const Setting&) const = default;
};

struct SweepPoint {
  std::vector<Setting> settings;
  std::vector<std::string> overrides;  // of the sweep and of the point, as on the command line
  // SHA-256 over the program's version, the resolved config and the bytes of the inputs that it names. Points
  // of equal configs share it.
  std::string hash;
};

// Points of a halving that run with the same amount of its resource.
struct SweepRung {
  std::uint64_t amount = 0;
  std::size_t first = 0;  // of the plan's points
  std::size_t count = 0;
};

struct SweepPlan {
  SweepConfig sweep;
  std::string folder;             // what paths in the sweep's overrides are relative to: the sweep file's
  std::vector<std::string> keys;  // every key that some point sets, in order of first appearance
  std::vector<SweepPoint> points;
  std::vector<SweepRung> rungs;                      // none without halving
  std::map<std::string, std::string> input_digests;  // by path: each input is read once
  std::size_t wrong_points = 0;  // whose config is wrong, and what is wrong with the first
  std::exception_ptr first_fault = {};
};

// Grid (last axis fastest), zip behind it, random draws behind that, then the listed points. A point whose
// config is wrong is a point too: running it will say so. Throws Error for a sweep file that is wrong, and
// what is wrong with the first point if no point's config is right. With halving the points of the first rung
// only; next_rung (sweep_halving.hpp) adds the others.
SweepPlan plan_sweep(const std::string& path);

// Puts a point behind the others.
void add_point(SweepPlan& plan, std::vector<Setting> settings);

}  // namespace mesim
