#include <fmt/format.h>

#include <filesystem>

#include "sim/error.hpp"
#include "sim/nearest.hpp"
#include "traces/file_format.hpp"
#include "traces/file_trace.hpp"
#include "traces/mtr_reader.hpp"
#include "traces/plain_file.hpp"
#include "traces/trace.hpp"

namespace mesim {

std::vector<std::string> trace_formats() {
  std::vector<std::string> names{"mtr"};
  for (const FileFormat* format : file_formats()) names.emplace_back(format->name);
  return names;
}

std::unique_ptr<Trace> open_trace(const std::string& path, const std::string& format) {
  const auto names = trace_formats();
  if (format != "auto" && std::find(names.begin(), names.end(), format) == names.end())
    throw Error(Exit::bad_input, fmt::format("unknown trace format '{}', expected auto or one of {}{}",
                                             format, fmt::join(names, ", "), did_you_mean(format, names)));
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return open_folder_trace(path, format);
  if (format == "mtr") return open_mtr(path);
  if (format == "auto") {
    std::array<char, 8> head{};
    const std::size_t size = PlainFile(path).read_at(0, head.data(), head.size());
    if (is_mtr({head.data(), size})) return open_mtr(path);
  }
  return open_file_trace(path, format, false);
}

}  // namespace mesim
