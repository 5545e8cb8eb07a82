// mesim trace record SOURCE ... [-o FILE.mtr] [-- ARGS]
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "app/commands/commands.hpp"
#include "traces/recording/record_program.hpp"

namespace mesim {
namespace {

struct Options {
  RecordRequest request;
  std::string compiler_flags;
  std::string linker_flags;
  bool json = false;
};

std::vector<std::string> words(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> result;
  for (std::string word; in >> word;) result.push_back(word);
  return result;
}

Exit record(Options options, Output& out) {
  RecordRequest& request = options.request;
  request.program.compiler_flags = words(options.compiler_flags);
  request.program.linker_flags = words(options.linker_flags);
  if (request.output_path.empty())
    request.output_path = std::filesystem::path(request.program.sources.front()).stem().string() + ".mtr";
  const RecordResult result = record_program(request);
  const MadeTrace& trace = result.trace;
  if (result.program_exit_status != 0)
    fmt::print(stderr, "mesim: the program ended with exit status {}\n", result.program_exit_status);
  if (options.json) {
    const nlohmann::ordered_json document = {
        {"trace", request.output_path}, {"threads", trace.threads},
        {"records", trace.records},     {"loads", trace.loads},
        {"stores", trace.stores},       {"atomics", trace.atomics},
        {"waits", trace.waits},         {"signals", trace.signals},
        {"notes", trace.notes},         {"program_exit_status", result.program_exit_status},
    };
    out.print("{}\n", document.dump(2));
    return Exit::ok;
  }
  out.print(
      "{}: {} threads, {} records: {} loads, {} stores, {} atomics; {} waits and {} signals between "
      "threads\n",
      request.output_path, trace.threads, trace.records, trace.loads, trace.stores, trace.atomics,
      trace.waits, trace.signals);
  for (const auto& note : trace.notes) out.print("note: {}\n", note);
  return Exit::ok;
}

}  // namespace

Command trace_record_command() {
  return {
      "trace record",
      "compile, run and record a C or C++ program",
      {"mesim trace record solver.cpp -o solver.mtr -- 64",
       "mesim trace record a.cpp b.c --cxxflags '-O2 -DN=8'"},
      [](Arguments& arguments) {
        auto options = std::make_shared<Options>();
        RecordRequest& request = options->request;
        arguments.positionals("SOURCE", request.program.sources, 1, "C or C++ source of the program");
        arguments.option("-o,--output", request.output_path, "FILE.mtr", "trace to write [NAME.mtr]");
        arguments.option("--cxxflags", options->compiler_flags, "FLAGS", "further flags for the compiler");
        arguments.option("--ldflags", options->linker_flags, "FLAGS", "further flags for the linker");
        arguments.integer("--instructions-per-access", request.instructions_per_access,
                          {0, 65535, false, "", "other instructions that each recorded access stands for"});
        arguments.flag("--json", options->json, "one JSON document");
        arguments.after_dashes("ARGS", request.arguments, "arguments of the program");
        return [options](Output& out) { return record(*options, out); };
      },
      "The program's standard output goes to standard error. Its exit status is reported; the trace is "
      "written\n"
      "whatever it is, but not when a signal ends the program. What a recording cannot see: "
      "docs/recording.md."};
}

}  // namespace mesim
