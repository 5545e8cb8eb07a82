// The error of asking a trace for a thread that it does not have.
#pragma once
#include <fmt/format.h>

#include "sim/error.hpp"
#include "traces/trace.hpp"

namespace mesim {

inline void check_thread(const TraceInfo& info, std::uint32_t index) {
  if (index >= info.threads)
    throw bad_input({info.path},
                    fmt::format("thread {} asked for, the trace has {} thread{}, numbered from 0", index,
                                info.threads, info.threads == 1 ? "" : "s"));
}

}  // namespace mesim
