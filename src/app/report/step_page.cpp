// A run on the bus access by access, as a player that needs no script.
#include <fmt/format.h>

#include "app/report/frame.hpp"
#include "app/report/html.hpp"
#include "app/report/page.hpp"

namespace mesim {
namespace {

std::string cell(const std::string& before, const std::string& after) {
  if (before == after) return fmt::format("<td>{}</td>", after);
  return fmt::format("<td class=\"changed\">{} &rarr; {}</td>", before, after);
}

std::string states(const StepStory& story, const Step& step) {
  std::string out =
      "<div class=\"scroll\"><table><caption>Copies of each line</caption><thead><tr><th "
      "scope=\"col\">line</th>";
  for (unsigned core = 0; core < story.cores; ++core) out += fmt::format("<th scope=\"col\">P{}</th>", core);
  out += "<th scope=\"col\">memory</th></tr></thead><tbody>\n";
  for (const StepLine& line : step.lines) {
    out += fmt::format("<tr><th scope=\"row\">0x{:x}</th>", line.address);
    for (std::size_t core = 0; core < line.after.size(); ++core)
      out += cell(line.before[core], line.after[core]);
    out += fmt::format("<td>{}</td></tr>\n", line.current ? "current" : "old");
  }
  return out + "</tbody></table></div>";
}

}  // namespace

std::string step_page(const std::string& name, const StepStory& story) {
  std::vector<html::Frame> frames;
  for (const Step& step : story.steps) {
    std::string body = fmt::format("<p>{}</p>", html::escaped(step.happened));
    if (!step.lines.empty()) body += states(story, step);
    frames.push_back({step.access, std::move(body)});
  }
  return framed(name, {{"steps", "Access by access",
                        html::player("Steps; the arrow keys go from one to the next", frames)},
                       {"sums", "Together", fmt::format("<pre>{}</pre>", html::escaped(story.sums))}});
}

}  // namespace mesim
