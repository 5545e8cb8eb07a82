#include "coherence/checker/chart.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace mesim::checker {
namespace {

struct Arrow {
  std::string text;
  std::size_t from = 0, to = 0;  // participants
  std::size_t sent = 0;          // step
  std::size_t taken = 0;         // step; beyond the last if nobody took it
};

std::size_t index_of(const std::vector<std::string>& participants, std::string_view name) {
  return static_cast<std::size_t>(std::find(participants.begin(), participants.end(), name) -
                                  participants.begin());
}

// Pairs both ends of every message. Equal messages are taken in the order they were sent.
std::vector<Arrow> arrows_of(const std::vector<std::string>& participants, const Violation& violation) {
  std::vector<Arrow> out;
  const std::size_t end = violation.steps.size();
  for (std::size_t i = 0; i < end; ++i) {
    const StepText& step = violation.steps[i];
    const std::size_t actor = index_of(participants, step.actor);
    for (Arrow& arrow : out) {
      if (step.received.empty() || arrow.taken != end || arrow.text != step.received) continue;
      arrow.to = actor;
      arrow.taken = i;
      break;
    }
    for (const std::string& text : step.sent) {
      const std::size_t to = text.rfind(" to ");
      const std::size_t target =
          to == std::string::npos ? actor : index_of(participants, text.substr(to + 4));
      out.push_back({text, actor, std::min(target, participants.size() - 1), i, end});
    }
  }
  return out;
}

// Without " to X", which the arrow shows.
std::string label_of(const Arrow& arrow) { return arrow.text.substr(0, arrow.text.rfind(" to ")); }

std::string doing(const StepText& step) {
  const bool takes = !step.received.empty();
  const std::string change =
      step.before == step.after ? "in " + step.before : step.before + " -> " + step.after;
  return takes ? change : step.event + ": " + change;
}

// One line of the text chart: lifelines, over which labels are written.
class Line {
 public:
  Line(std::size_t participants, std::size_t width) : width_(width), text_(participants * width, ' ') {
    for (std::size_t i = 0; i < participants; ++i) text_[center(i)] = '|';
  }
  std::size_t center(std::size_t participant) const { return participant * width_ + width_ / 2; }
  void write(std::size_t middle, std::string_view label) {
    const std::size_t half = label.size() / 2;
    const std::size_t latest = text_.size() > label.size() ? text_.size() - label.size() : 0;
    const std::size_t begin = std::min(middle > half ? middle - half : 0, latest);
    if (begin + label.size() > text_.size()) text_.resize(begin + label.size(), ' ');
    text_.replace(begin, label.size(), label);
  }
  void arrow(std::size_t from, std::size_t to, std::string_view label) {
    const std::size_t left = std::min(center(from), center(to)) + 1;
    const std::size_t right = std::max(center(from), center(to));
    for (std::size_t i = left; i < right; ++i) text_[i] = '-';
    if (center(to) > center(from)) text_[right - 1] = '>';
    if (center(to) < center(from)) text_[left] = '<';
    write((left + right) / 2, fmt::format(" {} ", label));
  }
  std::string str() const { return text_.substr(0, text_.find_last_not_of(' ') + 1); }

 private:
  std::size_t width_;
  std::string text_;
};

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text)
    out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
  return out;
}

}  // namespace

std::string chart_text(const std::vector<std::string>& participants, const Violation& violation) {
  const std::size_t count = participants.size();
  const std::size_t width = std::clamp<std::size_t>(94 / count, 12, 30);
  const std::vector<Arrow> arrows = arrows_of(participants, violation);
  Line head(count, width);
  for (std::size_t i = 0; i < count; ++i) head.write(head.center(i), fmt::format(" {} ", participants[i]));
  std::string out = "      " + head.str() + "\n";
  for (std::size_t i = 0; i < violation.steps.size(); ++i) {
    const StepText& step = violation.steps[i];
    for (const Arrow& arrow : arrows) {
      if (arrow.taken != i) continue;
      Line line(count, width);
      line.arrow(arrow.from, arrow.to, fmt::format("{} @{}", label_of(arrow), arrow.sent + 1));
      out += "      " + line.str() + "\n";
    }
    Line line(count, width);
    line.write(line.center(index_of(participants, step.actor)), fmt::format("[{}]", doing(step)));
    out += fmt::format("{:>4}  {}\n", i + 1, line.str());
  }
  for (const Arrow& arrow : arrows) {
    if (arrow.taken == violation.steps.size())
      out += fmt::format("      under way: {}, sent by {} @{}\n", arrow.text, participants[arrow.from],
                         arrow.sent + 1);
  }
  return out + fmt::format("      {}: {}\n", violation.invariant, violation.detail);
}

std::string chart_svg(const std::vector<std::string>& participants, const Violation& violation) {
  constexpr double column = 190, row = 44, top = 60, margin = 110;
  const std::size_t end = violation.steps.size();
  const auto x = [&](std::size_t participant) { return margin + column * static_cast<double>(participant); };
  const auto y = [&](std::size_t step) { return top + row * (static_cast<double>(step) + 0.5); };
  const double width = x(participants.size() - 1) + margin, height = y(end) + 50;
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} "
      "{1:.0f}\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n"
      "<defs><marker id=\"head\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"8\" "
      "markerHeight=\"8\" "
      "orient=\"auto\"><path d=\"M0,0 L8,4 L0,8 z\" fill=\"#236\"/></marker></defs>\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
      width, height);
  for (std::size_t i = 0; i < participants.size(); ++i) {
    out += fmt::format(
        "<line x1=\"{0:.0f}\" y1=\"40\" x2=\"{0:.0f}\" y2=\"{1:.0f}\" stroke=\"#999\"/>\n"
        "<text x=\"{0:.0f}\" y=\"26\" text-anchor=\"middle\" font-weight=\"bold\">{2}</text>\n",
        x(i), y(end), escaped(participants[i]));
  }
  for (const Arrow& arrow : arrows_of(participants, violation)) {
    const double x1 = x(arrow.from), y1 = y(arrow.sent) + 4, x2 = x(arrow.to), y2 = y(arrow.taken) - 12;
    // the text stands near the head, where arrows of different senders part
    const double at = 0.62, tx = x1 + (x2 - x1) * at, ty = y1 + (y2 - y1) * at - 4;
    out += fmt::format(
        "<line x1=\"{:.0f}\" y1=\"{:.0f}\" x2=\"{:.0f}\" y2=\"{:.0f}\" stroke=\"#236\"{} "
        "marker-end=\"url(#head)\"/>\n<text x=\"{:.0f}\" y=\"{:.0f}\" text-anchor=\"middle\" "
        "fill=\"#236\">{}</text>\n",
        x1, y1, x2, y2, arrow.taken == end ? " stroke-dasharray=\"4 3\"" : "", tx, ty,
        escaped(label_of(arrow)));
  }
  for (std::size_t i = 0; i < end; ++i) {
    const StepText& step = violation.steps[i];
    const bool failing = i + 1 == end;
    out += fmt::format(
        "<text x=\"{:.0f}\" y=\"{:.0f}\" text-anchor=\"middle\" fill=\"{}\" stroke=\"white\" "
        "stroke-width=\"4\" paint-order=\"stroke\">{}. {}</text>\n",
        x(index_of(participants, step.actor)), y(i), failing ? "#b00" : "#000", i + 1, escaped(doing(step)));
  }
  return out + fmt::format("<text x=\"10\" y=\"{:.0f}\" fill=\"#b00\">{}: {}</text>\n</svg>\n", height - 14,
                           escaped(violation.invariant), escaped(violation.detail));
}

}  // namespace mesim::checker
