#include <fmt/format.h>

#include <algorithm>

#include "litmus/drawing/drawing.hpp"
#include "litmus/drawing/texts.hpp"

namespace mesim::litmus {
namespace {

using Kind = MachineStep::Kind;

constexpr double row_height = 48, head_height = 34, column_gap = 24;

class Chart {
 public:
  Chart(const MachineTrace& trace, double top) : trace_(trace), top_(top) {}

  void draw(Svg& svg) {
    place_columns();
    for (std::size_t p = 0; p < names_.size(); ++p) draw_lifeline(svg, p);
    for (std::size_t s = 0; s < trace_.steps.size(); ++s) draw_step(svg, s);
  }
  double width() const { return width_; }
  double height() const { return y(trace_.steps.size()); }

 private:
  static constexpr std::size_t none = ~std::size_t{0};

  // Participants: for each thread its core and, when it has one, its store buffer; then memory.
  void place_columns() {
    const std::size_t threads = trace_.steps.empty() ? 0 : trace_.steps[0].waiting.size();
    std::vector<double> widths;
    double value = 50;
    for (const MachineStep& step : trace_.steps) value = std::max(value, text_width(step.value) + 30);
    const auto add = [&](std::string name, double room) {
      widths.push_back(std::max({room, value, text_width(name) + 24}));
      names_.push_back(std::move(name));
    };
    for (std::size_t t = 0; t < threads; ++t) {
      core_.push_back(names_.size());
      add(fmt::format("P{}", t), 0);
      double content = 0;
      for (const MachineStep& step : trace_.steps)
        content = std::max(content, text_width(step.waiting[t]) + 16);
      const bool buffered = trace_.buffers && content > 16;
      buffer_.push_back(buffered ? names_.size() : none);
      if (buffered) add(fmt::format("P{} buffer", t), content);
    }
    memory_ = names_.size();
    add("memory", 0);
    double x = text_margin;
    for (std::size_t s = 0; s < trace_.steps.size(); ++s)
      x = std::max(x, text_margin + text_width(instruction(s)) + column_gap);
    for (const double w : widths) {
      x_.push_back(x + w / 2);
      x += w;
    }
    notes_x_ = x + column_gap / 2;
    width_ = notes_x_;
    for (const MachineStep& step : trace_.steps)
      width_ = std::max(width_, notes_x_ + text_width(after(step)) + text_margin);
  }

  std::string instruction(std::size_t s) const {
    const MachineStep& step = trace_.steps[s];
    return fmt::format("{:>2}  P{}  {}", s + 1, step.thread, step.instruction);
  }

  // Memory and what threads have not performed yet.
  std::string after(const MachineStep& step) const {
    std::string text = step.memory;
    if (trace_.buffers) return text;
    for (std::size_t t = 0; t < step.waiting.size(); ++t)
      if (!step.waiting[t].empty()) text += fmt::format("   P{} still: {}", t, step.waiting[t]);
    return text;
  }

  double y(std::size_t step) const {
    return top_ + head_height + row_height * (static_cast<double>(step) + 0.5);
  }

  void draw_lifeline(Svg& svg, std::size_t p) const {
    svg.text({x_[p], top_ + 18}, names_[p], Svg::Anchor::middle, {"#222", true});
    svg.line({{x_[p], top_ + head_height - 8}, {x_[p], y(trace_.steps.size()) - row_height / 2}}, false,
             "lifeline", {"#aaa", false});
    const auto thread = std::find(buffer_.begin(), buffer_.end(), p);
    if (thread == buffer_.end()) return;
    // a bar while the buffer holds stores
    const auto t = static_cast<std::size_t>(thread - buffer_.begin());
    const auto holds = [&](std::size_t s) {
      return s < trace_.steps.size() && !trace_.steps[s].waiting[t].empty();
    };
    for (std::size_t s = 0, end = 0; s < trace_.steps.size(); s = end + 1) {
      for (end = s; holds(end);) ++end;
      const double height = row_height * static_cast<double>(end - s);
      if (end > s) svg.box({x_[p] - 4, y(s), 8, height}, "#e3edf9", {"#8ab", false});
    }
  }

