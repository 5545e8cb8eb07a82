// mesim compare (CONFIG|RESULT) ...
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/commands/commands.hpp"
#include "app/comparison.hpp"
#include "app/report/page.hpp"
#include "app/simulation.hpp"
#include "app/stored_result.hpp"
#include "sim/error.hpp"
#include "sim/output_file.hpp"

namespace mesim {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::vector<std::string> subjects;
  std::vector<std::string> vary;
  std::string engine = "fast";
  std::string progress = "auto";
  std::string html;
  bool json = false;
};

// One run to compare: a file, and the overrides that this run alone has.
struct Subject {
  std::string file;
  std::vector<std::string> overrides;
};

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == at) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

bool is_override(const std::string& argument) {
  const auto equals = argument.find('=');
  return equals != std::string::npos && argument.find_first_of("/+") > equals &&
         !std::filesystem::exists(argument);
}

// "configs/main.json+coherence.protocol=MSI+l1d.ways=4"
Subject subject_of(const std::string& argument) {
  if (std::filesystem::exists(argument)) return {argument, {}};
  auto parts = split(argument, '+');
  Subject subject{parts[0], {}};
  // A '+' inside a value (a path, say) belongs to it: an override has its '='.
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (parts[i].find('=') != std::string::npos || subject.overrides.empty()) {
      subject.overrides.push_back(parts[i]);
    } else {
      subject.overrides.back() += "+" + parts[i];
    }
  }
  return subject;
}

// The values of one key, from `--vary KEY=A,B`: the command line splits at commas, so a value without '='
// belongs to the key before it.
struct Axis {
  std::string key;
  std::vector<std::string> values;
};

std::vector<Axis> axes_of(const std::vector<std::string>& vary) {
  std::vector<Axis> axes;
  for (const auto& item : vary) {
    const auto equals = item.find('=');
    if (equals != std::string::npos) {
      axes.push_back({item.substr(0, equals), {item.substr(equals + 1)}});
    } else if (!axes.empty()) {
      axes.back().values.push_back(item);
    } else {
      throw bad_input({"mesim compare"}, fmt::format("--vary: found '{}', expected KEY=VALUE,VALUE", item));
    }
  }
  return axes;
}

// Every combination of the axes' values, the last axis fastest.
std::vector<Subject> varied(std::vector<Subject> subjects, const std::vector<Axis>& axes) {
  for (const Axis& axis : axes) {
    std::vector<Subject> next;
    for (const Subject& subject : subjects) {
      for (const auto& value : axis.values) {
        next.push_back(subject);
        next.back().overrides.push_back(axis.key + "=" + value);
      }
    }
    subjects = std::move(next);
  }
  return subjects;
}

std::string label_of(const Subject& subject) {
  std::string label = subject.file;
  for (const auto& o : subject.overrides) label += " " + o;
  return label;
}

Comparison compared(const std::vector<ComparedRun>& runs) {
  try {
    return compare_runs(runs);
  } catch (const Json::exception& error) {
    throw bad_input({"mesim compare"},
                    fmt::format("a stored result lacks what every result has: {}", error.what()));
  }
}

Exit compare(const Options& options, Output& out) {
  std::vector<Subject> subjects;
  std::vector<std::string> common;
  for (const auto& argument : options.subjects) {
    if (is_override(argument)) {
      common.push_back(argument);
    } else {
      subjects.push_back(subject_of(argument));
    }
  }
  subjects = varied(std::move(subjects), axes_of(options.vary));
  if (subjects.size() < 2) {
    throw bad_input(
        {"mesim compare"},
        fmt::format("found {} run, expected two or more: name another, or --vary a key", subjects.size()));
  }
  const StopSignals stop;
  std::vector<ComparedRun> runs;
  Exit status = Exit::ok;
  for (const Subject& subject : subjects) {
    Json result = stored_result(subject.file);
    if (!result.is_null() && !subject.overrides.empty()) {
      throw bad_input({subject.file},
                      fmt::format("is a result, found the override '{}', expected a config to run anew",
                                  subject.overrides[0]));
    }
    if (result.is_null()) {
      std::vector<std::string> overrides = common;
      overrides.insert(overrides.end(), subject.overrides.begin(), subject.overrides.end());
      const SystemConfig config = read_system_config(subject.file, overrides);
      Simulation simulation =
          simulate(config, subject.file, options.engine, progress_style(options.progress), stop);
      if (!simulation.as_expected()) status = Exit::failed;
      result = std::move(simulation.result);
    }
    runs.push_back({label_of(subject), std::move(result)});
    if (stop.stopped()) break;
  }
  const Comparison comparison = compared(runs);
  if (!options.html.empty()) write_whole_file(options.html, comparison_page(comparison, runs));
  out.write(options.json ? comparison_json(comparison).dump(2) + "\n" : comparison_text(comparison));
  return stop.stopped() ? stop.status() : status;
}

}  // namespace

Command compare_command() {
  return {"compare",
          "run configs, or take stored results, and show them side by side with the reasons",
          {"mesim compare configs/main.json --vary coherence.protocol=MSI,MESI workload.path=app.mtr",
           "mesim compare configs/main.json+l1d.ways=2 configs/main.json+l1d.ways=8",
           "mesim compare results/runs/before results/runs/after --html comparison.html"},
          [](Arguments& arguments) {
            auto options = std::make_shared<Options>();
            arguments.list("--vary", options->vary, {}, "KEY=VALUE,VALUE",
                           "run every config once per value; repeated, once per combination");
            arguments.flag("--json", options->json, "print one JSON document instead of the tables");
            arguments.option("--html", options->html, "FILE",
                             "also write them as one HTML file with drawings");
            arguments.choice("--engine", options->engine, {"fast", "window", "events", "stepwise"},
                             "how the host computes it; the result is the same");
            arguments.choice("--progress", options->progress, progress_names(), "progress on stderr");
            arguments.positionals(
                "CONFIG|RESULT", options->subjects, 1,
                "configs, results or folders of results; CONFIG+KEY=VALUE overrides a key of one "
                "config, KEY=VALUE of all");
            return [options](Output& out) { return compare(*options, out); };
          },
          "The first is the baseline. Reasons are the counters and ledger entries that make up each change."};
}

}  // namespace mesim
