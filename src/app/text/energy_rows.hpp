// The account of energy by kind of component and event.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace mesim {

struct EnergyRow {
  std::string kind;   // l1d for l1d0, l1d1, ...
  std::string event;  // "leakage" for what depends on time alone
  double pj = 0;
};
std::vector<EnergyRow> energy_rows(const nlohmann::ordered_json& energy_ledger);

}  // namespace mesim