  void draw_step(Svg& svg, std::size_t s) const {
    const MachineStep& step = trace_.steps[s];
    const std::size_t core = core_[step.thread], buffer = buffer_[step.thread];
    const double at = y(s);
    svg.text({text_margin, at + 4}, instruction(s), Svg::Anchor::start, {"#222", false});
    svg.text({notes_x_, at + 4}, after(step), Svg::Anchor::start, {"#555", false});
    switch (step.kind) {
      case Kind::nothing:
        draw_note(svg, core, at, step.instruction);
        break;
      case Kind::core_to_buffer:
        draw_arrow(svg, core, buffer, at, step);
        break;
      case Kind::core_to_memory:
        draw_arrow(svg, core, memory_, at, step);
        break;
      case Kind::buffer_to_memory:
        draw_arrow(svg, buffer, memory_, at, step);
        break;
      case Kind::memory_to_core:
        draw_arrow(svg, memory_, core, at, step);
        break;
      case Kind::buffer_to_core:
        if (buffer == none)
          draw_note(svg, core, at, step.value);
        else
          draw_arrow(svg, buffer, core, at, step);
        break;
      case Kind::exchange:
        draw_arrow(svg, memory_, core, at, step);
        svg.line({{x_[core], at + 7}, {x_[memory_], at + 7}}, true, "move", {"#c00", false});
        break;
    }
    const bool moved = step.kind == Kind::core_to_buffer || step.kind == Kind::buffer_to_memory;
    if (moved && buffer != none && !step.waiting[step.thread].empty()) {
      const std::string& content = step.waiting[step.thread];
      const double w = text_width(content) + 8;
      const Box box{x_[buffer] - w / 2, at + 8, w, 20};
      svg.box(box, "#e3edf9", {"#8ab", false});
      svg.text({x_[buffer], box.y + 14}, content, Svg::Anchor::middle, {"#246", false});
    }
  }

  // An event of one participant alone.
  void draw_note(Svg& svg, std::size_t p, double at, const std::string& text) const {
    const double w = std::max(text_width(text) + 8, 30.0);
    svg.box({x_[p] - w / 2, at - 10, w, 20}, "#fff8e0", {"#c90", false});
    svg.text({x_[p], at + 4}, text, Svg::Anchor::middle, {"#640", false});
  }

  void draw_arrow(Svg& svg, std::size_t from, std::size_t to, double at, const MachineStep& step) const {
    const std::string_view color = step.kind == Kind::memory_to_core || step.kind == Kind::buffer_to_core
                                       ? "#27803a"
                                   : step.kind == Kind::exchange ? "#c00"
                                                                 : "#2455a4";
    svg.line({{x_[from], at}, {x_[to], at}}, true, "move", {color, true});
    // the text in the first space behind the sender, above the line
    const std::size_t next = to > from ? from + 1 : from - 1;
    const double middle = (x_[from] + x_[next]) / 2, w = text_width(step.value) + 6;
    svg.label({middle - w / 2, at - 18, w, 16}, step.value, {color, false});
  }

  const MachineTrace& trace_;
  double top_;
  std::vector<std::string> names_;
  std::vector<std::size_t> core_, buffer_;  // by thread
  std::size_t memory_ = 0;
  std::vector<double> x_;  // by participant
  double notes_x_ = 0, width_ = 0;
};

}  // namespace

std::string trace_svg(const MachineTrace& trace, const std::vector<std::string>& title,
                      const std::vector<std::string>& notes) {
  Svg svg;
  Chart chart(trace, texts_height(title));
  chart.draw(svg);
  return finished(svg, chart.width(), chart.height(), title, notes);
}

}  // namespace mesim::litmus
