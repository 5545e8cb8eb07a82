// mesim dram trace CONFIG -o FILE [PATH=VALUE ...]
#include <fmt/format.h>

#include <fstream>
#include <memory>

#include "app/commands/commands.hpp"
#include "app/simulation.hpp"
#include "system/memory_run.hpp"

namespace mesim {
namespace {

struct Options {
  std::string config;
  std::string file;
  std::vector<std::string> overrides;
};

class KeepGoing final : public RunWatch {
 public:
  bool keep_going(std::uint64_t) override { return true; }
};

Exit trace(const Options& options, Output& out) {
  const SystemConfig config = read_system_config(options.config, options.overrides);
  if (config.order != "memory") {
    throw bad_input({options.config}, "/order", "found '" + config.order + "', expected 'memory'");
  }
  std::ofstream file;
  if (!options.file.empty()) {
    file.open(options.file);
    if (!file) throw file_error(options.file, "cannot be written", errno);
  }
  const auto put = [&](const std::string& text) {
    if (options.file.empty())
      out.write(text);
    else
      file << text;
  };
  put(dram_check::command_trace_header());
  KeepGoing watch;
  run_memory(config, options.config, watch,
             [&](const dram_check::DramCommand& command) { put(dram_check::command_trace_line(command)); });
  if (!options.file.empty() && !file.flush()) throw file_error(options.file, "cannot be written", errno);
  return Exit::ok;
}

}  // namespace

Command dram_trace_command() {
  return {"dram trace",
          "run a memory by itself and write every DRAM command",
          {"mesim dram trace configs/validation/dram.json -o commands.csv workload.requests=1000"},
          [](Arguments& arguments) {
            auto options = std::make_shared<Options>();
            arguments.positional("CONFIG", options->config, "a config with order=memory");
            arguments.positionals("PATH=VALUE", options->overrides, 0, "overrides of its keys");
            arguments.option("-o,--output", options->file, "FILE", "where to write (default: stdout)");
            return [options](Output& out) { return trace(*options, out); };
          },
          "Commands of one channel stand in the order of time; channels take turns."};
}

}  // namespace mesim
