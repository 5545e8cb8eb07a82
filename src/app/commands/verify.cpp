// mesim verify PROTOCOL ... [--caches N] [--nonstalling] [--events core|all] [--snoop-queue N]
// [--mutate NAME] [--svg FILE] [--json]
#include <cstdio>
#include <ctime>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/commands/commands.hpp"
#include "coherence/checker/chart.hpp"
#include "coherence/checker/explorer.hpp"
#include "coherence/checker/protocols.hpp"
#include "coherence/random_tester.hpp"

namespace mesim {
namespace {

using checker::Exploration;
using checker::StepText;
using Json = nlohmann::ordered_json;

struct Options {
  std::vector<std::string> protocols;
  checker::ProtocolChoice choice;
  std::uint64_t caches = 3;
  std::uint64_t snoop_queue = 1;
  std::uint64_t pointers = 2;
  std::uint64_t group = 2;
  std::string directory = "full";
  std::uint64_t state_limit = 50'000'000;
  std::uint64_t random = 0;
  std::uint64_t seed = 1;
  std::string events = "core";
  std::string svg;
  bool no_symmetry = false;
  bool json = false;
};

Json document_of(const checker::ProtocolChoice& choice, const Options& options, const Exploration& result) {
  Json d;
  d["mesim"] = {{"version", MESIM_VERSION}, {"schema", 1}};
  d["protocol"] = choice.name;
  d["caches"] = options.caches;
  d["nonstalling"] = choice.nonstalling;
  d["events"] = options.events;
  if (choice.directory.kind != DirectoryKind::full) d["directory"] = options.directory;
  d["mutation"] = choice.mutation == "none" ? Json(nullptr) : Json(choice.mutation);
  d["symmetry"] = result.symmetry;
  d["states"] = result.states;
  d["transitions"] = result.transitions;
  d["quiescent_states"] = result.quiescent_states;
  d["depth"] = result.depth;
  d["coverage"]["reached"] = result.coverage.reached;
  d["coverage"]["unreachable"] = Json::array();
  // a search that stopped at a violation says nothing about what it has not met
  for (const checker::UnreachedCell& cell : result.coverage.unreached) {
    if (!result.violation)
      d["coverage"]["unreachable"].push_back({{"cell", cell.cell}, {"reason", cell.reason}});
  }
  d["violation"] = nullptr;
  if (result.violation) {
    Json steps = Json::array();
    for (const StepText& step : result.violation->steps) {
      steps.push_back({{"actor", step.actor},
                       {"event", step.event},
                       {"before", step.before},
                       {"after", step.after},
                       {"received", step.received},
                       {"sent", step.sent}});
    }
    d["violation"] = {{"invariant", result.violation->invariant},
                      {"detail", result.violation->detail},
                      {"steps", std::move(steps)}};
  }
  return d;
}

void report(const checker::Model& model, const Options& options, const Exploration& result, Output& out) {
  out.print("{}: {} caches, {} events{}\n", model.name(), options.caches, options.events,
            result.symmetry ? ", caches interchangeable" : "");
  out.print("  {} states, {} transitions, farthest state {} steps away, {} at rest\n", result.states,
            result.transitions, result.depth, result.quiescent_states);
  if (!result.violation) {
    std::size_t unused = 0;
    for (const checker::UnreachedCell& cell : result.coverage.unreached) unused += cell.has_row;
    out.print("  {} cells of the tables met, {} cannot happen, {} have a row that was not needed\n",
              result.coverage.reached, result.coverage.unreached.size() - unused, unused);
    for (const checker::UnreachedCell& cell : result.coverage.unreached) {
      if (cell.has_row) out.print("    not needed: {}: {}\n", cell.cell, cell.reason);
    }
    out.print(
        "  holds: single writer or many readers, data value, exactness at rest, no deadlock, no stuck set,\n"
        "         no event without a row\n");
    return;
  }
  out.print("  VIOLATED: {}: {}\n  the shortest way there, {} steps (a message's @N: sent in step N):\n\n{}",
            result.violation->invariant, result.violation->detail, result.violation->steps.size(),
            checker::chart_text(model.participants(), *result.violation));
}

void write_svg(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) throw file_error(path, "cannot be written", errno);
}

RandomTestReport random_report(const checker::ProtocolChoice& choice, const RandomTestConfig& test) {
  if (checker::is_split_bus(choice.name))
    return random_split_bus_test(checker::split_bus_options(choice), test);
  if (checker::is_directory(choice.name)) return random_test(checker::directory_options(choice), test);
  const BusProtocol protocol = checker::atomic_bus_protocol(choice);
  return random_bus_test({}, test, &protocol);
}

// The machines that a run uses under random load, in place of the exploration.
Exit random_verify(const Options& options, Output& out) {
  Json documents = Json::array();
  bool failed = false;
  for (const std::string& name : options.protocols) {
    checker::ProtocolChoice choice = options.choice;
    choice.name = name;
    const RandomTestConfig test{
        .cores = static_cast<unsigned>(options.caches), .operations = options.random, .seed = options.seed};
    const RandomTestReport report = random_report(choice, test);
    failed |= report.fault.has_value();
    if (!options.json) {
      out.print(
          "{}: {} cores, {} random operations in {} cycles\n"
          "  {} invalidations, {} interventions, {} evictions, {} recalls, {} DMA reads, {} DMA writes\n  "
          "{}\n",
          name, options.caches, report.operations, report.cycles, report.invalidations, report.interventions,
          report.evictions, report.recalls, report.dma_reads, report.dma_writes,
          report.fault ? "VIOLATED: " + *report.fault : "every load returned the last store");
    }
    Json d = {{"mesim", {{"version", MESIM_VERSION}, {"schema", 1}}},
              {"protocol", name},
              {"caches", options.caches}};
    d["random"] = {{"seed", options.seed},
                   {"operations", report.operations},
                   {"cycles", report.cycles},
                   {"invalidations", report.invalidations},
                   {"interventions", report.interventions},
                   {"evictions", report.evictions},
                   {"recalls", report.recalls},
                   {"dma_reads", report.dma_reads},
                   {"dma_writes", report.dma_writes}};
    d["violation"] = nullptr;
    if (report.fault)
      d["violation"] = {{"invariant", "random test"}, {"detail", *report.fault}, {"steps", Json::array()}};
    documents.push_back(std::move(d));
  }
  if (options.json) out.print("{}\n", (documents.size() == 1 ? documents[0] : documents).dump(2));
  return failed ? Exit::failed : Exit::ok;
}

Exit verify(Options& options, Output& out) {
  options.choice.all_events = options.events == "all";
  options.choice.snoop_queue = static_cast<unsigned>(options.snoop_queue);
  options.choice.directory = {.kind = directory_kind_from(options.directory),
                              .pointers = static_cast<std::uint8_t>(options.pointers),
                              .group_caches = static_cast<std::uint16_t>(options.group)};
  if (options.random != 0) return random_verify(options, out);
  if (!options.svg.empty() && options.protocols.size() > 1) {
    throw bad_input({"mesim verify"}, "--svg names one file; verify one protocol at a time with it");
  }
  Json documents = Json::array();
  bool violated = false;
  for (const std::string& name : options.protocols) {
    checker::ProtocolChoice choice = options.choice;
    choice.name = name;
    const auto model = checker::protocol_model(choice, static_cast<unsigned>(options.caches));
    const std::clock_t start = std::clock();
    const Exploration result =
        explore(*model, {.symmetry = !options.no_symmetry, .state_limit = options.state_limit});
    fmt::print(stderr, "{}: {:.2f} CPU seconds\n", name,
               static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
    violated |= result.violation.has_value();
    if (result.violation && !options.svg.empty()) {
      write_svg(options.svg, chart_svg(model->participants(), *result.violation));
    }
    if (options.json) {
      documents.push_back(document_of(choice, options, result));
    } else {
      report(*model, options, result, out);
    }
  }
  if (options.json) out.print("{}\n", (documents.size() == 1 ? documents[0] : documents).dump(2));
  return violated ? Exit::failed : Exit::ok;
}

}  // namespace

Command verify_command() {
  return {
      "verify",
      "model-check coherence protocols: every reachable state of a line",
      {"mesim verify mesi-directory --caches 4",
       "mesim verify msi-directory --caches 2 --mutate stale-putm-written --svg counterexample.svg",
       "mesim verify mesi-directory --directory coarse --events all",
       "mesim verify msi-split-bus --caches 2 --snoop-queue 3 --mutate unordered-data",
       "mesim verify moesi-directory --caches 32 --random 10000"},
      [](Arguments& arguments) {
        auto options = std::make_shared<Options>();
        arguments.positionals("PROTOCOL", options->protocols, 1, "mesi-directory, mesi-bus, ...");
        arguments.integer("--caches", options->caches,
                          {.min = 1, .max = 64, .help = "caches that share the line"});
        arguments.flag("--nonstalling", options->choice.nonstalling, "caches take forwards while they wait");
        arguments.choice("--events", options->events, {"core", "all"}, "all: with recall and DMA");
        arguments.choice("--directory", options->directory,
                         {"full", "limited-broadcast", "limited-no-broadcast", "coarse", "sparse"},
                         "what the home remembers of the sharers");
        arguments.integer(
            "--pointers", options->pointers,
            {.min = 1, .max = LimitedPointers::most_pointers, .help = "of a limited directory"});
        arguments.integer("--group", options->group,
                          {.min = 1, .max = 64, .help = "caches to a bit of a coarse directory"});
        arguments.integer("--snoop-queue", options->snoop_queue,
                          {.min = 1,
                           .max = 4,
                           .help = "split bus: ordered requests that an agent may not have seen yet; "
                                   "1: the bus waits for all (atomic requests)"});
        arguments.option("--mutate", options->choice.mutation, "NAME", "build in a known fault");
        arguments.option("--svg", options->svg, "FILE", "draw the counterexample there");
        arguments.flag("--no-symmetry", options->no_symmetry,
                       "keep states apart that differ in cache names only");
        arguments.integer("--state-limit", options->state_limit,
                          {.min = 1, .max = 2'000'000'000, .help = "give up beyond so many states (exit 3)"});
        arguments.integer(
            "--random", options->random,
            {.max = 1'000'000'000,
             .help = "run so many random accesses a core on the machine that a run uses instead"});
        arguments.integer("--seed", options->seed, {.help = "of the random accesses"});
        arguments.flag("--json", options->json, "one JSON document; several protocols make an array");
        return [options](Output& out) { return verify(*options, out); };
      },
      "Exit status 1: an invariant is violated. Protocols: " +
          fmt::format("{}", fmt::join(checker::protocol_names(), ", ")) +
          ".\nFaults: unordered-forwards, keep-sm-ad-on-inv, no-is-d-i, ack-count-zero, stale-putm-written,\n"
          "ack-count-on-responses (moesi-directory); of a split bus no-early-data, untagged-data,\n"
          "unordered-data, no-is-d-i, lose-sm-a-data."};
}

}  // namespace mesim
