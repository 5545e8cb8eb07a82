#include "traces/recording/source_lines.hpp"

#include <cstdlib>
#include <fstream>

#include "traces/recording/process.hpp"

namespace mesim {
namespace {

std::string base_name(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

// "FILE:LINE", perhaps with " (discriminator 2)" behind it; "??:0" and "FILE:?" are unknown.
SourceLine line_from(const std::string& function, const std::string& text) {
  SourceLine result;
  result.function = function;
  const auto colon = text.find_last_of(':');
  if (colon == std::string::npos || text.compare(0, 2, "??") == 0) return result;
  result.file = text.substr(0, colon);
  result.line = std::strtoull(text.c_str() + colon + 1, nullptr, 10);
  return result;
}

}  // namespace

std::string SourceLine::place() const {
  return file.empty() || line == 0 ? std::string() : fmt::format("{}:{}", base_name(file), line);
}

std::unordered_map<std::uint64_t, std::vector<SourceLine>> source_lines(
    const std::string& program, const std::vector<std::uint64_t>& addresses,
    const std::string& temporary_folder) {
  std::unordered_map<std::uint64_t, std::vector<SourceLine>> result;
  if (addresses.empty()) return result;
  const std::string asked = temporary_folder + "/addresses", answered = temporary_folder + "/lines";
  {
    std::ofstream out(asked);
    for (const auto address : addresses) out << fmt::format("{:#x}\n", address);
  }
  ProcessRequest request;
  request.command = {"addr2line", "-e", program, "-a", "-f", "-C", "-i"};
  request.input_path = asked;
  request.output_path = answered;
  if (!run_process(request).succeeded()) return result;
  std::ifstream in(answered);
  std::string function, place;
  std::vector<SourceLine>* lines = nullptr;
  while (std::getline(in, function)) {
    if (function.compare(0, 2, "0x") == 0)
      lines = &result[std::strtoull(function.c_str(), nullptr, 16)];
    else if (lines != nullptr && std::getline(in, place))
      lines->push_back(line_from(function, place));
  }
  return result;
}

std::unordered_map<std::uint64_t, std::string> variable_places(const std::string& program,
                                                               const std::string& temporary_folder) {
  std::unordered_map<std::uint64_t, std::string> result;
  ProcessRequest request;
  request.command = {"nm", "-l", "--defined-only", program};
  request.output_path = temporary_folder + "/variables";
  request.error_path = temporary_folder + "/variables.errors";
  if (!run_process(request).succeeded()) return result;
  std::ifstream in(request.output_path);
  for (std::string line; std::getline(in, line);) {
    const auto tab = line.find('\t');
    if (tab == std::string::npos) continue;
    const auto place = line_from("", line.substr(tab + 1)).place();
    if (!place.empty()) result[std::strtoull(line.c_str(), nullptr, 16)] = place;
  }
  return result;
}

}  // namespace mesim
