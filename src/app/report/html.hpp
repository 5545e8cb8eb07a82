// Pieces of a report page: text made safe, tables, and drawings as inline SVG that need no script. Colours
// are classes c0 ... c7 of the page's style, so that light, dark and print share one drawing.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/markup.hpp"

namespace mesim::html {

inline constexpr std::size_t colours = 8;

// Text between tags or in an attribute.
inline std::string escaped(std::string_view text) { return escaped_markup(text); }

// The first column names the row, the others are right-aligned numbers. Cells are text, not HTML.
std::string table(const std::string& caption, const std::vector<std::string>& header,
                  const std::vector<std::vector<std::string>>& rows);

// A table whose cells are shaded by their share of `darkest`.
struct HeatRow {
  std::string name;
  std::vector<double> values;
};
std::string heat_map(const std::string& caption, const std::vector<std::string>& header,
                     const std::vector<HeatRow>& rows, double darkest);

// Horizontal bars, each divided into parts; every bar is drawn as its share of the longest.
struct Part {
  std::size_t colour = 0;
  double amount = 0;
  std::string title;  // what a pointer over it, or a screen reader, is told
};
struct Bar {
  std::string name;
  std::vector<Part> parts;
  std::string figure;  // behind the bar
};
std::string bars(const std::string& label, const std::vector<Bar>& rows);
std::string legend(
    const std::vector<std::string>& names);  // in the order of the colours; "": none of this one

// Curves over a common axis of numbers; points with the same x are joined in order.
struct Curve {
  std::string name;
  std::vector<std::pair<double, double>> points;
};
struct Axes {
  std::string x;
  std::string y;
  bool log_x = false;
  bool bytes_x = false;  // figures of x as KiB, MiB, ...
};
std::string curves(const Axes& axes, const std::vector<Curve>& all);

// Columns over ranges of the axis, the distributions in front of each other.
struct Bin {
  double from = 0;
  double until = 0;
  double amount = 0;
};
struct Distribution {
  std::string name;
  std::vector<Bin> bins;
};
std::string histogram(const Axes& axes, const std::vector<Distribution>& all);

// Dots from the origin on; the strong ones are joined in their order.
struct Dot {
  double x = 0;
  double y = 0;
  bool strong = false;
  std::string title;
};
std::string scatter(const Axes& axes, const std::vector<Dot>& dots);

// What each unit did when: rows with spans over a common axis.
struct Span {
  double from = 0;
  double until = 0;
  std::size_t colour = 0;
  std::string title;
};
struct Lane {
  std::string name;
  std::vector<Span> spans;
};
std::string lanes(const std::string& label, const std::string& axis, const std::vector<Lane>& rows);

// One frame at a time, with a way to the next and the last, by click or arrow key and without a script. Paper
// gets all of them. One player a page.
struct Frame {
  std::string title;
  std::string body;  // HTML
};
std::string player(const std::string& label, const std::vector<Frame>& frames);

}  // namespace mesim::html
