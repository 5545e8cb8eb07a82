// What `mesim --version` says.
#pragma once
#include <string>

namespace mesim {

// Version, commit (if built from a git checkout), compiler and build type, a line each.
std::string version_text();

}  // namespace mesim
