// A run access by access, to be read: who did what, what went over the bus, what became of every cache's
// copy, and whether memory is current. For small traces and programs on an atomic bus, in any order.
//
//     2  P1 reads counter[1] at 0x1004
//        BusRd, P0 supplies, memory takes the line
//        line                P0     P1     memory
//        0x1000              M>S    ->S    current
//
// "M>S": the copy was in M and is in S now; "-": none. Hits that change nothing are one line.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "system/config.hpp"

namespace mesim {

struct StepViewOptions {
  std::uint64_t limit = 100;  // steps; then the view says that it stopped
};

// A line after a step: by core its state before and after, "-" for none.
struct StepLine {
  std::uint64_t address = 0;
  std::vector<std::string> before;
  std::vector<std::string> after;
  bool current = true;  // in memory
};

struct Step {
  std::string access;           // "P1 reads counter[1] at 0x1004", with a clock "cycle 7  " in front
  std::string happened;         // "BusRd, P0 supplies, memory takes the line"; of a hit "hit in M"
  bool hit = false;             // that changed nothing, so that no lines are shown
  std::vector<StepLine> lines;  // those used last, by address
};

struct StepStory {
  unsigned cores = 0;
  std::vector<Step> steps;
  std::string sums;  // what they added up to
};

// `source` names the config in messages. Throws bad_input for more than 8 cores and for a machine without an
// atomic bus, and what run_system throws.
StepStory step_story(const SystemConfig& config, const std::string& source,
                     const StepViewOptions& options = {});

// Lines of at most 80 columns.
std::string step_text(const StepStory& story);
inline std::string step_view(const SystemConfig& config, const std::string& source,
                             const StepViewOptions& options = {}) {
  return step_text(step_story(config, source, options));
}

}  // namespace mesim
