// mesim completion bash|zsh|fish
#include <memory>

#include "app/command_line.hpp"
#include "app/commands/commands.hpp"
#include "app/completion_script.hpp"
#include "sim/config_description.hpp"
#include "sim/json_document.hpp"
#include "sim/nearest.hpp"
#include "system/config.hpp"

namespace mesim {
namespace {

std::vector<std::string> config_keys() {
  std::vector<std::string> keys;
  const auto root = describe_config<SystemConfig>();
  for (const auto& [path, field] : paths_of(root)) {
    if (field->children.empty()) keys.push_back(path);
  }
  return keys;
}

}  // namespace

Command completion_command() {
  return {
      "completion",
      "print a script that lets a shell complete mesim's commands",
      {"source <(mesim completion bash)", "mesim completion fish > ~/.config/fish/completions/mesim.fish"},
      [](Arguments& arguments) {
        auto shell = std::make_shared<std::string>();
        arguments.positional("SHELL", *shell, "bash, zsh or fish");
        return [shell](Output& out) {
          const auto& shells = completion_shells();
          if (std::find(shells.begin(), shells.end(), *shell) == shells.end()) {
            throw bad_input({"mesim completion"},
                            fmt::format("found '{}', expected one of {}{}", shown(*shell),
                                        fmt::join(shells, ", "), did_you_mean(*shell, shells)));
          }
          out.write(completion_script(command_line_shape(all_commands()), config_keys(), *shell));
          return Exit::ok;
        };
      }};
}

}  // namespace mesim
