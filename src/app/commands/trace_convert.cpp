// mesim trace convert IN OUT
#include <memory>

#include "app/commands/commands.hpp"
#include "app/progress.hpp"
#include "app/trace_format_option.hpp"
#include "traces/options.hpp"
#include "traces/text_writer.hpp"
#include "traces/trace_writer.hpp"

namespace mesim {
namespace {

struct Options {
  std::string in, out;
  std::string format = "auto";
  std::string to = "auto";
  std::string progress = "auto";
  std::uint64_t limit = 0;
};

// "auto" is the format that the ending of OUT names, else mtr.
std::string wanted_format(const Options& options) {
  if (options.to != "auto") return options.to;
  for (const char* format : {"lackey", "din"}) {
    if (options.out.ends_with(std::string(".") + format)) return format;
  }
  return "mtr";
}

TraceHeader header_of(const TraceInfo& info) {
  TraceHeader header;
  header.program = info.program;
  header.threads = info.threads;
  header.symbols = info.symbols;
  header.notes = info.notes;
  header.regions = info.regions;
  return header;
}

// False if the watch stopped it; then no file appears.
template <typename Writer>
bool copy_records(Trace& trace, Writer& writer, RunWatch& watch, std::uint64_t& records) {
  const auto stream = trace.merged();
  for (auto batch = stream->next(); !batch.empty(); batch = stream->next()) {
    writer.append(batch);
    records += batch.size();
    if (!watch.keep_going(records)) return false;
  }
  writer.close();
  return true;
}

Exit trace_convert(const Options& options, Output& out) {
  TraceShape shape;
  shape.limit = options.limit;
  const auto trace = shape_trace(open_trace(options.in, options.format), shape);
  const TraceInfo& info = trace->info();
  std::uint64_t records = 0;
  std::vector<std::string> losses;
  const StopSignals stop;
  Progress progress(progress_style(options.progress), "trace convert", info.records.value_or(0), stop);
  bool complete = false;
  const std::string to = wanted_format(options);
  if (to == "mtr") {
    TraceWriter writer(options.out, header_of(info));
    complete = copy_records(*trace, writer, progress, records);
  } else {
    TextWriter writer(options.out, to);
    complete = copy_records(*trace, writer, progress, records);
    losses = writer.losses();
  }
  if (!complete) return stop.status();
  out.print("{}: {} records of {} as {}\n", options.out, records, info.format, to);
  for (const std::string& loss : losses) out.print("  lost: {}\n", loss);
  const std::string shorter = shorter_than_asked(options.in, options.limit * info.threads, records);
  if (!shorter.empty()) out.print("  {}\n", shorter);
  return Exit::ok;
}

}  // namespace

Command trace_convert_command() {
  return {"trace convert",
          "convert a trace of any format to mesim's own, to lackey text or to din",
          {"mesim trace convert program.lackey.xz program.mtr", "mesim trace convert a.mtr a.din"},
          [](Arguments& arguments) {
            auto options = std::make_shared<Options>();
            arguments.positional("IN", options->in, "a trace file, or a folder of per-core files");
            arguments.positional("OUT", options->out, "the file to write; it appears when it is whole");
            trace_format_option(arguments, options->format, "how to read IN");
            arguments.choice("--to", options->to, {"auto", "mtr", "lackey", "din"},
                             "how to write OUT; auto: as its ending .lackey or .din says, else mtr");
            arguments.integer("--limit", options->limit,
                              {.unit = "records", .help = "only so many records of each thread; 0: all"});
            arguments.choice("--progress", options->progress, progress_names(), "progress on stderr");
            return [options](Output& out) { return trace_convert(*options, out); };
          }};
}

}  // namespace mesim
