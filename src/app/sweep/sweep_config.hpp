// What a sweep file says: one config, the keys to vary and how, and what to take from each result.
//
//   { "config": "../main.json",
//     "grid": [{"key": "l1d.size_bytes", "values": ["8K", "16K"]}, {"key": "l1d.ways", "values": [2, 4, 8]}]
//     }
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/fields.hpp"

namespace mesim {

struct SweepAxis {
  std::string key;
  std::string values;  // JSON text of a list

  void fields(Fields& f);
};

// An axis of random points: one of `values`, or a number between two bounds.
struct RandomAxis {
  std::string key;
  std::string values;  // JSON text of a list; empty: a number in [from, to]
  std::optional<double> from;
  std::optional<double> to;
  std::string scale = "linear";
  bool whole = true;

  void fields(Fields& f);
};

struct RandomPoints {
  std::uint64_t count = 0;
  std::uint64_t seed = 1;
  std::vector<RandomAxis> axes;

  void fields(Fields& f);
};

struct ListedPoint {
  std::vector<std::string> set;

  void fields(Fields& f);
};

// Per point; 0: none.
struct PointLimits {
  std::uint64_t cpu_seconds = 0;
  std::uint64_t memory_bytes = 0;

  void fields(Fields& f);
};

// Successive halving: all points first run with a little of some resource (rounds, records), and only the
// best of each rung with `factor` times as much. Jamieson and Talwalkar, "Non-stochastic best arm
// identification and hyperparameter optimization", AISTATS 2016.
struct HalvingConfig {
  std::string key;
  std::uint64_t from = 1;
  std::uint64_t to = 1;
  std::uint64_t factor = 3;
  std::string measure;
  std::string goal = "least";

  bool enabled() const { return !key.empty(); }
  void fields(Fields& f);
};

struct SweepConfig {
  std::string name;
  InputPath config;
  std::vector<std::string> set;
  std::vector<SweepAxis> grid;
  std::vector<SweepAxis> zip;
  RandomPoints random;
  std::vector<ListedPoint> points;
  std::vector<std::string> measure;
  PointLimits limits;
  HalvingConfig halving;

  void fields(Fields& f);
};

// Throws bad_input and file_error as read_config does. The default name is the file's.
SweepConfig read_sweep(const std::string& path);

}  // namespace mesim
