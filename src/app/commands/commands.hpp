// All commands. A new one is a file of its own, its line here and its line in commands.cpp.
#pragma once
#include <vector>

#include "app/command.hpp"

namespace mesim {

Command compare_command();
Command completion_command();
Command config_check_command();
Command config_diff_command();
Command config_explain_command();
Command config_schema_command();
Command config_show_command();
Command dram_check_command();
Command dram_decode_command();
Command dram_encode_command();
Command dram_trace_command();
Command exercise_check_command();
Command exercise_list_command();
Command exercise_run_command();
Command litmus_command();
Command litmus_generate_command();
Command presets_command();
Command protocol_command();
Command report_command();
Command run_command();
Command sweep_command();
Command sweep_query_command();
Command sweep_status_command();
Command trace_cachesim_command();
Command trace_curve_command();
Command trace_convert_command();
Command trace_info_command();
Command verify_command();
Command trace_record_command();

// In the order of `mesim --help`.
const std::vector<Command>& all_commands();

}  // namespace mesim
