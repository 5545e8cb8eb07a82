// Pieces of a report page: text made safe, tables, and drawings as inline SVG that need no script. Colours
// are classes c0 ... c7 of the page's style, so that light, dark and print share one drawing.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mesim::html {

inline constexpr std::size_t colours = 8;

// Text between tags or in an attribute.
std::string escaped(std::string_view text);

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
std::string legend(const std::vector<std::string>& names);  // in the order of the colours

// Curves over a common axis of numbers; points with the same x are joined in order.
struct Curve {
  std::string name;
  std::vector<std::pair<double, double>> points;
};
struct Axes {
  std::string x;
  std::string y;
  bool log_x = false;
};
std::string curves(const Axes& axes, const std::vector<Curve>& all);

}  // namespace mesim::html
