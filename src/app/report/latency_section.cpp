// How long misses took, by where they were answered.
#include <fmt/format.h>

#include "app/report/html.hpp"
#include "app/report/sections.hpp"
#include "app/text_table.hpp"

namespace mesim {
namespace {

using Json = nlohmann::ordered_json;

std::string words(std::string name) {
  for (char& c : name) {
    if (c == '_') c = ' ';
  }
  return name;
}

// Misses by a cycle of their bin, so that wide bins do not look tall.
html::Distribution distribution(const std::string& name, const Json& latencies) {
  html::Distribution out{words(name), {}};
  for (const auto& bin : latencies.at("histogram")) {
    const double from = bin.at(0).get<double>(), until = bin.at(1).get<double>();
    out.bins.push_back({from, until, bin.at(2).get<double>() / (until - from)});
  }
  return out;
}

std::string misses_html(const Json& latency) {
  std::vector<html::Distribution> drawn;
  std::vector<std::string> names;
  std::vector<std::vector<std::string>> rows;
  for (const auto& [source, figures] : latency.items()) {
    drawn.push_back(distribution(source, figures));
    names.push_back(words(source));
    std::vector<std::string> row = {words(source), with_commas(figures.at("misses").get<std::uint64_t>())};
    for (const char* key : {"mean_cycles", "p50_cycles", "p95_cycles", "p99_cycles", "max_cycles"})
      row.push_back(fmt::format("{:.4g}", figures.at(key).get<double>()));
    rows.push_back(std::move(row));
  }
  return html::legend(names) +
         html::histogram({"cycles from the miss to the fill", "misses a cycle", true}, drawn) +
         html::table("Misses by where they were answered; latencies in cycles",
                     {"answered by", "misses", "mean", "median", "95 %", "99 %", "longest"}, rows);
}

// The memory's own latencies, where a memory by itself was run or a DRAM counts them.
std::string memory_html(const Json& stats) {
  if (!stats.contains("memory")) return "";
  struct Quantile {
    const char* key;
    const char* name;
  };
  static constexpr Quantile quantiles[] = {
      {"mean", "mean"}, {"p50", "median"}, {"p95", "95 %"}, {"p99", "99 %"}, {"max", "longest"}};
  std::vector<html::Bar> drawn;
  std::vector<std::vector<std::string>> rows;
  for (const char* kind : {"read", "write"}) {
    const auto found = stats.at("memory").find(fmt::format("{}_latency_ns", kind));
    if (found == stats.at("memory").end()) continue;
    std::vector<std::string> row = {kind};
    for (const Quantile& q : quantiles) {
      const double ns = found->value(q.key, 0.0);
      row.push_back(fmt::format("{:.4g}", ns));
      const std::size_t colour = kind[0] == 'r' ? 0 : 1;
      drawn.push_back({fmt::format("{}, {}", kind, q.name), {{colour, ns, time_text(ns)}}, time_text(ns)});
    }
    rows.push_back(std::move(row));
  }
  return rows.empty() ? ""
                      : html::bars("latencies of the memory", drawn) +
                            html::table("Requests of the memory, in ns",
                                        {"", "mean", "median", "95 %", "99 %", "longest"}, rows);
}

}  // namespace

std::string latency_html(const Json& result) {
  return (result.contains("misses") ? misses_html(result.at("misses").at("latency")) : "") +
         memory_html(result.at("stats"));
}

}  // namespace mesim
