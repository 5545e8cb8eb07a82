// The options of a command that can write a timeline, and what they ask for.
#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "app/command.hpp"
#include "sim/timeline.hpp"
#include "system/config.hpp"

namespace mesim {

struct TimelineChoice {
  std::string file;    // empty: none
  std::string window;  // "A:B" in cycles, either left out; empty: everything
  std::uint64_t sample = 1;
  std::uint64_t limit_mib = 256;
};

void declare_timeline(Arguments& arguments, TimelineChoice& choice);

// Null if none is asked for. `source` names the config. Throws bad_input for a window that is none and for a
// run without time, file_error if the file cannot be made.
std::unique_ptr<Timeline> timeline_of(const TimelineChoice& choice, const SystemConfig& config,
                                      const std::string& source);

// Completes the file and says on stderr what is in it.
void keep_timeline(const TimelineChoice& choice, Timeline& timeline);

}  // namespace mesim
