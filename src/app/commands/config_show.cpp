// mesim config show CONFIG [PATH=VALUE ...]
#include <memory>

#include "app/commands/commands.hpp"
#include "sim/config_reader.hpp"
#include "sim/config_writer.hpp"
#include "system/config.hpp"

namespace mesim {

Command config_show_command() {
  return {"config show",
          "print a config with every key: presets, includes, overrides and defaults resolved",
          {"mesim config show configs/main.json l1d.size_bytes=16K"},
          [](Arguments& arguments) {
            auto source = std::make_shared<ConfigSource>();
            arguments.positional("CONFIG", source->path, "file to read");
            arguments.positionals("PATH=VALUE", source->overrides, 0, "keys that differ from the file");
            return [source](Output& out) {
              out.write(pretty_json(write_config(read_config<SystemConfig>(*source))));
              return Exit::ok;
            };
          }};
}

}  // namespace mesim
