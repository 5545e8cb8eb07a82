#include "app/commands/commands.hpp"

namespace mesim {

const std::vector<Command>& all_commands() {
  static const std::vector<Command> commands = {
      trace_cachesim_command(),
      verify_command(),
      protocol_command(),
      presets_command(),
      completion_command(),
  };
  return commands;
}

}  // namespace mesim
