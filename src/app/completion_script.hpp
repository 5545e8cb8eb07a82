// Completion scripts for shells, made from the tree of commands.
#pragma once
#include <string>
#include <vector>

#include "app/command_line.hpp"

namespace mesim {

const std::vector<std::string>& completion_shells();  // bash, zsh, fish

// `keys` of the config complete PATH=VALUE.
std::string completion_script(const CommandShape& program, const std::vector<std::string>& keys,
                              const std::string& shell);

}  // namespace mesim
