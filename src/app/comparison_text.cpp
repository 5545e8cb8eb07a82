// The comparison for people. Runs are called A, B, C; two of them stand beside the baseline in each table,
// which is what 80 columns hold.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/comparison.hpp"
#include "app/text_table.hpp"

namespace mesim {
std::string run_letter(std::size_t run) {
  return run < 26 ? std::string(1, static_cast<char>('A' + run)) : fmt::format("R{}", run);
}

std::string figure_text(double value, const std::string& unit) {
  if (unit == "bytes") return bytes_text(value);
  if (unit == "pJ") return energy_text(value);
  if (unit == "ns") return time_text(value);
  return with_commas(static_cast<std::uint64_t>(std::llround(value)));
}

// Value of a JSON text as people write it.
std::string plain_text(const std::string& json) {
  return json.size() >= 2 && json.front() == '"' && json.back() == '"' ? json.substr(1, json.size() - 2)
                                                                       : json;
}

std::vector<std::pair<std::string, std::size_t>> differences_by_preset(const Comparison& comparison) {
  std::vector<std::pair<std::string, std::size_t>> counts;
  for (const ConfigDifference& d : comparison.config) {
    if (d.preset.empty()) continue;
    if (counts.empty() || counts.back().first != d.preset) counts.emplace_back(d.preset, 0);
    ++counts.back().second;
  }
  return counts;
}

namespace {

constexpr std::size_t beside = 2;

std::string heads_text(const Comparison& c) {
  std::string out;
  for (std::size_t i = 0; i < c.labels.size(); ++i) {
    out += wrapped(fmt::format("{}  {}{}", run_letter(i), c.labels[i], c.complete[i] ? "" : "  (INCOMPLETE)"),
                   3) +
           "\n";
    if (i == 0) out += wrapped("   " + c.machines[i], 3) + "\n";
  }
  return out;
}

std::string config_text(const Comparison& c) {
  if (c.config.empty()) return "\nThe configs and inputs are equal.\n";
  std::string out = "\nWhat differs in the configs\n";
  for (const auto& d : c.config) {
    if (!d.preset.empty()) continue;
    std::string line = fmt::format("  {}:", d.key);
    for (std::size_t i = 0; i < d.values.size(); ++i)
      line += fmt::format("{} {} {}", i == 0 ? "" : ",", run_letter(i), plain_text(d.values[i]));
    out += wrapped(line, 4) + "\n";
  }
  for (const auto& [preset, count] : differences_by_preset(c))
    out += wrapped(fmt::format("  {} further key{} with {}", count, count == 1 ? "" : "s", preset), 4) + "\n";
  return out;
}

std::string metrics_text(const Comparison& c) {
  std::string out;
  const std::size_t runs = c.labels.size();
  std::size_t first = 1;
  do {
    const std::size_t last = std::min(runs, first + beside);
    std::vector<std::string> header = {"", run_letter(0)};
    for (std::size_t i = first; i < last; ++i) {
      header.push_back(run_letter(i));
      header.push_back(run_letter(i) + ":" + run_letter(0));
    }
    TextTable table(header);
    for (const Metric& m : c.metrics) {
      const std::string unit = m.unit == "cycles" ? " (cycles)" : "";
      std::vector<std::string> cells = {m.name == "cycles" ? m.name : m.name + unit,
                                        m.values[0] ? figure_text(*m.values[0], m.unit) : "-"};
      for (std::size_t i = first; i < last; ++i) {
        cells.push_back(m.values[i] ? figure_text(*m.values[i], m.unit) : "-");
        cells.push_back(m.values[i] && m.values[0] ? ratio_text(*m.values[i], *m.values[0]) : "");
      }
      table.row(std::move(cells));
    }
    out += "\n" + table.text();
    first = last;
  } while (first < runs);
  return out;
}

std::string change_text(const Change& change, const std::string& unit) {
  return fmt::format("{} {} -> {}", change.name, figure_text(change.before, unit),
                     figure_text(change.after, unit));
}

std::string reason_text(const Reason& reason) {
  std::string out = wrapped(fmt::format("  {} ({})", change_text(reason.whole, reason.unit),
                                        ratio_text(reason.whole.after, reason.whole.before)),
                            4) +
                    "\n";
  for (const Change& part : reason.parts) {
    const std::string meaning = part.meaning.empty() ? "" : fmt::format(" ({})", part.meaning);
    out += wrapped(fmt::format("    because {}{}", change_text(part, reason.unit), meaning), 6) + "\n";
  }
  for (const Change& other : reason.instead) {
    const std::string meaning = other.meaning.empty() ? "" : fmt::format(" ({})", other.meaning);
    out += wrapped(fmt::format("    while {}{}", change_text(other, ""), meaning), 6) + "\n";
  }
  return out;
}

std::string sharing_table(const Comparison& c) {
  constexpr std::size_t listed = 10;
  std::vector<std::string> header = {"copies lost to other cores' stores, by variable"};
  const std::size_t runs = std::min<std::size_t>(c.labels.size(), 5);
  for (std::size_t i = 0; i < runs; ++i) header.push_back(run_letter(i));
  TextTable table(header);
  for (std::size_t v = 0; v < std::min(listed, c.sharing.size()); ++v) {
    std::vector<std::string> cells = {c.sharing[v].name};
    for (std::size_t i = 0; i < runs; ++i)
      cells.push_back(c.attributes_sharing[i] ? figure_text(c.sharing[v].invalidations[i], "") : "-");
    table.row(std::move(cells));
  }
  return table.empty() ? "" : "\n" + table.text();
}

}  // namespace

std::string comparison_text(const Comparison& c) {
  std::string out = heads_text(c) + config_text(c) + metrics_text(c);
  std::size_t run = 0;
  for (const Reason& reason : c.reasons) {
    if (reason.run != run) out += fmt::format("\nWhy {} differs from A\n", run_letter(reason.run));
    run = reason.run;
    out += reason_text(reason);
  }
  return out + sharing_table(c);
}

}  // namespace mesim
