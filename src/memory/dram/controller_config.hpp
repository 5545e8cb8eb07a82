// What a DRAM controller decides: in which order it serves, when it closes rows, refreshes and sleeps.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "sim/fields.hpp"

namespace mesim {

struct DramControllerConfig {
  std::string scheduler = "fr-fcfs";
  std::uint32_t row_hit_cap = 16;
  std::uint32_t decision_cycles = 1;
  std::uint32_t read_queue = 32;
  std::uint32_t write_queue = 32;
  std::string grouping = "watermarks";
  std::uint32_t write_high_percent = 80;
  std::uint32_t write_low_percent = 20;
  std::string rows = "open";
  std::uint32_t row_timeout_cycles = 200;
  std::string refresh = "all_bank";
  std::uint32_t postponed_refreshes = 0;
  std::uint32_t pulled_in_refreshes = 0;
  std::uint32_t power_down_after_cycles = 0;
  std::uint32_t self_refresh_after_cycles = 0;
  std::vector<std::uint64_t> priorities;  // by requester

  void fields(Fields& f);
};

}  // namespace mesim
