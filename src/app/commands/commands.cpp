#include "app/commands/commands.hpp"

namespace mesim {

const std::vector<Command>& all_commands() {
  // clang-format off
  static const std::vector<Command> commands = {
      run_command(),
      compare_command(),
      sweep_command(),
      sweep_status_command(),
      sweep_query_command(),
      report_command(),
      trace_info_command(),
      trace_convert_command(),
      trace_cachesim_command(),
      trace_curve_command(),
      litmus_command(),
      litmus_generate_command(),
      verify_command(),
      protocol_command(),
      dram_trace_command(),
      dram_check_command(),
      dram_decode_command(),
      dram_encode_command(),
      exercise_list_command(),
      exercise_run_command(),
      exercise_check_command(),
      config_check_command(),
      config_show_command(),
      config_explain_command(),
      config_diff_command(),
      config_schema_command(),
      trace_record_command(),
      presets_command(),
      completion_command(),
  };
  // clang-format on
  return commands;
}

}  // namespace mesim
