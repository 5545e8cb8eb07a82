// One command of a DRAM command trace, as the checker sees it. Nothing here or in the checker is shared with
// the controller.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/units.hpp"

namespace mesim::dram_check {

enum class Op : std::uint8_t {
  act,
  rd,
  rda,
  wr,
  wra,
  pre,
  prea,
  ref,   // REFab
  refb,  // REFpb, REFsb
  pde,
  pdx,
  sre,
  srx,
};
inline constexpr unsigned op_count = 13;

struct DramCommand {
  Cycles at = 0;
  Op op = Op::act;
  std::uint32_t channel = 0;
  std::uint32_t pseudo = 0;
  std::uint32_t rank = 0;
  std::uint32_t group = 0;
  std::uint32_t bank = 0;
  std::uint32_t row = 0;
  std::uint32_t column = 0;
};

const char* name_of(Op op);
// By the names that we, Ramulator, DRAMsim3 and DRAMSys give to commands.
std::optional<Op> op_named(std::string_view text);

// Reads a command trace: ours and Ramulator 2.1's CSV (columns found by their header), DRAMsim3's lines
// "clock command channel rank group bank 0xrow 0xcolumn", or a database of DRAMSys. Throws file_error, or
// bad_input with the line.
std::vector<DramCommand> read_command_trace(const std::string& path);
// DRAMSys' database alone.
std::vector<DramCommand> read_dramsys_trace(const std::string& path);
std::vector<DramCommand> read_command_text(const std::string& text, const std::string& path);

// The header and a line of our form.
std::string command_trace_header();
std::string command_trace_line(const DramCommand& command);

}  // namespace mesim::dram_check
