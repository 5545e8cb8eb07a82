// The result of a run as one JSON document. Same version, config and inputs give the same bytes: nothing of
// the host, the engine or the clock on the wall stands in it.
#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sim/accounts.hpp"
#include "sim/statistics.hpp"

namespace mesim {

inline constexpr int result_schema = 1;  // raised when a pointer changes its meaning

struct ResultInput {
  std::string path;  // as written in the config
  std::string sha256;
  std::uint64_t records = 0;  // records that the run used
};

struct SimulatedTime {
  Cycles cycles = 0;  // of the base clock
  double simulated_ns = 0;
};

// What a run hands over.
struct RunResult {
  std::string name;
  bool complete = true;
  std::uint64_t seed = 0;
  nlohmann::ordered_json config;  // resolved
  std::vector<ResultInput> inputs;
  std::optional<SimulatedTime> time;  // none for a run without time
  StatTree stats;
  Accounts accounts;
  nlohmann::ordered_json sharing;        // null: not attributed
  nlohmann::ordered_json traffic;        // null: no network
  nlohmann::ordered_json misses;         // how long they took, and the first of them; null: not asked for
  nlohmann::ordered_json dram_commands;  // the first of a memory by itself; null: none
  std::vector<std::string> notes;        // what a reader of the figures has to know
};

// The document, without `/expect`. Throws std::logic_error if an account does not balance.
nlohmann::ordered_json result_document(const RunResult& run);

// The bytes of a result file: indented by two, ending in a newline.
std::string result_text(const nlohmann::ordered_json& document);

}  // namespace mesim
