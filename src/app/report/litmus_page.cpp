#include "app/report/litmus_page.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "app/report/frame.hpp"
#include "app/report/html.hpp"
#include "litmus/drawing/hardware_drawing.hpp"
#include "litmus/result_output.hpp"

namespace mesim {
namespace {

// A test by model: the verdict as a word and a mark, never by colour alone.
std::string verdict_row(const litmus::TestResult& result) {
  std::string out = fmt::format("<tr><th scope=\"row\">{}</th>", html::escaped(result.test.name));
  if (result.failure) return out + fmt::format("<td>{}</td></tr>\n", html::escaped(result.failure->message));
  for (const litmus::ModelResult& model : result.models) {
    out +=
        fmt::format("<td class=\"{}\">{}: {} <small>({})</small></td>", model.verdict.allowed ? "yes" : "no",
                    litmus::model_name(model.model), model.verdict.allowed ? "allowed" : "forbidden",
                    litmus::observation_name(model.verdict.observation));
  }
  return out + "</tr>\n";
}

std::string states(const litmus::TestResult& result, const litmus::ModelResult& model) {
  std::string out = "<ul>";
  for (const litmus::Outcome& outcome : model.exploration.outcomes)
    out += fmt::format("<li><code>{}</code></li>", html::escaped(litmus::state_text(result.test, outcome)));
  return out + "</ul>";
}

// Counts of what was seen, and why the rest was not.
std::string histogram(const litmus::Test& test, const litmus::HardwareComparison& c) {
  std::string out =
      "<div class=\"scroll\"><table><caption>Final states in the runs</caption><thead><tr><th "
      "scope=\"col\">state</th><th scope=\"col\">runs</th><th scope=\"col\">note</th></tr></thead><tbody>\n";
  const auto row = [&](const litmus::Outcome& state, std::uint64_t count, const std::string& note) {
    out += fmt::format("<tr><th scope=\"row\"><code>{}</code></th><td>{}</td>{}</tr>\n",
                       html::escaped(litmus::state_text(test, state)), count, note);
  };
  for (const litmus::HardwareOutcome& seen : c.hardware.seen) {
    row(seen.state, seen.count, c.is_outside(seen.state) ? "<td class=\"no\">forbidden</td>" : "<td></td>");
  }
  for (const auto& unseen : c.unseen)
    row(unseen.state, 0, fmt::format("<td>{}</td>", html::escaped(unseen.reason)));
  return out + "</tbody></table></div>\n";
}

// A run step by step; text instead of the drawing where there is no room for it.
std::string run_html(const litmus::Test& test, const litmus::Outcome& state, std::uint64_t run,
                     const litmus::HardwareTrace& trace, bool open, std::size_t room) {
  const std::string svg = litmus::hardware_svg(trace, {});
  std::string body = fmt::format("<figure>{}</figure>", svg);
  if (svg.size() > room) body = "<p>No room for this run here; --svg draws it into a file.</p>";
  return fmt::format("<details{}><summary>run {}: <code>{}</code></summary>{}</details>\n",
                     open ? " open" : "", run, html::escaped(litmus::state_text(test, state)), body);
}

std::string hardware_html(const litmus::Test& test, const litmus::HardwareComparison& c,
                          const std::string& config, std::size_t room) {
  std::string out =
      fmt::format("<h4>{}: {}</h4>\n", html::escaped(config), html::escaped(litmus::hardware_summary(c)));
  if (!c.hardware.unfit.empty()) return out;
  out += histogram(test, c);
  const auto run = [&](const auto& state, std::uint64_t number, const auto& trace, bool open) {
    out += run_html(test, state, number, trace, open, room - std::min(room, out.size()));
  };
  for (const auto& outside : c.outside) run(outside.state, outside.run, outside.trace, true);
  for (std::size_t i = 0; i < c.steps.size(); ++i) {
    const litmus::HardwareOutcome& seen = c.hardware.seen[i];
    if (!c.is_outside(seen.state)) run(seen.state, seen.first_run, c.steps[i], false);
  }
  return out;
}

std::string test_html(const LitmusPageEntry& entry, const std::string& hardware, std::size_t room) {
  const litmus::TestResult& result = entry.result;
  std::string out = fmt::format("<h3>{}</h3>\n", html::escaped(result.test.name));
  if (result.failure)
    return out + fmt::format("<p class=\"warning\">{}</p>\n", html::escaped(result.failure->whole));
  for (std::size_t i = 0; i < result.models.size(); ++i) {
    const litmus::ModelResult& model = result.models[i];
    out += fmt::format("<details{}><summary>{}: {}, {} final states</summary>{}",
                       entry.drawings.size() > i ? " open" : "", litmus::model_name(model.model),
                       model.verdict.allowed ? "allowed" : "forbidden", model.exploration.outcomes.size(),
                       states(result, model));
    if (entry.drawings.size() > i) out += fmt::format("<figure>{}</figure>", entry.drawings[i]);
    out += "</details>\n";
  }
  if (entry.hardware) out += hardware_html(result.test, *entry.hardware, hardware, room);
  return out;
}

}  // namespace

std::string litmus_page(const std::vector<LitmusPageEntry>& entries, const std::string& hardware) {
  std::string verdicts =
      "<div class=\"scroll\"><table><caption>Is what the test asks about possible?</caption><tbody>\n";
  std::string tests;
  std::size_t left_out = 0;
  for (const LitmusPageEntry& entry : entries) {
    verdicts += verdict_row(entry.result);
    std::string test = test_html(entry, hardware, litmus_page_bytes - tests.size());
    if (tests.size() + test.size() > litmus_page_bytes) {
      ++left_out;
    } else {
      tests += test;
    }
  }
  verdicts += "</tbody></table></div>\n";
  if (left_out != 0) tests += fmt::format("<p>{} tests more have no room here.</p>\n", left_out);
  return framed(
      entries.size() == 1 ? entries[0].result.test.name : fmt::format("{} litmus tests", entries.size()),
      {{"verdicts", "Verdicts", verdicts}, {"tests", "Outcomes and executions", tests}});
}

}  // namespace mesim
