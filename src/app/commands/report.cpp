// mesim report RESULT [-o FILE.html]
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/commands/commands.hpp"
#include "app/report/page.hpp"
#include "app/stored_result.hpp"
#include "sim/error.hpp"
#include "sim/output_file.hpp"

namespace mesim {
namespace {

struct Options {
  std::string result;
  std::string out;
};

Exit report(const Options& options, Output& out) {
  const nlohmann::ordered_json result = stored_result(options.result);
  if (result.is_null())
    throw bad_input({options.result}, "is no result, expected a result.json or the folder of a run");
  const auto beside = std::filesystem::path(result_file(options.result)).parent_path() / "report.html";
  const std::string file = options.out.empty() ? beside.string() : options.out;
  try {
    write_whole_file(file, report_page(result));
  } catch (const nlohmann::json::exception& error) {
    throw bad_input({options.result}, std::string("lacks what every result has: ") + error.what());
  }
  out.print("{}\n", file);
  return Exit::ok;
}

}  // namespace

Command report_command() {
  return {"report",
          "write the report of a stored result as one HTML file",
          {"mesim report results/runs/main", "mesim report result.json -o report.html"},
          [](Arguments& arguments) {
            auto options = std::make_shared<Options>();
            arguments.positional("RESULT", options->result, "a result.json, or the folder of a run");
            arguments.option("-o,--output", options->out, "FILE",
                             "where to write it (default: beside the result)");
            return [options](Output& out) { return report(*options, out); };
          },
          "The file needs no network and no script. `mesim run` and `mesim sweep` write one beside their "
          "results."};
}

}  // namespace mesim
