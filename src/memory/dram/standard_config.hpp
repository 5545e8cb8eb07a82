// A DRAM standard as data: what a file configs/presets/memory/NAME.json holds. Nothing in the code knows a
// standard; another one is another file.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "sim/fields.hpp"

namespace mesim {

// One named time. Its cycles are the larger of `cycles` and `ns` rounded up as JEDEC does.
struct DramTimingValue {
  std::string name;  // "nRCD"
  std::uint32_t cycles = 0;
  double ns = 0;
  std::string source;
  std::string confidence;

  void fields(Fields& f);
};

// A rule: command `after` comes at least `delay` cycles after the `window`-th last command `before` on the
// same instance of `level`.
struct DramConstraint {
  std::string level = "bank";
  std::vector<std::string> before;
  std::vector<std::string> after;
  std::string delay;  // "nRCD", "nCL+nBL+2-nCWL"
  std::uint32_t window = 1;

  void fields(Fields& f);
};

struct DramOrganisation {
  std::uint32_t channels = 1;
  std::uint32_t pseudo_channels = 1;
  std::uint32_t ranks = 1;  // or stack ids
  std::uint32_t bank_groups = 4;
  std::uint32_t banks_per_group = 4;
  std::uint32_t rows = 65536;
  std::uint32_t columns = 1024;     // of device_bits each, counted as the standard does
  std::uint32_t channel_bits = 64;  // of a pseudo-channel where there are any
  std::uint32_t device_bits = 8;
  std::uint32_t burst_length = 8;
  std::uint32_t data_rate_mts = 3200;
  std::uint32_t transfers_per_clock = 2;
  bool split_command_bus = false;    // row and column commands have buses of their own
  std::uint32_t activate_slots = 1;  // clocks of the command bus that a command takes
  std::uint32_t column_slots = 1;
  std::uint32_t refresh_bank_step = 1;  // banks that one REFpb refreshes; REFsb: one of each group
  std::string source;

  void fields(Fields& f);
};

// Currents of one device in mA, voltages in V; or, where a standard publishes none, energy of each event.
struct DramPower {
  double vdd = 0;
  double vpp = 0;
  double idd0 = 0;
  double idd2n = 0;
  double idd2p = 0;
  double idd3n = 0;
  double idd3p = 0;
  double idd4r = 0;
  double idd4w = 0;
  double idd5 = 0;       // burst refresh of all banks, over tRFC
  double idd5_bank = 0;  // of a bank or of one bank of each group
  double idd6 = 0;
  double ipp0 = 0;
  double ipp_standby = 0;
  double activate_pj = 0;  // of all devices of a rank; 0: from the currents
  double read_pj_per_bit = 0;
  double write_pj_per_bit = 0;
  double refresh_pj = 0;
  double refresh_bank_pj = 0;
  double standby_mw = 0;  // background of a rank: a row open
  double precharged_mw = 0;
  double power_down_mw = 0;
  double self_refresh_mw = 0;
  double io_read_pj_per_bit = 0;
  double io_write_pj_per_bit = 0;
  bool count_interface = true;  // I/O and Vpp standby, in the energy ledger
  std::string source;
  std::string confidence;

  void fields(Fields& f);
};

struct DramMapping {
  std::string name;
  std::string fields_text;

  void fields(Fields& f);
};

struct DramStandard {
  std::string family;    // whose rules the checker knows: "ddr4", "hbm2" ...
  std::string document;  // "JESD79-4"
  DramOrganisation organisation;
  std::vector<DramTimingValue> timings;
  std::vector<std::string> replaced_timings;  // "nFAW=40"
  std::vector<DramConstraint> constraints;
  DramPower power;
  std::vector<DramMapping> mappings;
  std::string mapping = "default";

  void fields(Fields& f);
};

}  // namespace mesim
