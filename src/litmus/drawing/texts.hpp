// The lines of text above and below a drawing.
#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include "litmus/drawing/svg.hpp"

namespace mesim::litmus {

inline constexpr double text_line = 18;
inline constexpr double text_margin = 16;

inline double texts_height(const std::vector<std::string>& lines) {
  return text_margin + text_line * static_cast<double>(lines.size());
}

// The document of `width` by `height` with its texts: the first line of the title is strong.
inline std::string finished(Svg& svg, double width, double height, const std::vector<std::string>& title,
                            const std::vector<std::string>& notes) {
  const auto write = [&](const std::vector<std::string>& lines, double y, bool strong) {
    for (const std::string& line : lines) {
      y += text_line;
      svg.text({text_margin, y}, line, Svg::Anchor::start, {"#222", strong && &line == lines.data()});
      width = std::max(width, text_width(line) + 2 * text_margin);
    }
  };
  write(title, 4, true);
  write(notes, height - 4, false);
  return svg.document(width, height + texts_height(notes) - (notes.empty() ? text_margin : 0));
}

}  // namespace mesim::litmus
