#include "litmus/drawing/cycle_layout.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

namespace mesim::litmus {
namespace {

constexpr double margin = 16, head_height = 26;
constexpr double box_height = 46, box_padding = 10;
constexpr double label_height = 16, label_padding = 4;
constexpr double row_gap = 46;        // between boxes, with room for the label of program order
constexpr double track = 18;          // between lines side by side
constexpr double first_channel = 30;  // below a box, where the first line that passes under it runs
constexpr double narrow_gutter = 26;

enum class Way : unsigned char {
  down,       // to the next event of the thread
  loop,       // to another event of the thread, around the boxes between
  neighbour,  // straight through the gutter to the next column
  far,        // along a row of other columns
};

struct End {
  std::size_t event;
  bool right;  // side of the box
  double y = 0;
};

struct Route {
  Way way = Way::down;
  End from, to;
  std::size_t channel = 0;  // row above which a far line runs
  std::size_t channel_track = 0;
  std::array<std::size_t, 2> gutter_track{};  // at both ends of a far line; the first also of a loop
};

class Layouter {
 public:
  Layouter(const Reason& reason, double top) : reason_(reason), top_(top) {}

  CycleLayout run() {
    place_in_grid();
    choose_routes();
    place_boxes();
    place_ports();
    for (std::size_t e = 0; e < routes_.size(); ++e) out_.edges[e].path = path(routes_[e]);
    place_labels();
    return std::move(out_);
  }

 private:
  struct Gutter {
    std::size_t left_tracks = 0, right_tracks = 0;
    double loop_label = 0, label = 0;  // widths
    bool crossed = false;              // by lines between its columns
    double x = 0, width = 0;
  };

  const ReasonEvent& event(std::size_t e) const { return reason_.events[e]; }
  std::size_t column(std::size_t e) const { return event(e).thread; }

  void place_in_grid() {
    for (const ReasonEvent& e : reason_.events) {
      columns_ = std::max<std::size_t>(columns_, e.thread + 1);
      column_width_.resize(columns_, 60);
      std::size_t row = 0;
      for (std::size_t k = row_.size(); k-- > 0 && event(k).thread == e.thread;) ++row;
      row_.push_back(row);
      rows_ = std::max(rows_, row + 1);
      const double text = std::max(text_width(e.access), text_width(e.instruction));
      column_width_[e.thread] = std::max(column_width_[e.thread], text + 2 * box_padding);
    }
    channel_tracks_.assign(rows_ + 1, 0);
    gutters_.resize(columns_ + 1);
  }

  void choose_routes() {
    std::vector<char> straight_taken(reason_.events.size(), 0);  // by event above
    for (const ReasonEdge& edge : reason_.edges) {
      CycleLayout::Line line;
      line.text = edge.why.empty() ? edge.relation : edge.relation + ": " + edge.why;
      line.label = {0, 0, text_width(line.text) + 2 * label_padding, label_height};
      Route route;
      const std::size_t a = column(edge.from), b = column(edge.to);
      route.from = {edge.from, b >= a};
      route.to = {edge.to, b <= a};
      if (a == b && row_[edge.to] == row_[edge.from] + 1 && straight_taken[edge.from] == 0) {
        straight_taken[edge.from] = 1;
        column_width_[a] = std::max(column_width_[a], line.label.width);
      } else if (a == b) {
        route.way = Way::loop;
        Gutter& gutter = gutters_[a + 1];
        route.gutter_track[0] = gutter.left_tracks++;
        gutter.loop_label = std::max(gutter.loop_label, line.label.width);
      } else if (a + 1 == b || b + 1 == a) {
        route.way = Way::neighbour;
        Gutter& gutter = gutters_[std::max(a, b)];
        gutter.crossed = true;
        gutter.label = std::max(gutter.label, line.label.width);
      } else {
        route.way = Way::far;
        route.channel = row_[edge.to] > row_[edge.from] ? row_[edge.from] + 1 : row_[edge.from];
        route.channel_track = channel_tracks_[route.channel]++;
        route.gutter_track = {take_track(route.from), take_track(route.to)};
      }
      routes_.push_back(route);
      out_.edges.push_back(line);
    }
  }

  std::size_t take_track(const End& end) {
    const std::size_t c = column(end.event);
    return end.right ? gutters_[c + 1].left_tracks++ : gutters_[c].right_tracks++;
  }

  static double first_left_track(const Gutter& gutter) { return std::max(14.0, gutter.loop_label / 2 + 4); }

  void place_boxes() {
    double x = margin;
    for (std::size_t c = 0; c <= columns_; ++c) {
      Gutter& gutter = gutters_[c];
      gutter.x = x;
      if (gutter.left_tracks > 0)
        gutter.width += first_left_track(gutter) + track * static_cast<double>(gutter.left_tracks);
      if (gutter.right_tracks > 0) gutter.width += 14 + track * static_cast<double>(gutter.right_tracks);
      if (gutter.crossed) gutter.width += gutter.label + 70;
      if (gutter.loop_label > 0) gutter.width += gutter.loop_label / 2;
      const bool outside = c == 0 || c == columns_;
      if (!outside) gutter.width = std::max(gutter.width, narrow_gutter);
      x += gutter.width;
      if (c == columns_) break;
      out_.heads.push_back({x + column_width_[c] / 2, top_ + head_height - 10});
      column_x_.push_back(x);
      x += column_width_[c];
    }
    out_.width = x + margin;
    double y = top_ + head_height + track * static_cast<double>(channel_tracks_[0]);
    for (std::size_t r = 0; r < rows_; ++r) {
      row_y_.push_back(y);
      y += box_height + row_gap + track * static_cast<double>(channel_tracks_[r + 1]);
    }
    out_.height = y - row_gap + margin;
    for (std::size_t e = 0; e < reason_.events.size(); ++e)
      out_.events.push_back({column_x_[column(e)], row_y_[row_[e]], column_width_[column(e)], box_height});
  }

