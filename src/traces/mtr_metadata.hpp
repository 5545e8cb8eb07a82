// What a .mtr file says beside its records, as the JSON of its metadata chunk.
#pragma once
#include <string>

#include "traces/trace.hpp"
#include "traces/trace_writer.hpp"

namespace mesim::mtr {

std::string metadata_text(const TraceHeader& header);
// Fills symbols, notes, program and regions; false if the text is not what metadata_text writes.
bool read_metadata(const std::string& text, TraceInfo& info);

}  // namespace mesim::mtr
