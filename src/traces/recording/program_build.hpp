// Compiles and links a program so that it records itself.
#pragma once
#include <string>
#include <vector>

namespace mesim {

struct ProgramSources {
  std::vector<std::string> sources;         // C or C++, by suffix
  std::vector<std::string> compiler_flags;  // after ours
  std::vector<std::string> linker_flags;
};

// What is linked into recorded programs: the runtime library, and the folder of headers for them.
struct RecorderFiles {
  std::string library;
  std::string headers;
};
// Beside the running executable (build tree), or in ../lib/mesim and ../include of it (installed).
RecorderFiles find_recorder();

// Builds into `folder`; the executable's path. The compiler's messages go to standard error; throws
// Error(bad_input) when it refuses the program.
std::string build_program(const ProgramSources& program, const RecorderFiles& recorder,
                          const std::string& folder);

}  // namespace mesim
