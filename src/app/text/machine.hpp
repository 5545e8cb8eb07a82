// The machine of a resolved config in one line.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace mesim {

// "4 cores, MESI on a bus, L1D 32 KiB 8-way with 64 B lines, order round_robin"
std::string machine_text(const nlohmann::ordered_json& config);

}  // namespace mesim
