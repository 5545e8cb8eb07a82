// mesim config schema [run|sweep|exercise]
#include "sim/config_schema.hpp"

#include <memory>

#include "app/commands/commands.hpp"
#include "app/exercise.hpp"
#include "app/sweep/sweep_config.hpp"
#include "sim/config_writer.hpp"
#include "system/config.hpp"

namespace mesim {
namespace {

FieldDescription described(const std::string& kind) {
  if (kind == "sweep") return describe_config<SweepConfig>();
  if (kind == "exercise") return describe_config<Exercise>();
  return describe_config<SystemConfig>();
}

}  // namespace

Command config_schema_command() {
  return {
      "config schema",
      "print the JSON schema of configs, for editors and other programs",
      {"mesim config schema > configs/schema/mesim.schema.json",
       "mesim config schema --of sweep > configs/schema/sweep.schema.json"},
      [](Arguments& arguments) {
        auto kind = std::make_shared<std::string>("run");
        arguments.choice("--of", *kind, {"run", "sweep", "exercise"}, "which kind of file the schema is of");
        return [kind](Output& out) {
          const std::string title = *kind == "run" ? "mesim config" : "mesim " + *kind;
          out.write(pretty_json(config_schema(described(*kind), title)));
          return Exit::ok;
        };
      },
      "A file that begins with \"$schema\": \"PATH/mesim.schema.json\" gets completion and checks in "
      "editors."};
}

}  // namespace mesim
