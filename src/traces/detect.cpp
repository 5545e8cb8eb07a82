#include "traces/detect.hpp"

#include <fmt/format.h>

#include "sim/error.hpp"
#include "traces/printable.hpp"

namespace mesim {
namespace {

constexpr std::size_t most_lines = 1000;

std::vector<std::string_view> first_lines(std::string_view head, bool whole) {
  std::vector<std::string_view> lines;
  while (!head.empty() && lines.size() < most_lines) {
    const std::size_t end = head.find('\n');
    if (end == std::string_view::npos && !whole && !lines.empty()) break;  // cut off by the window
    lines.push_back(head.substr(0, end));
    head.remove_prefix(end == std::string_view::npos ? head.size() : end + 1);
  }
  return lines;
}

bool is_blank(std::string_view line) { return line.find_first_not_of(" \t\r") == std::string_view::npos; }

// Files that people mistake for traces.
void refuse_known_mistakes(const std::string& path, std::string_view head) {
  if (head.empty()) throw bad_input({path}, "the trace has 0 records: the file is empty");
  if (head.starts_with("version https://git-lfs"))
    throw bad_input({path}, "this is a git-LFS pointer, not the trace itself; fetch it with 'git lfs pull'");
  if (head.size() >= 262 && head.substr(257, 5) == "ustar")
    throw bad_input({path}, "this is a tar archive; unpack it and name the trace inside");
  if (head.starts_with("PK\x03\x04")) throw bad_input({path}, "this is a zip archive; unpack it first");
  if (head.starts_with("\x89MTR\r\n"))
    throw bad_input({path}, "this is a compressed mtr trace; decompress it first");
}

std::string names(const std::vector<const FileFormat*>& formats, std::string_view between) {
  std::string text;
  for (const FileFormat* f : formats)
    text += fmt::format("{}{} ({})", text.empty() ? "" : between, f->name, f->summary);
  return text;
}

const FileFormat& detect_binary(const std::string& path, std::string_view head) {
  for (const FileFormat* format : file_formats())
    if (format->head_fits != nullptr && format->head_fits(head)) return *format;
  throw bad_input({path},
                  "binary data that no trace format fits; expected ChampSim records of 64 bytes or an mtr "
                  "file (Cloudsuite records must be named: format champsim-cloudsuite)");
}

}  // namespace

const FileFormat& detect_format(const std::string& path, std::string_view head, bool whole, bool per_core) {
  refuse_known_mistakes(path, head);
  if (head.find('\0') != std::string_view::npos) return detect_binary(path, head);

  std::vector<const FileFormat*> best;
  std::size_t furthest = 0;
  const auto lines = first_lines(head, whole);
  for (const FileFormat* format : file_formats()) {
    if (format->line_fits == nullptr || (per_core && format == &din_format)) continue;
    std::size_t count = 0, telling = 0;  // lines read; those of them that are not blank
    while (count < lines.size() && format->line_fits(lines[count])) telling += !is_blank(lines[count++]);
    if (telling == 0 || telling < furthest) continue;
    if (telling > furthest) best.clear();
    furthest = telling;
    best.push_back(format);
  }
  if (best.size() == 1) return *best.front();
  if (best.empty()) {
    std::size_t line = 0;
    while (line + 1 < lines.size() && is_blank(lines[line])) ++line;
    if (is_blank(lines[line])) throw bad_input({path}, "the trace has 0 records: the file is blank");
    throw bad_input(
        {path, line + 1, 1},
        fmt::format("no trace format fits '{}'; expected lackey, din, champsim, proc-rw, per-core-rw, "
                    "per-core-012 or mtr",
                    printable(lines[line].substr(0, 40))));
  }
  throw bad_input({path},
                  fmt::format("two formats fit: {}; choose with --format NAME or the key workload.format",
                              names(best, " and ")));
}

}  // namespace mesim
