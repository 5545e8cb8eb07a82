// A drawing as a self-contained SVG image (W3C, Scalable Vector Graphics 1.1). Texts are set in a fixed-width
// font, so that their widths are known without measuring; coordinates are in pixels, y downwards.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace mesim::litmus {

struct Point {
  double x = 0;
  double y = 0;
};

struct Box {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;

  Point middle() const { return {x + width / 2, y + height / 2}; }
  // By more than a shared border.
  bool overlaps(const Box& other) const {
    return x < other.x + other.width && other.x < x + width && y < other.y + other.height &&
           other.y < y + height;
  }
};

inline constexpr double text_size = 12;
// Slightly more than the 0.6 em of the usual fixed-width fonts.
inline double text_width(std::string_view text) {
  return 0.61 * text_size * static_cast<double>(text.size());
}

class Svg {
 public:
  enum class Anchor : unsigned char { start, middle };
  struct Ink {
    std::string_view color = "#222";
    bool strong = false;  // bold text, thick line
  };

  void text(Point baseline, std::string_view text, Anchor anchor, Ink ink);
  // Its text in the middle, on a white ground that hides the lines behind it.
  void label(const Box& box, std::string_view text, Ink ink);
  void box(const Box& box, std::string_view fill, Ink ink);
  // Through the points; with a head at the last when `arrow`. `kind` becomes its class.
  void line(const std::vector<Point>& points, bool arrow, std::string_view kind, Ink ink);

  std::string document(double width, double height) const;

 private:
  std::string body_;
};

}  // namespace mesim::litmus
