// Completion scripts for shells, made from the tree of commands.
#pragma once
#include <string>
#include <vector>

#include "app/command_line.hpp"

namespace mesim {

const std::vector<std::string>& completion_shells();  // bash, zsh, fish

std::string completion_script(const CommandShape& program, const std::string& shell);

}  // namespace mesim
