// `expect`: what a config says its result must be, so that a config is also its own test.
//   {"at": "/stats/bus/transactions", "equals": 8000}
//   {"at": "/time/cycles", "within": [990, 1010]}
//   {"at": "/stats/total/misses", "equals": 100, "tolerance": 0.05}         // a share of the wanted figure
//   {"ratio": ["/stats/total/reads", "/stats/total/misses"], "at_least": 3}
#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sim/fields.hpp"

namespace mesim {

struct Expectation {
  std::string at = {};                  // JSON pointer into the result; or
  std::vector<std::string> ratio = {};  // two pointers: the first over the second
  std::string equals = {};              // JSON text
  std::vector<double> within = {};      // lowest and highest
  std::optional<double> at_least = {};
  std::optional<double> at_most = {};
  double tolerance = 0;  // share of `equals`

  void fields(Fields& f);
};

struct ExpectOutcome {
  std::string subject;            // "/time/cycles", "/a / /b"
  nlohmann::ordered_json wanted;  // 8000, or in words: "990 to 1010", "at least 3"
  nlohmann::ordered_json got;
  double tolerance = 0;
  bool pass = false;
};

// Checks each entry against the result and adds them to it as `/expect`. Throws bad_input with the nearest
// pointer if one does not exist in the result; `config_path` names the config in that message.
std::vector<ExpectOutcome> check_expectations(const std::vector<Expectation>& expectations,
                                              nlohmann::ordered_json& result, const std::string& config_path);

// "; did you mean '/stats/bus/BusRd'?" or empty, for a pointer that is not in the document.
std::string nearest_pointer(const nlohmann::ordered_json& document, const std::string& pointer);

}  // namespace mesim
