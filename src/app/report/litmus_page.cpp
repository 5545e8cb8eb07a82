#include "app/report/litmus_page.hpp"

#include <fmt/format.h>

#include "app/report/frame.hpp"
#include "app/report/html.hpp"
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

std::string test_html(const LitmusPageEntry& entry) {
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
  return out;
}

}  // namespace

std::string litmus_page(const std::vector<LitmusPageEntry>& entries) {
  std::string verdicts =
      "<div class=\"scroll\"><table><caption>Is what the test asks about possible?</caption><tbody>\n";
  std::string tests;
  std::size_t left_out = 0;
  for (const LitmusPageEntry& entry : entries) {
    verdicts += verdict_row(entry.result);
    std::string test = test_html(entry);
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
