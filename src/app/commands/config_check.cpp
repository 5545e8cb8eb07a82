// mesim config check CONFIG [PATH=VALUE ...]
#include <memory>

#include "app/commands/commands.hpp"
#include "sim/config_reader.hpp"
#include "system/config.hpp"

namespace mesim {

Command config_check_command() {
  return {"config check",
          "read a config and say whether it is right",
          {"mesim config check configs/main.json l1d.ways=4"},
          [](Arguments& arguments) {
            auto source = std::make_shared<ConfigSource>();
            arguments.positional("CONFIG", source->path, "file to check");
            arguments.positionals("PATH=VALUE", source->overrides, 0, "keys that differ from the file");
            return [source](Output& out) {
              read_config<SystemConfig>(*source);
              out.print("{}: ok\n", source->path);
              return Exit::ok;
            };
          }};
}

}  // namespace mesim
