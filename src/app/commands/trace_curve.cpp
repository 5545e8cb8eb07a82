// mesim trace curve TRACE [--line N] [--of data|instructions|all]
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "app/commands/commands.hpp"
#include "app/progress.hpp"
#include "app/report/page.hpp"
#include "app/stop_signals.hpp"
#include "app/text_table.hpp"
#include "app/trace_format_option.hpp"
#include "cache/stack_distance.hpp"
#include "sim/error.hpp"
#include "sim/output_file.hpp"
#include "sim/result.hpp"
#include "traces/trace.hpp"

namespace mesim {
namespace {

struct Options {
  std::string trace, format = "auto", of = "data", html, progress = "auto";
  std::uint64_t line_bytes = 64;
  bool json = false;
};

bool counts(const Options& options, RecordKind kind) {
  const bool fetch = kind == RecordKind::fetch;
  return options.of == "all" ? fetch || is_memory(kind) : options.of == "data" ? is_memory(kind) : fetch;
}

// False if it was stopped.
bool measure(const Options& options, Trace& trace, StackDistances& distances, const StopSignals& stop) {
  Progress progress(progress_style(options.progress), "curve", trace.info().records.value_or(0), stop);
  const auto records = trace.merged();
  std::uint64_t done = 0;
  for (auto batch = records->next(); !batch.empty(); batch = records->next()) {
    for (const Record& record : batch) {
      if (!counts(options, record.kind)) continue;
      const std::uint64_t last = (record.address + std::max(record.size, 1u) - 1) / options.line_bytes;
      for (std::uint64_t line = record.address / options.line_bytes; line <= last; ++line)
        distances.use(line);
    }
    done += batch.size();
    if (!progress.keep_going(done)) return false;
  }
  return true;
}

// Sizes in lines: every power of two and eight steps between them, up to where nothing but first uses misses.
std::vector<std::uint64_t> sizes(const StackDistances& distances) {
  std::vector<std::uint64_t> all;
  for (std::uint64_t power = 1;; power *= 2) {
    for (std::uint64_t step = 0; step < 8; ++step) {
      const std::uint64_t lines = power + power * step / 8;
      if (!all.empty() && all.back() == lines) continue;
      all.push_back(lines);
      if (lines >= distances.lines()) return all;
    }
  }
}

nlohmann::ordered_json document(const Options& options, const StackDistances& distances, bool complete) {
  nlohmann::ordered_json curve = nlohmann::ordered_json::array();
  const std::uint64_t all = distances.references();
  for (const std::uint64_t lines : sizes(distances)) {
    const std::uint64_t misses = distances.misses(lines);
    curve.push_back(
        {{"size_bytes", lines * options.line_bytes},
         {"misses", misses},
         {"miss_ratio", all == 0 ? 0.0 : static_cast<double>(misses) / static_cast<double>(all)}});
  }
  return {{"mesim", {{"version", MESIM_VERSION}, {"schema", result_schema}}},
          {"trace", options.trace},
          {"of", options.of},
          {"line_bytes", options.line_bytes},
          {"complete", complete},
          {"references", all},
          {"lines", distances.lines()},
          {"curve", std::move(curve)}};
}

std::string curve_text(const nlohmann::ordered_json& found) {
  TextTable table({"cache size", "misses", "miss ratio"});
  for (const auto& point : found.at("curve")) {
    const auto bytes = point.at("size_bytes").get<std::uint64_t>();
    if ((bytes & (bytes - 1)) != 0) continue;
    table.row({bytes_text(static_cast<double>(bytes)), with_commas(point.at("misses").get<std::uint64_t>()),
               fmt::format("{:.2f} %", 100 * point.at("miss_ratio").get<double>())});
  }
  return fmt::format(
      "{}: {} references to {} lines of {} bytes{}\n\n{}", found.at("trace").get<std::string>(),
      with_commas(found.at("references").get<std::uint64_t>()),
      with_commas(found.at("lines").get<std::uint64_t>()), found.at("line_bytes").get<std::uint64_t>(),
      found.at("complete").get<bool>() ? "" : ", stopped early", table.text());
}

Exit curve(const Options& options, Output& out) {
  if ((options.line_bytes & (options.line_bytes - 1)) != 0) {
    throw bad_input({"mesim trace curve"},
                    fmt::format("--line: found {}, expected a power of two", options.line_bytes));
  }
  const auto trace = open_trace(options.trace, options.format);
  const StopSignals stop;
  StackDistances distances;
  const bool complete = measure(options, *trace, distances, stop);
  const auto found = document(options, distances, complete);
  if (!options.html.empty()) write_whole_file(options.html, miss_ratio_page(found));
  out.write(options.json ? result_text(found) : curve_text(found));
  return complete ? Exit::ok : stop.status();
}

}  // namespace

Command trace_curve_command() {
  return {
      "trace curve",
      "miss ratio of a trace in caches of all sizes, in one pass",
      {"mesim trace curve prog.mtr", "mesim trace curve prog.mtr --line 128 --of all --html curve.html"},
      [](Arguments& declare) {
        auto given = std::make_shared<Options>();
        declare.positional("TRACE", given->trace, "a trace of any format that `trace info` knows");
        declare.integer("--line", given->line_bytes,
                        {.min = 1, .max = 1 << 20, .unit = "bytes", .help = "of a line, a power of two"});
        declare.choice("--of", given->of, {"data", "instructions", "all"}, "which references");
        declare.option("--html", given->html, "FILE", "also draw it as an HTML file");
        trace_format_option(declare, given->format, "the trace's format, when its content fits several");
        declare.choice("--progress", given->progress, progress_names(), "progress on stderr");
        declare.flag("--json", given->json, "print one JSON document");
        return [given](Output& out) { return curve(*given, out); };
      },
      "Fully associative LRU caches of all threads together; an access across lines uses each of them.\n"};
}

}  // namespace mesim
