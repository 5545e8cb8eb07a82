// A trace that is one file of a FileFormat.
#pragma once
#include <memory>
#include <string>

#include "traces/trace.hpp"

namespace mesim {

// `format` "auto" or the name of a file format; `per_core` as for detect_format, and then an empty file is a
// core without records.
std::unique_ptr<Trace> open_file_trace(const std::string& path, const std::string& format, bool per_core);

// The trace of a folder of per-core files: core i is thread i. Files are p0.trace, core0.ANY, cpu0.ANY,
// thread0.ANY, NAME_0.data and so on, numbered without a gap; what else lies there is ignored. No order
// between the files is known, so the merged order takes one record of each in turn.
std::unique_ptr<Trace> open_folder_trace(const std::string& path, const std::string& format);

}  // namespace mesim
