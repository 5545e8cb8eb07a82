// mesim config diff A B
#include <memory>
#include <nlohmann/json.hpp>

#include "app/commands/commands.hpp"
#include "sim/config_reader.hpp"
#include "sim/config_writer.hpp"
#include "system/config.hpp"

namespace mesim {
namespace {

struct Options {
  std::string left, right;
  bool json = false;
};

nlohmann::ordered_json flat_config(const std::string& path) {
  return write_config(read_config<SystemConfig>({path, {}, {}})).flatten();
}

// Keys of both, those of `left` in its order first.
Exit diff(const Options& options, Output& out) {
  const auto left = flat_config(options.left);
  const auto right = flat_config(options.right);
  nlohmann::ordered_json differences = nlohmann::ordered_json::array();
  const auto compare = [&](const std::string& pointer) {
    const bool both = left.contains(pointer) && right.contains(pointer);
    if (both && left[pointer] == right[pointer]) return;
    if (!options.json) {
      const auto text = [&](const auto& config) {
        return config.contains(pointer) ? config[pointer].dump() : std::string("none");
      };
      out.print("{}: {} -> {}\n", pointer, text(left), text(right));
      return;
    }
    nlohmann::ordered_json entry = {{"at", pointer}};
    if (left.contains(pointer)) entry["left"] = left[pointer];
    if (right.contains(pointer)) entry["right"] = right[pointer];
    differences.push_back(std::move(entry));
  };
  for (const auto& [pointer, value] : left.items()) compare(pointer);
  for (const auto& [pointer, value] : right.items()) {
    if (!left.contains(pointer)) compare(pointer);
  }
  if (options.json) out.write(pretty_json(differences));
  return Exit::ok;
}

}  // namespace

Command config_diff_command() {
  return {"config diff",
          "list the keys in which two resolved configs differ",
          {"mesim config diff configs/main.json mine.json"},
          [](Arguments& arguments) {
            auto options = std::make_shared<Options>();
            arguments.positional("A", options->left, "a config");
            arguments.positional("B", options->right, "another");
            arguments.flag("--json", options->json, "one JSON document");
            return [options](Output& out) { return diff(*options, out); };
          }};
}

}  // namespace mesim
