#include "litmus/drawing/hardware_drawing.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "litmus/drawing/texts.hpp"

namespace mesim::litmus {
namespace {

using Kind = HardwareStep::Kind;

constexpr double row_height = 24, head_height = 30, lane_margin = 14, wrong_dot = 8;

class HardwareChart {
 public:
  HardwareChart(const HardwareTrace& trace, double top) : trace_(trace), top_(top) {
    place_rows();
    place_columns();
    for (const HardwareStep& step : trace.steps) {
      if (step.kind == Kind::wrong)
        width_ = std::max(width_, wrong_text(step).x + text_width(step.text) + 16);
    }
  }

  void draw(Svg& svg) const {
    for (std::size_t p = 0; p < x_.size(); ++p) {
      if (!used_[p]) continue;
      svg.text({x_[p], top_ + 16}, trace_.participants[p], Svg::Anchor::middle, {"#222", true});
      svg.line({{x_[p], top_ + 22}, {x_[p], height() - 4}}, false, "lifeline", {"#aaa", false});
    }
    draw_arrows(svg);
    for (std::size_t s = 0; s < trace_.steps.size(); ++s) draw_step(svg, s);
  }
  double width() const { return width_; }
  double height() const { return y(rows_) - row_height / 2; }

 private:
  // What happens in one cycle stands in one row, as far as lines do not have two things to tell.
  void place_rows() {
    std::vector<bool> taken(trace_.participants.size());
    for (std::size_t s = 0; s < trace_.steps.size(); ++s) {
      const HardwareStep& step = trace_.steps[s];
      const bool alone = step.kind == Kind::wrong || (s > 0 && trace_.steps[s - 1].kind == Kind::wrong);
      if (s > 0 && (step.cycle != trace_.steps[s - 1].cycle || taken[step.at] || alone)) {
        ++rows_;
        taken.assign(taken.size(), false);
      }
      taken[step.at] = true;
      row_.push_back(rows_);
    }
    ++rows_;
  }

  void place_columns() {
    double x = text_margin + text_width("cycle 00000") + lane_margin;
    used_.assign(trace_.participants.size(), false);
    for (const HardwareStep& step : trace_.steps) {
      used_[step.at] = true;
      if (step.kind == Kind::message && step.other != HardwareStep::everyone) used_[step.other] = true;
    }
    for (std::size_t p = 0; p < trace_.participants.size(); ++p) {
      if (!used_[p]) {
        x_.push_back(x);
        continue;
      }
      double room = text_width(trace_.participants[p]);
      for (const HardwareStep& step : trace_.steps) {
        if (step.at == p && step.kind != Kind::wrong) room = std::max(room, text_width(words(step)));
      }
      room += 2 * lane_margin;
      x_.push_back(x + room / 2);
      x += room;
    }
    width_ = x;
  }

  static std::string words(const HardwareStep& step) {
    return step.kind == Kind::arrival ? "gets " + step.text : step.text;
  }
  double y(std::size_t row) const {
    return top_ + head_height + row_height * (static_cast<double>(row) + 0.5);
  }
  Point place(std::size_t s) const { return {x_[trace_.steps[s].at], y(row_[s])}; }
  // Where its words end to the right or left.
  Point beside(std::size_t s, bool right) const {
    const double half = text_width(words(trace_.steps[s])) / 2 + 3;
    return {place(s).x + (right ? half : -half), place(s).y};
  }
  Point wrong_text(const HardwareStep& step) const { return {x_[step.at] + 2 * wrong_dot, 0}; }

  // From each message to the step in which it is taken; links keep the order of what they carry.
  void draw_arrows(Svg& svg) const {
    std::vector<bool> taken(trace_.steps.size());
    for (std::size_t s = 0; s < trace_.steps.size(); ++s) {
      const HardwareStep& sent = trace_.steps[s];
      if (sent.kind != Kind::message) continue;
      if (sent.other == HardwareStep::everyone) {
        svg.line({{x_.front(), y(row_[s])}, {x_.back(), y(row_[s])}}, false, "everyone", {"#2455a4", false});
        continue;
      }
      for (std::size_t t = s + 1; t < trace_.steps.size(); ++t) {
        const HardwareStep& got = trace_.steps[t];
        if (taken[t] || got.kind != Kind::arrival || got.at != sent.other || got.other != sent.at ||
            got.text != sent.text)
          continue;
        taken[t] = true;
        const bool rightwards = place(t).x > place(s).x;
        svg.line({beside(s, rightwards), beside(t, !rightwards)}, true, "message", {"#2455a4", false});
        break;
      }
    }
  }

  void draw_step(Svg& svg, std::size_t s) const {
    const HardwareStep& step = trace_.steps[s];
    const Point at = place(s);
    if (s == 0 || trace_.steps[s - 1].cycle != step.cycle)
      svg.text({text_margin, at.y + 4}, fmt::format("cycle {}", step.cycle), Svg::Anchor::start,
               {"#555", false});
    if (step.kind == Kind::wrong) {
      const double length = text_width(step.text) + 12;
      svg.box({at.x - wrong_dot, at.y - wrong_dot, 2 * wrong_dot, 2 * wrong_dot}, "#c00", {"#c00", true});
      svg.text({at.x, at.y + 4}, "!", Svg::Anchor::middle, {"#fff", true});
      svg.label({wrong_text(step).x - 4, at.y - 8, length, 16}, step.text, {"#c00", true});
      return;
    }
    const std::string text = words(step);
    const double length = text_width(text) + 6;
    const Box box{at.x - length / 2, at.y - 8, length, 16};
    switch (step.kind) {
      case Kind::load:
        svg.box(box, "#fff8e0", {"#c90", false});
        break;
      case Kind::buffer:
        svg.box(box, "#e3edf9", {"#8ab", false});
        break;
      case Kind::line:
        svg.box(box, "#e7f4ea", {"#7a8", false});
        break;
      default:
        return svg.label(box, text, {"#2455a4", false});
    }
    svg.text({at.x, at.y + 4}, text, Svg::Anchor::middle, {});
  }

  const HardwareTrace& trace_;
  double top_;
  std::vector<std::size_t> row_;  // by step
  std::size_t rows_ = 0;
  std::vector<bool> used_;  // by participant: homes that have nothing to do with the run are left out
  std::vector<double> x_;
  double width_ = 0;
};

}  // namespace

std::string hardware_svg(const HardwareTrace& trace, const std::vector<std::string>& title) {
  Svg svg;
  const HardwareChart chart(trace, texts_height(title));
  chart.draw(svg);
  return finished(svg, chart.width(), chart.height(), title, {});
}

}  // namespace mesim::litmus
