// mesim report RESULT ... [-o FILE.html]
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/commands/commands.hpp"
#include "app/comparison.hpp"
#include "app/report/page.hpp"
#include "app/report/scalesim_reports.hpp"
#include "app/stored_result.hpp"
#include "sim/error.hpp"
#include "sim/output_file.hpp"

namespace mesim {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

struct Options {
  std::vector<std::string> results;
  std::string out;
  std::string scalesim;
};

// What lies there instead of a result, in the words of an error.
std::string what_else(const std::string& path) {
  if (fs::exists(fs::path(path) / "sweep.csv"))
    return "is the folder of a sweep, whose report.html is its page";
  return "is no result, expected a result.json or the folder of a run";
}

std::string page_of_one(const std::string& path) {
  if (fs::is_directory(path) && !fs::exists(result_file(path)) && fs::exists(fs::path(path) / "sweep.csv"))
    throw bad_input({path}, what_else(path));
  const Json result = stored_result(path);
  if (!result.is_null()) return report_page(result);
  const Json document = stored_document(path);
  if (document.is_object() && document.contains("question")) return exercise_page(document);
  if (document.is_object() && document.contains("tests"))
    throw bad_input({path}, "holds litmus tests, expected a run; `mesim litmus --out DIR` writes their page");
  throw bad_input({path}, what_else(path));
}

std::string page_of_several(const std::vector<std::string>& paths) {
  std::vector<ComparedRun> runs;
  for (const std::string& path : paths) {
    Json result = stored_result(path);
    if (result.is_null()) throw bad_input({path}, what_else(path));
    runs.push_back({path, std::move(result)});
  }
  return comparison_page(compare_runs(runs), runs);
}

// SCALE-Sim's reports, into a folder.
Exit report_as_scalesim(const Options& options, Output& out) {
  const std::string& path = options.results[0];
  if (options.results.size() != 1)
    throw bad_input({"mesim report"},
                    fmt::format("--scalesim takes one result, found {}", options.results.size()));
  const Json result = stored_result(path);
  if (result.is_null()) throw bad_input({path}, what_else(path));
  const auto reports = scalesim_reports(result);
  if (reports.empty()) throw bad_input({path}, "holds no layers, expected a run of an accelerator");
  std::error_code failed;  // told by the first file that cannot be written
  fs::create_directories(options.scalesim, failed);
  for (const NamedText& report : reports) {
    const std::string file = (fs::path(options.scalesim) / report.file).string();
    write_whole_file(file, report.text);
    out.print("{}\n", file);
  }
  return Exit::ok;
}

Exit report(const Options& options, Output& out) {
  if (!options.scalesim.empty()) return report_as_scalesim(options, out);
  const bool one = options.results.size() == 1;
  const auto beside = fs::path(result_file(options.results[0])).parent_path() / "report.html";
  const std::string file = !options.out.empty() ? options.out : one ? beside.string() : "comparison.html";
  try {
    write_whole_file(file, one ? page_of_one(options.results[0]) : page_of_several(options.results));
  } catch (const nlohmann::json::exception& error) {
    throw bad_input({options.results[0]}, std::string("lacks what every result has: ") + error.what());
  }
  out.print("{}\n", file);
  return Exit::ok;
}

}  // namespace

Command report_command() {
  return {
      "report",
      "write the page of a stored result, or of several side by side, as one HTML file",
      {"mesim report results/runs/main", "mesim report result.json -o report.html",
       "mesim report results/runs/before results/runs/after -o comparison.html",
       "mesim report results/runs/systolic --scalesim results/scalesim"},
      [](Arguments& arguments) {
        auto options = std::make_shared<Options>();
        arguments.positionals("RESULT", options->results, 1,
                              "a result.json, or the folder of a run; several are compared with the first");
        arguments.option("-o,--output", options->out, "FILE",
                         "where to write it (default: report.html beside the result; for several "
                         "comparison.html)");
        arguments.option("--scalesim", options->scalesim, "DIR",
                         "write the three reports of SCALE-Sim into this folder instead, of a run of layers "
                         "on systolic arrays");
        return [options](Output& out) { return report(*options, out); };
      },
      "The file needs no network, and a script only to zoom. `mesim run`, `mesim exercise run` and "
      "`mesim sweep` "
      "write one beside\ntheir results."};
}

}  // namespace mesim
