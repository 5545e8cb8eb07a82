#include "app/command_line.hpp"

#include <catch2/catch.hpp>

#include "app/commands/commands.hpp"
#include "tests/app/mesim_process.hpp"

using namespace mesim::test;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

// A command with an argument of every kind, run in this process.
struct Given {
  std::string file;
  std::vector<std::string> more, rest, models;
  std::string out = "here", engine = "fast";
  bool json = false;
  std::uint64_t jobs = 1, cap_bytes = 0;
  double rate = 0.5;
};

Given run_sample(const std::vector<std::string>& arguments) {
  Given given;
  const mesim::Command sample{
      "group sample", "a sample", {"mesim group sample x"}, [&](mesim::Arguments& a) {
        a.positional("FILE", given.file, "a file");
        a.positionals("MORE", given.more, 0, "more files");
        a.after_dashes("ARGS", given.rest, "passed on");
        a.option("-o,--out", given.out, "DIR", "where");
        a.flag("--json", given.json, "one document");
        a.integer("--jobs", given.jobs, {.min = 1, .max = 64, .help = "how many"});
        a.integer("--cap", given.cap_bytes, {.unit = "bytes", .help = "how much"});
        a.number("--rate", given.rate, {.max = 1, .help = "how fast"});
        a.choice("--engine", given.engine, {"fast", "stepwise"}, "which engine");
        a.list("--model", given.models, {"sc", "tso", "rmo"}, "MODELS", "which models");
        return [](mesim::Output&) { return mesim::Exit::ok; };
      }};
  std::vector<mesim::Command> commands = mesim::all_commands();
  commands.push_back(sample);
  mesim::Output out(1);
  std::vector<std::string> all = {"group", "sample"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  mesim::run_command_line(commands, all, out);
  return given;
}

std::string refusal(const std::vector<std::string>& arguments) {
  try {
    run_sample(arguments);
  } catch (const mesim::Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("arguments of every kind are read, in any order") {
  const Given g =
      run_sample({"--json", "f", "-o", "d", "a", "b", "--jobs", "3", "--cap=4K", "--model", "sc,tso",
                  "--rate", "0.25", "--engine", "stepwise", "--model=rmo", "--", "-x", "--json"});
  CHECK(g.json);
  CHECK(g.file == "f");
  CHECK(g.more == std::vector<std::string>{"a", "b"});
  CHECK(g.out == "d");
  CHECK(g.jobs == 3);
  CHECK(g.cap_bytes == 4096);
  CHECK(g.rate == 0.25);
  CHECK(g.engine == "stepwise");
  CHECK(g.models == std::vector<std::string>{"sc", "tso", "rmo"});
  CHECK(g.rest == std::vector<std::string>{"-x", "--json"});
}

TEST_CASE("wrong arguments are refused with what was found and expected") {
  CHECK_THAT(refusal({"f", "--jobs", "abc"}),
             Contains("--jobs=abc: found 'abc', expected an integer from 1 to 64"));
  CHECK_THAT(refusal({"f", "--jobs", "0"}), Contains("found 0, expected an integer from 1 to 64"));
  CHECK_THAT(refusal({"f", "--jobs=-1"}), Contains("found -1"));
  CHECK_THAT(refusal({"f", "--jobs", "-1"}), Contains("found -1"));
  CHECK_THAT(refusal({"f", "--jobs"}), Contains("--jobs"));
  CHECK_THAT(refusal({"f", "--rate", "2"}), Contains("expected a number from 0 to 1"));
  CHECK_THAT(refusal({"f", "--engine", "fats"}), Contains("did you mean 'fast'?"));
  CHECK_THAT(refusal({"f", "--model", "sc,tos"}), Contains("did you mean 'tso'?"));
  CHECK_THAT(refusal({"f", "--jsno"}), Contains("unknown option '--jsno'; did you mean '--json'?"));
  CHECK_THAT(refusal({"f", "--job", "3"}), Contains("unknown option '--job'; did you mean '--jobs'?"));
  CHECK_THAT(refusal({"f", "--json=yes"}), Contains("json was given"));
  CHECK_THAT(refusal({}), Contains("FILE"));
}

TEST_CASE("a misspelt command is named with its nearest") {
  const auto unknown = run_mesim({"frobnicate"});
  CHECK(unknown.status == 2);
  CHECK(unknown.out.empty());
  CHECK_THAT(unknown.err, StartsWith("error: ") && Contains("'frobnicate'"));
  CHECK_THAT(run_mesim({"preset"}).err, Contains("did you mean 'presets'?"));
  CHECK(run_mesim({}).status == 2);
  CHECK(run_mesim({"--frob"}).status == 2);
}

TEST_CASE("every command has help with an example") {
  for (const auto& command : mesim::all_commands()) {
    INFO(command.name);
    CHECK_FALSE(command.examples.empty());
    std::vector<std::string> words;
    const auto space = command.name.find(' ');
    words.push_back(command.name.substr(0, space));
    if (space != std::string::npos) words.push_back(command.name.substr(space + 1));
    words.push_back("--help");
    const auto help = run_mesim(words);
    CHECK(help.status == 0);
    CHECK(help.err.empty());
    CHECK_THAT(help.out, Contains("Usage: mesim " + command.name) && Contains("Example"));
  }
}

TEST_CASE("the version names commit, compiler and build type") {
  const auto version = run_mesim({"--version"});
  CHECK(version.status == 0);
  CHECK_THAT(version.out, StartsWith("mesim " MESIM_VERSION "\n") && Contains("\ncommit ") &&
                              Contains("\ncompiler gcc ") && Contains("\nbuild "));
}

TEST_CASE("a result that cannot be written is an error of its own") {
  CHECK(run_shell("\"$MESIM\" --help >&-").status == 5);
  CHECK_THAT(run_shell("\"$MESIM\" --help >/dev/full").err,
             Contains("error: standard output: cannot be written"));
  CHECK(run_shell("\"$MESIM\" --help >/dev/full").status == 5);
  // The reader of the pipe is gone before anything is written.
  const auto broken =
      run_shell("mkfifo p; (exec 3<p; exec 3<&-) & exec 4>p; wait; \"$MESIM\" --help >&4; echo $?",
                TemporaryFolder().path());
  CHECK_THAT(broken.err, Contains("error: standard output: cannot be written: Broken pipe"));
  CHECK(broken.out == "5\n");
}

TEST_CASE("completion scripts know every command, option and key") {
  const TemporaryFolder folder;
  const auto script_file = folder.write("script", run_mesim({"completion", "bash"}).out);
  const auto complete = [&](const std::string& line) {
    return run_shell("bash -c '. ./script; COMP_WORDS=(" + line +
                         "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _mesim; echo \"${COMPREPLY[@]}\"'",
                     folder.path())
        .out;
  };
  CHECK(complete("mesim pres") == "presets\n");
  CHECK(complete("mesim presets --j") == "--json\n");
  CHECK(complete("mesim config expl") == "explain\n");
  CHECK(complete("mesim config check sc") == "script\n");
  CHECK(complete("mesim config check script l1d.wa") == "l1d.ways=\n");
  for (const std::string shell : {"zsh", "fish"}) {
    const auto script = run_mesim({"completion", shell});
    CHECK(script.status == 0);
    folder.write(shell, script.out);
    CHECK(run_shell("! command -v " + shell + " || " + shell + " -n " + shell, folder.path()).err.empty());
    for (const auto& command : mesim::all_commands()) {
      CHECK_THAT(script.out, Contains(command.name.substr(command.name.rfind(' ') + 1)));
    }
  }
  CHECK_THAT(run_mesim({"completion", "bsh"}).err, Contains("did you mean 'bash'?"));
}

TEST_CASE("the help of a group shows an example of each of its commands and of no other") {
  const std::string help = run_mesim({"dram", "--help"}).out;
  CHECK_THAT(help, Contains("mesim dram trace configs/") && Contains("mesim dram check configs/"));
  CHECK_THAT(help, !Contains("mesim config"));
}
