#include "app/version.hpp"

#include <fmt/format.h>

#include "app/commit.hpp"  // written by cmake/commit.cmake

namespace mesim {

std::string version_text() {
  const std::string commit = MESIM_COMMIT;
#if defined(__clang__)
  const char* const compiler = "clang " __clang_version__;
#else
  const char* const compiler = "gcc " __VERSION__;
#endif
  return fmt::format("mesim {}\ncommit {}\ncompiler {}\nbuild {}\n", MESIM_VERSION,
                     commit.empty() ? "unknown" : commit, compiler, MESIM_BUILD_TYPE);
}

}  // namespace mesim
