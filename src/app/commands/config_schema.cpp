// mesim config schema
#include "sim/config_schema.hpp"

#include "app/commands/commands.hpp"
#include "sim/config_writer.hpp"
#include "system/config.hpp"

namespace mesim {

Command config_schema_command() {
  return {"config schema",
          "print the JSON schema of configs, for editors and other programs",
          {"mesim config schema > configs/schema/mesim.schema.json"},
          [](Arguments&) {
            return [](Output& out) {
              out.write(pretty_json(config_schema(describe_config<SystemConfig>(), "mesim config")));
              return Exit::ok;
            };
          }};
}

}  // namespace mesim
