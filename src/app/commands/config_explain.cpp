// mesim config explain [PATH]
#include "sim/config_explain.hpp"

#include <memory>

#include "app/commands/commands.hpp"
#include "sim/config_writer.hpp"
#include "system/config.hpp"

namespace mesim {
namespace {

struct Options {
  std::string path;
  bool json = false;
};

}  // namespace

Command config_explain_command() {
  return {"config explain",
          "say what a key of the config means: type, unit, default, range; without a path all keys",
          {"mesim config explain", "mesim config explain l1d", "mesim config explain l1d.ways"},
          [](Arguments& arguments) {
            auto options = std::make_shared<Options>();
            arguments.optional_positional("PATH", options->path, "a key, as l1d.ways or /l1d/ways");
            arguments.flag("--json", options->json, "one JSON document");
            return [options](Output& out) {
              const auto root = describe_config<SystemConfig>();
              out.write(options->json ? pretty_json(explain_config_json(root, options->path))
                                      : explain_config(root, options->path));
              return Exit::ok;
            };
          }};
}

}  // namespace mesim
