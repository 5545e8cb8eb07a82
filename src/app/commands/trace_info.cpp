// mesim trace info TRACE
#include <memory>
#include <nlohmann/json.hpp>

#include "app/commands/commands.hpp"
#include "app/progress.hpp"
#include "app/trace_format_option.hpp"
#include "traces/trace_summary.hpp"

namespace mesim {
namespace {

struct Options {
  std::string path;
  std::string format = "auto";
  std::string progress = "auto";
  bool json = false;
};

using Json = nlohmann::ordered_json;

Json footprint_json(const Footprint& footprint) {
  return {{"lines", footprint.lines}, {"bytes", footprint.bytes}};
}

Json info_json(const TraceInfo& info, const TraceSummary& summary) {
  Json kinds = Json::object();
  for (std::size_t k = 0; k < record_kinds; ++k)
    kinds[kind_name(static_cast<RecordKind>(k))] = summary.by_kind[k];
  Json regions = Json::array();
  for (const RegionUse& use : summary.regions)
    regions.push_back({{"name", use.name}, {"begins", use.begins}, {"ends", use.ends}});
  return {
      {"path", info.path},
      {"format", info.format},
      {"compression", info.compression},
      {"program", info.program},
      {"threads", info.threads},
      {"records", summary.records},
      {"references", summary.references()},
      {"instructions", summary.instructions},
      {"records_by_kind", std::move(kinds)},
      {"records_by_thread", summary.by_thread},
      {"footprint",
       {{"line_bytes", 64}, {"code", footprint_json(summary.code)}, {"data", footprint_json(summary.data)}}},
      {"stored_bytes", info.stored_bytes},
      {"bits_per_record", summary.bits_per_record},
      {"symbols", info.symbols.size()},
      {"regions", std::move(regions)},
      {"notes", info.notes}};
}

void print_info(const TraceInfo& info, const TraceSummary& summary, Output& out) {
  out.print("{}\n", info.path);
  out.print("  format       {}{}\n", info.format,
            info.compression == "none" ? "" : fmt::format(", compressed with {}", info.compression));
  if (!info.program.empty()) out.print("  program      {}\n", info.program);
  out.print("  threads      {}\n", info.threads);
  out.print("  records      {}, {:.3f} bits each as stored\n", summary.records, summary.bits_per_record);
  for (std::size_t k = 0; k < record_kinds; ++k)
    if (summary.by_kind[k] != 0)
      out.print("    {:<12} {}\n", kind_name(static_cast<RecordKind>(k)), summary.by_kind[k]);
  if (info.threads > 1)
    for (std::size_t t = 0; t < summary.by_thread.size(); ++t)
      out.print("    thread {:<5} {}\n", t, summary.by_thread[t]);
  out.print("  code touched {} lines of 64 bytes, {} bytes\n", summary.code.lines, summary.code.bytes);
  out.print("  data touched {} lines of 64 bytes, {} bytes\n", summary.data.lines, summary.data.bytes);
  out.print("  symbols      {}\n", info.symbols.size());
  for (const RegionUse& use : summary.regions)
    out.print("  region       {}: {} begins, {} ends\n", use.name, use.begins, use.ends);
  for (const std::string& note : info.notes) out.print("  note         {}\n", note);
}

Exit trace_info(const Options& options, Output& out) {
  const auto trace = open_trace(options.path, options.format);
  const StopSignals stop;
  Progress progress(progress_style(options.progress), "trace info", trace->info().records.value_or(0), stop);
  const TraceSummary summary = summarize(*trace, progress);
  if (!summary.complete) return stop.status();
  if (options.json) {
    out.print("{}\n", info_json(trace->info(), summary).dump(2, ' ', false, Json::error_handler_t::replace));
  } else {
    print_info(trace->info(), summary, out);
  }
  return Exit::ok;
}

}  // namespace

Command trace_info_command() {
  return {"trace info",
          "say what a trace holds: format, threads, records, footprint",
          {"mesim trace info program.lackey.xz", "mesim trace info cores/ --format per-core-012 --json"},
          [](Arguments& arguments) {
            auto options = std::make_shared<Options>();
            arguments.positional("TRACE", options->path, "a trace file, or a folder of per-core files");
            trace_format_option(arguments, options->format, "how to read the trace");
            arguments.choice("--progress", options->progress, progress_names(), "progress on stderr");
            arguments.flag("--json", options->json, "one JSON document");
            return [options](Output& out) { return trace_info(*options, out); };
          }};
}

}  // namespace mesim
