#include <algorithm>

#include "litmus/drawing/cycle_layout.hpp"
#include "litmus/drawing/drawing.hpp"
#include "litmus/drawing/texts.hpp"

namespace mesim::litmus {
namespace {

constexpr std::string_view cycle_color = "#c00";

std::string_view color_of(const ReasonEdge& edge) {
  if (edge.in_cycle) return cycle_color;
  switch (edge.relation[0]) {
    case 'r':
      return "#27803a";  // reads from
    case 'c':
      return "#2455a4";  // coherence
    case 'f':
      return "#a06000";  // from reads
    default:
      return "#888";
  }
}

}  // namespace

std::string reason_svg(const Reason& reason, const std::vector<std::string>& title,
                       const std::vector<std::string>& notes) {
  const CycleLayout layout = cycle_layout(reason, texts_height(title));
  Svg svg;
  for (std::size_t t = 0; t < layout.heads.size(); ++t)
    svg.text(layout.heads[t], "P" + std::to_string(t), Svg::Anchor::middle, {"#222", true});
  // the cycle last, so that it lies on top
  for (const bool in_cycle : {false, true})
    for (std::size_t e = 0; e < layout.edges.size(); ++e)
      if (reason.edges[e].in_cycle == in_cycle)
        svg.line(layout.edges[e].path, true, in_cycle ? "cycle edge" : "edge",
                 {color_of(reason.edges[e]), in_cycle});
  for (std::size_t e = 0; e < layout.edges.size(); ++e)
    svg.label(layout.edges[e].label, layout.edges[e].text,
              {color_of(reason.edges[e]), reason.edges[e].in_cycle});
  for (std::size_t e = 0; e < layout.events.size(); ++e) {
    const bool in_cycle = std::any_of(reason.cycle.begin(), reason.cycle.end(),
                                      [&](const CycleEvent& c) { return c.event == e; });
    const Box& box = layout.events[e];
    svg.box(box, in_cycle ? "#fff1f0" : "#f6f6f6",
            {in_cycle ? cycle_color : std::string_view("#888"), in_cycle});
    svg.text({box.middle().x, box.y + 18}, reason.events[e].access, Svg::Anchor::middle, {"#222", true});
    svg.text({box.middle().x, box.y + 36}, reason.events[e].instruction, Svg::Anchor::middle,
             {"#555", false});
  }
  return finished(svg, layout.width, layout.height, title, notes);
}

}  // namespace mesim::litmus
