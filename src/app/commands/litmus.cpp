// mesim litmus (FILE|DIR|ARCHIVE) ... [--model M,...] [--json|--tsv] [--states]
#include <cstdio>
#include <memory>

#include "app/commands/commands.hpp"
#include "litmus/result_output.hpp"

namespace mesim {
namespace {

struct LitmusOptions {
  std::vector<std::string> paths;
  std::vector<std::string> models;
  bool json = false;
  bool tsv = false;
  bool states = false;
};

Exit run_litmus(const LitmusOptions& options, Output& out) {
  std::vector<litmus::Model> models;
  for (const std::string& name : options.models) models.push_back(*litmus::model_of(name));
  const auto inputs = litmus::collect_tests(options.paths);
  if (options.json) out.print(R"({{"mesim":{{"version":"{}","schema":1}},"tests":[)", MESIM_VERSION);
  if (options.tsv) out.write(litmus::tsv_header());
  std::size_t unreadable = 0;
  for (const litmus::TestInput& input : inputs) {
    const litmus::TestResult result = litmus::run_test(input, models, litmus::Engine::automatic, {});
    if (result.failure) {
      ++unreadable;
      fmt::print(stderr, "error: {}\n", result.failure->whole);
    }
    if (options.json) {
      out.print("{}\n{}", &input == inputs.data() ? "" : ",", litmus::json_of(result, options.states));
    } else {
      out.write(options.tsv ? litmus::tsv_of(result) : litmus::text_of(result, options.states));
    }
  }
  if (options.json) out.write("\n]}\n");
  return unreadable == 0 ? Exit::ok : Exit::bad_input;
}

}  // namespace

Command litmus_command() {
  return {"litmus",
          "which outcomes of small concurrent programs a memory model allows",
          {"mesim litmus sb.litmus --model sc,tso,pso --states", "mesim litmus tests.tar.xz --json",
           "mesim litmus folder --model rvwmo --tsv"},
          [](Arguments& arguments) {
            auto options = std::make_shared<LitmusOptions>();
            arguments.positionals("TESTS", options->paths, 1,
                                  "*.litmus files, folders and tar archives of them");
            arguments.list("--model", options->models, litmus::model_names(), "MODEL,...",
                           "default: tso for x86, rvwmo for RISC-V, sc for generic assembly");
            arguments.flag("--json", options->json, "one JSON document");
            arguments.flag("--tsv", options->tsv, "a line for each test and model, tab-separated");
            arguments.flag("--states", options->states, "list the final states");
            return [options](Output& out) { return run_litmus(*options, out); };
          },
          "Exit status 2: a test cannot be read; it has its line in the result all the same."};
}

}  // namespace mesim
