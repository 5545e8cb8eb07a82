// Where a sweep lies.
#pragma once
#include <filesystem>
#include <string>

namespace mesim {

// `asked` if the user named a folder, else results/runs/NAME.
inline std::string sweep_folder(const std::string& name, const std::string& asked) {
  return asked.empty() ? (std::filesystem::path("results") / "runs" / name).string() : asked;
}

}  // namespace mesim