  // The ends of lines on one side of a box, in the order of where they lead.
  void place_ports() {
    std::vector<std::tuple<std::size_t, bool, double, std::size_t, End*>> ends;
    for (std::size_t e = 0; e < routes_.size(); ++e) {
      Route& route = routes_[e];
      if (route.way == Way::down) continue;
      for (End* end : {&route.from, &route.to}) {
        const End& other = end == &route.from ? route.to : route.from;
        const double there = route.way == Way::far ? channel_y(route) : out_.events[other.event].y;
        ends.emplace_back(end->event, end->right, there, e, end);
      }
    }
    std::sort(ends.begin(), ends.end());
    for (std::size_t first = 0; first < ends.size();) {
      std::size_t last = first;
      while (last < ends.size() && std::get<0>(ends[last]) == std::get<0>(ends[first]) &&
             std::get<1>(ends[last]) == std::get<1>(ends[first]))
        ++last;
      const Box& box = out_.events[std::get<0>(ends[first])];
      for (std::size_t k = first; k < last; ++k)
        std::get<4>(ends[k])->y =
            box.y + box.height * static_cast<double>(k - first + 1) / static_cast<double>(last - first + 1);
      first = last;
    }
  }

  double channel_y(const Route& route) const {
    const double offset = track * static_cast<double>(route.channel_track);
    if (route.channel == 0) return top_ + head_height + offset;
    return row_y_[route.channel - 1] + box_height + first_channel + offset;
  }

  double side_x(const End& end) const {
    const Box& box = out_.events[end.event];
    return end.right ? box.x + box.width : box.x;
  }

  double track_x(const End& end, std::size_t number) const {
    const std::size_t c = column(end.event);
    const double offset = track * static_cast<double>(number);
    if (end.right) return gutters_[c + 1].x + first_left_track(gutters_[c + 1]) + offset;
    return gutters_[c].x + gutters_[c].width - 14 - offset;
  }

  std::vector<Point> path(const Route& route) const {
    const Box& from = out_.events[route.from.event];
    const Box& to = out_.events[route.to.event];
    const Point start{side_x(route.from), route.from.y}, end{side_x(route.to), route.to.y};
    switch (route.way) {
      case Way::down:
        return {{from.middle().x, from.y + from.height}, {to.middle().x, to.y}};
      case Way::neighbour:
        return {start, end};
      case Way::loop: {
        const double x = track_x(route.from, route.gutter_track[0]);
        return {start, {x, start.y}, {x, end.y}, end};
      }
      case Way::far:
        break;
    }
    const double x1 = track_x(route.from, route.gutter_track[0]);
    const double x2 = track_x(route.to, route.gutter_track[1]);
    const double y = channel_y(route);
    return {start, {x1, start.y}, {x1, y}, {x2, y}, {x2, end.y}, end};
  }

  // On the longest part of the line that touches no box, as near its middle as nothing is in the way.
  void place_labels() {
    std::vector<Box> taken = out_.events;
    for (std::size_t e = 0; e < routes_.size(); ++e) {
      CycleLayout::Line& line = out_.edges[e];
      if (routes_[e].way != Way::down) continue;
      line.label.x = line.path[0].x - line.label.width / 2;
      line.label.y = line.path[0].y + 6;
      taken.push_back(line.label);
    }
    for (std::size_t e = 0; e < routes_.size(); ++e) {
      if (routes_[e].way == Way::down) continue;
      place_label(out_.edges[e], taken);
      taken.push_back(out_.edges[e].label);
    }
  }

  static void place_label(CycleLayout::Line& line, const std::vector<Box>& taken) {
    std::size_t longest = line.path.size() > 2 ? 1 : 0;
    const auto length = [&](std::size_t k) {
      return std::hypot(line.path[k + 1].x - line.path[k].x, line.path[k + 1].y - line.path[k].y);
    };
    for (std::size_t k = 1; k + 2 < line.path.size(); ++k)
      if (length(k) > length(longest)) longest = k;
    const Point a = line.path[longest], b = line.path[longest + 1];
    Box& label = line.label;
    constexpr int steps = 40;
    for (int k = 0; k <= steps; ++k) {
      // the middle, then alternately further to both ends
      const double off = 0.45 * ((k + 1) / 2) * 2 / steps * (k % 2 == 0 ? 1 : -1);
      label.x = a.x + (b.x - a.x) * (0.5 + off) - label.width / 2;
      label.y = a.y + (b.y - a.y) * (0.5 + off) - label.height / 2;
      if (std::none_of(taken.begin(), taken.end(), [&](const Box& t) { return t.overlaps(label); })) return;
    }
  }

  const Reason& reason_;
  double top_;
  CycleLayout out_;
  std::size_t columns_ = 0, rows_ = 0;
  std::vector<std::size_t> row_;  // by event
  std::vector<double> column_width_, column_x_, row_y_;
  std::vector<Gutter> gutters_;              // by the column to their right
  std::vector<std::size_t> channel_tracks_;  // by the row below
  std::vector<Route> routes_;                // by edge
};

}  // namespace

CycleLayout cycle_layout(const Reason& reason, double top) { return Layouter(reason, top).run(); }

}  // namespace mesim::litmus
