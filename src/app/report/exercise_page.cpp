// An exercise as it was run: question, figures side by side, answer, what was expected.
#include <fmt/format.h>

#include "app/exercise.hpp"
#include "app/report/frame.hpp"
#include "app/report/html.hpp"
#include "app/report/page.hpp"

namespace mesim {
namespace {

using Json = nlohmann::ordered_json;

std::string paragraph(const Json& entry, const char* key) {
  return fmt::format("<p>{}</p>\n", html::escaped(entry.at(key).get<std::string>()));
}

std::string figures(const Json& entry) {
  std::vector<std::string> header = {"figure"};
  for (const auto& [run, result] : entry.at("results").items()) header.push_back(run);
  std::vector<std::vector<std::string>> rows;
  for (const auto& pointer : entry.at("show")) {
    std::vector<std::string> row = {pointer.get<std::string>()};
    for (const auto& [run, result] : entry.at("results").items())
      row.push_back(shown_figure(result, pointer.get<std::string>()));
    rows.push_back(std::move(row));
  }
  return html::table("Figures of each run", header, rows);
}

std::string expected(const Json& entry) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& e : entry.at("expect")) {
    rows.push_back({e.at("pointer").get<std::string>(),
                    e.at("wanted").is_string() ? e.at("wanted").get<std::string>() : e.at("wanted").dump(),
                    e.at("got").dump(), e.at("pass").get<bool>() ? "as expected" : "NOT as expected"});
  }
  return html::table("Expected figures: " + entry.at("source").get<std::string>(),
                     {"what", "expected", "found", ""}, rows);
}

// Whole runs have pages of their own beside this one; what a memory model allows stands here.
std::string runs(const Json& entry) {
  std::string pages, states;
  for (const auto& [run, result] : entry.at("results").items()) {
    const std::string name = html::escaped(run);
    if (result.contains("ledgers")) {
      pages += fmt::format("<li><a href=\"{0}/report.html\">{0}</a></li>", name);
      continue;
    }
    states += fmt::format("<h3>{}</h3><ul>", name);
    for (const auto& state : result.at("stats").at("litmus").value("states", Json::array()))
      states += fmt::format("<li><code>{}</code></li>", html::escaped(state.get<std::string>()));
    states += "</ul>\n";
  }
  if (!pages.empty()) pages = "<p>The report of each run:</p><ul>" + pages + "</ul>\n";
  return pages + (states.empty() ? "" : "<p>Final states that the model allows:</p>\n" + states);
}

}  // namespace

std::string exercise_page(const Json& entry) {
  return framed(entry.at("id").get<std::string>() + ": " + entry.at("title").get<std::string>(),
                {{"question", "Question", paragraph(entry, "question")},
                 {"figures", "Figures", figures(entry)},
                 {"answer", "Answer", paragraph(entry, "answer")},
                 {"expected", "Expected and found", expected(entry)},
                 {"runs", "Runs", runs(entry)}});
}

}  // namespace mesim
