// A trace format that is one file of records. The list in file_format.cpp is all that detection, opening and
// the command line know of formats: a new one is one file and one line there.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "traces/byte_source.hpp"
#include "traces/trace.hpp"

namespace mesim {

struct FileFormat {
  const char* name;
  const char* summary;  // one line for `--help` and for messages
  // For detection. A text format says whether a line (without its end) is one of its own; a binary format
  // (`line_fits` null) whether a file may begin with these bytes.
  bool (*line_fits)(std::string_view line);
  bool (*head_fits)(std::string_view head);
  std::unique_ptr<RecordStream> (*open)(std::unique_ptr<ByteSource> source, const std::string& path);
  bool threads_in_records;  // else all records are of thread 0
  const char* note;         // what the format cannot say, for the trace's notes; or null
};

inline constexpr const char* no_sizes = "the format has no sizes: a reference touches the one byte it names";

extern const FileFormat lackey_format;
extern const FileFormat din_format;
extern const FileFormat champsim_format;
extern const FileFormat champsim_cloudsuite_format;
extern const FileFormat proc_rw_format;
extern const FileFormat per_core_rw_format;
extern const FileFormat per_core_012_format;

std::span<const FileFormat* const> file_formats();
// Null if there is none of that name.
const FileFormat* find_file_format(std::string_view name);

}  // namespace mesim
