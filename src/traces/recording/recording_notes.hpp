// What a recording does not show, in sentences for the trace's header.
#pragma once
#include <string>
#include <vector>

#include "traces/recording/trace_maker.hpp"

namespace mesim {

std::vector<std::string> recording_notes(const RecordedRun& run, bool forked);

}  // namespace mesim
