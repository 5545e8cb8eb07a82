#include "tests/shared_data.hpp"

#include <cstdlib>
#include <filesystem>

namespace mesim::test {
namespace {
bool skipped = false;
}

std::optional<std::string> shared_data(const std::string& path) {
  const char* folder = std::getenv("MESIM_SHARED_DATA");
  const std::filesystem::path base = folder ? folder : MESIM_SOURCE_DIR "/../shared/data";
  if (std::filesystem::exists(base / path)) return (base / path).string();
  skipped = true;
  return std::nullopt;
}

void note_skipped() { skipped = true; }

bool something_was_skipped() { return skipped; }

}  // namespace mesim::test
