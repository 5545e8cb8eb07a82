// The command line of `mesim`: finds the command, reads its arguments, runs it.
#pragma once
#include <string>
#include <vector>

#include "app/command.hpp"

namespace mesim {

// Runs `arguments` (without the program's name). Throws Error: bad_input for a wrong command line, and
// whatever the command throws.
Exit run_command_line(const std::vector<Command>& commands, const std::vector<std::string>& arguments,
                      Output& out);

// The tree of commands as completion scripts need it.
struct OptionShape {
  std::vector<std::string> names;  // "--out", "-o"
  std::string help;
  bool takes_value = false;
  std::vector<std::string> choices = {};
};
struct CommandShape {
  std::string path;  // "config check"; empty for the program itself
  std::string help;
  std::vector<OptionShape> options;
  std::vector<CommandShape> children = {};
  bool takes_files = false;
  bool takes_overrides = false;  // PATH=VALUE
};
CommandShape command_line_shape(const std::vector<Command>& commands);

}  // namespace mesim
