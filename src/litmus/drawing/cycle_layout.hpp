// Where the events and relations of a forbidden execution are drawn: a column for each thread, its accesses
// as boxes below each other in program order, and between the columns gutters in which the relations run, so
// that no line crosses a box.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "litmus/axiomatic/reasons.hpp"
#include "litmus/drawing/svg.hpp"

namespace mesim::litmus {

struct CycleLayout {
  struct Line {
    std::vector<Point> path;
    std::string text;  // "rfe", "po: fence"
    Box label;
  };
  std::vector<Box> events;   // by event of the reason
  std::vector<Line> edges;   // by edge of the reason
  std::vector<Point> heads;  // by thread: the middle of its column, above the first event
  double width = 0;
  double height = 0;
};

// `top`: room left above the columns.
CycleLayout cycle_layout(const Reason& reason, double top);

}  // namespace mesim::litmus
