// The plain-text report of one run: 80 columns, every number with its unit, made from the result document
// alone, so that a stored result reads like a fresh one.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace mesim {

std::string report_text(const nlohmann::ordered_json& result);

// "4 cores, MESI on a bus, L1D 32 KiB 8-way 64 B lines, order round_robin": the machine of a resolved config.
std::string machine_text(const nlohmann::ordered_json& config);

// The lines that cores took from each other, worst first, at most `most`; empty if there are none.
std::string sharing_text(const nlohmann::ordered_json& result, std::size_t most);

// The energy ledger by kind of component and event.
struct EnergyRow {
  std::string kind;   // l1d for l1d0, l1d1, ...
  std::string event;  // "static" for leakage
  double pj = 0;
};
std::vector<EnergyRow> energy_rows(const nlohmann::ordered_json& energy_ledger);

}  // namespace mesim
