#include <fmt/format.h>

#include <algorithm>

#include "app/report/frame.hpp"
#include "app/report/html.hpp"
#include "app/report/page.hpp"
#include "app/report/sections.hpp"
#include "app/text_table.hpp"

namespace mesim {
namespace {

std::string overview(const Comparison& c) {
  std::string out = "<ol class=\"runs\">\n";
  for (std::size_t i = 0; i < c.labels.size(); ++i) {
    out += fmt::format(
        "<li><b>{}</b> {}{}<br><small>{}</small></li>\n", run_letter(i), html::escaped(c.labels[i]),
        c.complete[i] ? "" : " <span class=\"no\">(stopped early)</span>", html::escaped(c.machines[i]));
  }
  out += "</ol>\n";
  if (c.config.empty()) return out + "<p>The configs and inputs are equal.</p>\n";
  std::vector<std::string> header = {"key"};
  for (std::size_t i = 0; i < c.labels.size(); ++i) header.push_back(run_letter(i));
  std::vector<std::vector<std::string>> rows;
  for (const ConfigDifference& d : c.config) {
    if (!d.preset.empty()) continue;
    std::vector<std::string> row = {d.key};
    for (const auto& value : d.values) row.push_back(plain_text(value));
    rows.push_back(std::move(row));
  }
  out += html::table("What differs in the configs", header, rows);
  for (const auto& [preset, count] : differences_by_preset(c))
    out += fmt::format("<p>{} further key{} with {}.</p>\n", count, count == 1 ? "" : "s", html::escaped(preset));
  return out;
}

// Cycles of all units of each run by owner, so that what grew or shrank is seen at once.
std::string time_bars(const std::vector<ComparedRun>& runs) {
  std::vector<std::string> names;
  std::vector<html::Bar> bars;
  for (const ComparedRun& run : runs) {
    for (const NamedAmount& owner : summed_owners(run.result.at("ledgers").at("time"))) {
      if (std::find(names.begin(), names.end(), owner.name) == names.end()) names.push_back(owner.name);
    }
  }
  if (names.empty()) return "";
  const std::size_t own = names.size() <= html::colours ? names.size() : html::colours - 1;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    html::Bar bar{run_letter(i), {}, ""};
    double total = 0;
    for (const NamedAmount& owner : summed_owners(runs[i].result.at("ledgers").at("time"))) {
      const auto at =
          static_cast<std::size_t>(std::find(names.begin(), names.end(), owner.name) - names.begin());
      total += owner.amount;
      bar.parts.push_back({std::min(at, own), owner.amount,
                           fmt::format("{}: {} cycles", owner.name, figure_text(owner.amount, ""))});
    }
    std::stable_sort(bar.parts.begin(), bar.parts.end(),
                     [](const html::Part& a, const html::Part& b) { return a.colour < b.colour; });
    bar.figure = figure_text(total, "");
    bars.push_back(std::move(bar));
  }
  const bool others = own < names.size();
  names.resize(own);
  if (others) names.emplace_back("all others");
  return html::legend(names) + html::bars("cycles of all units by owner, a bar for each run", bars);
}

std::string figures(const Comparison& c) {
  std::vector<std::string> header = {"", run_letter(0)};
  for (std::size_t i = 1; i < c.labels.size(); ++i) {
    header.push_back(run_letter(i));
    header.push_back(fmt::format("{}:{}", run_letter(i), run_letter(0)));
  }
  std::vector<std::vector<std::string>> rows;
  for (const Metric& m : c.metrics) {
    std::vector<std::string> row = {m.name, m.values[0] ? figure_text(*m.values[0], m.unit) : "-"};
    for (std::size_t i = 1; i < c.labels.size(); ++i) {
      row.push_back(m.values[i] ? figure_text(*m.values[i], m.unit) : "-");
      row.push_back(m.values[i] && m.values[0] ? ratio_text(*m.values[i], *m.values[0]) : "");
    }
    rows.push_back(std::move(row));
  }
  return html::table("Figures side by side", header, rows);
}

std::string change(const Change& change, const std::string& unit) {
  return fmt::format("{} {} &rarr; {}{}", html::escaped(change.name), figure_text(change.before, unit),
                     figure_text(change.after, unit),
                     change.meaning.empty() ? "" : fmt::format(" ({})", html::escaped(change.meaning)));
}

std::string reasons(const Comparison& c) {
  std::string out;
  std::size_t run = 0;
  for (const Reason& reason : c.reasons) {
    if (reason.run != run) out += fmt::format("<h3>{} against A</h3>\n", run_letter(reason.run));
    run = reason.run;
    out += fmt::format("<details open><summary>{}, {}</summary><ul>", change(reason.whole, reason.unit),
                       ratio_text(reason.whole.after, reason.whole.before));
    for (const Change& part : reason.parts)
      out += fmt::format("<li>because {}</li>", change(part, reason.unit));
    for (const Change& other : reason.instead) out += fmt::format("<li>while {}</li>", change(other, ""));
    out += "</ul></details>\n";
  }
  return out;
}

std::string sharing(const Comparison& c) {
  if (c.sharing.empty()) return "";
  std::vector<std::string> header = {"variable"};
  std::vector<html::HeatRow> rows;
  double darkest = 0;
  for (std::size_t i = 0; i < c.labels.size(); ++i) header.push_back(run_letter(i));
  for (const SharedVariable& variable : c.sharing) {
    rows.push_back({variable.name, variable.invalidations});
    for (const double lost : variable.invalidations) darkest = std::max(darkest, lost);
  }
  return html::heat_map("Copies lost to other cores' stores, by variable and run", header, rows, darkest);
}

}  // namespace

std::string comparison_page(const Comparison& c, const std::vector<ComparedRun>& runs) {
  std::vector<PageSection> sections = {{"overview", "Overview", overview(c)}};
  const auto add = [&](const char* id, const char* title, std::string body) {
    if (!body.empty()) sections.push_back({id, title, std::move(body)});
  };
  add("time", "Where the cycles went", time_bars(runs));
  add("figures", "Figures", figures(c));
  add("reasons", "Why they differ", reasons(c));
  add("sharing", "Sharing", sharing(c));
  return framed(fmt::format("{} runs compared", c.labels.size()), sections);
}

}  // namespace mesim
