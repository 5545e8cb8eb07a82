// mesim dram check CONFIG TRACE [PATH=VALUE ...]
#include <memory>
#include <nlohmann/json.hpp>

#include "app/commands/commands.hpp"
#include "app/simulation.hpp"
#include "memory/dram/command_trace.hpp"

namespace mesim {
namespace {

struct Options {
  std::string config;
  std::string trace;
  std::vector<std::string> overrides;
  bool json = false;
};

Exit check(const Options& options, Output& out) {
  const SystemConfig config = read_system_config(options.config, options.overrides);
  const dram::Timings timings(config.memory, options.config);
  dram_check::TimingChecker checker(dram::checker_parameters(config.memory, timings));
  const auto commands = dram_check::read_command_trace(options.trace);
  for (const auto& command : commands) checker.observe(command);
  if (!commands.empty()) checker.finish(commands.back().at, config.memory.controller.refresh != "none");
  if (options.json) {
    nlohmann::ordered_json document = {{"commands", checker.commands()},
                                       {"violations", checker.violation_count()},
                                       {"first", nlohmann::ordered_json::array()}};
    for (const auto& v : checker.violations()) {
      document["first"].push_back({{"rule", v.rule},
                                   {"cycle", v.command.at},
                                   {"command", dram_check::name_of(v.command.op)},
                                   {"text", v.text}});
    }
    out.print("{}\n", document.dump(2));
  } else {
    for (const auto& v : checker.violations()) {
      out.print("{} {} breaks {}: {}\n", v.command.at, dram_check::name_of(v.command.op), v.rule, v.text);
    }
    out.print("{} commands, {} violations\n", checker.commands(), checker.violation_count());
  }
  return checker.violation_count() == 0 ? Exit::ok : Exit::failed;
}

}  // namespace

Command dram_check_command() {
  return {"dram check",
          "judge a DRAM command trace by a standard's rules",
          {"mesim dram check configs/validation/dram.json commands.csv memory.preset=ddr5-4800"},
          [](Arguments& arguments) {
            auto options = std::make_shared<Options>();
            arguments.positional("CONFIG", options->config, "a config whose memory names the standard");
            arguments.positional("TRACE", options->trace,
                                 "of `mesim dram trace`, Ramulator 2's CSV, or DRAMsim3's command trace");
            arguments.positionals("PATH=VALUE", options->overrides, 0, "overrides of the config's keys");
            arguments.flag("--json", options->json, "one JSON document");
            return [options](Output& out) { return check(*options, out); };
          },
          "The checker has its own list of rules and shares nothing with the controller. A broken rule gives "
          "exit "
          "status 1."};
}

}  // namespace mesim
