// Several results side by side: what differs in their configs, what differs in their figures, and which
// counters and ledger entries account for it. Everything is derived from the result documents; the first is
// the baseline.
#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mesim {

struct ComparedRun {
  std::string label;  // as the user named it
  nlohmann::ordered_json result;
};

// A config key (or an input) whose value is not the same in all runs, as JSON text per run, "-" where absent.
struct ConfigDifference {
  std::string key;  // "coherence.protocol", "input 0"
  std::vector<std::string> values;
  std::string preset = "";  // the differing key that it follows: "memory.preset" for "memory.timings"; or empty
};

struct Metric {
  std::string name;     // "bus transactions"
  std::string pointer;  // "/stats/bus/transactions"
  std::string unit;     // "", "bytes", "pJ", "cycles", "ns"
  std::vector<std::optional<double>> values;
};

// One part of a figure, before (baseline) and after.
struct Change {
  std::string name;
  double before = 0;
  double after = 0;
  std::string meaning;  // what the counter counts, if it is not plain from the name
  double difference() const { return after - before; }
};

// Why one figure of run `run` differs from the baseline's: the parts that make up at least nine tenths of the
// change, and counters that moved by as much the other way, which is where the events went or came from.
struct Reason {
  std::size_t run = 0;
  Change whole;
  std::string unit;
  std::vector<Change> parts;
  std::vector<Change> instead;
};

// Sharing misses and lost copies per variable, summed over its lines; 0 in runs that do not tell.
struct SharedVariable {
  std::string name;
  std::vector<double> invalidations;  // per run
  std::vector<double> false_misses;
  std::vector<double> true_misses;
};

struct Comparison {
  std::vector<std::string> labels;
  std::vector<std::string> machines;
  std::vector<bool> complete;
  std::vector<ConfigDifference> config;
  std::vector<Metric> metrics;
  std::vector<Reason> reasons;
  std::vector<SharedVariable> sharing;
  std::vector<bool> attributes_sharing;  // per run: whether its machine told the misses of sharing apart
};

Comparison compare_runs(const std::vector<ComparedRun>& runs);

// How people read it: A, B, C; a figure with its unit; the value of a JSON text.
std::string run_letter(std::size_t run);
std::string figure_text(double value, const std::string& unit);
std::string plain_text(const std::string& json);

// Differences that follow from each differing preset: {"memory.preset", 24}.
std::vector<std::pair<std::string, std::size_t>> differences_by_preset(const Comparison& comparison);

// 80 columns.
std::string comparison_text(const Comparison& comparison);
nlohmann::ordered_json comparison_json(const Comparison& comparison);

// Used by compare_runs: the reasons for run `run`.
std::vector<Reason> reasons_for(const nlohmann::ordered_json& before, const nlohmann::ordered_json& after,
                                std::size_t run);

}  // namespace mesim
