// mesim presets [KIND]
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/commands/commands.hpp"
#include "sim/config_files.hpp"
#include "sim/json_document.hpp"
#include "sim/nearest.hpp"

namespace mesim {
namespace {

struct Options {
  std::string kind;
  bool json = false;
};

// The first sentence of the comment that a preset's file begins with.
std::string about(const std::string& kind, const std::string& name) {
  const std::string text = read_json_file(preset_path(kind, name));
  if (!text.starts_with("//")) return "";
  std::string line = text.substr(2, text.find_first_of("\r\n") - 2);
  line.resize(std::min(line.find(". "), line.size()));
  return line.substr(std::min(line.find_first_not_of(' '), line.size()));
}

Exit list_presets(const Options& options, Output& out) {
  std::vector<std::string> kinds = preset_kinds();
  if (!options.kind.empty()) {
    if (std::find(kinds.begin(), kinds.end(), options.kind) == kinds.end()) {
      throw bad_input({"mesim presets"},
                      fmt::format("found '{}', expected one of {}{}", shown(options.kind),
                                  fmt::join(kinds, ", "), did_you_mean(options.kind, kinds)));
    }
    kinds = {options.kind};
  }
  nlohmann::ordered_json document = nlohmann::ordered_json::object();
  for (const auto& kind : kinds) {
    if (!options.json) out.print("{}\n", kind);
    for (const auto& name : preset_names(kind)) {
      if (options.json) document[kind][name] = about(kind, name);
      if (!options.json) out.print("  {:<24} {}\n", name, about(kind, name));
    }
  }
  if (options.json) out.print("{}\n", document.dump(2));
  return Exit::ok;
}

}  // namespace

Command presets_command() {
  return {"presets",
          "list the presets that configs can name",
          {"mesim presets memory"},
          [](Arguments& arguments) {
            auto options = std::make_shared<Options>();
            arguments.optional_positional("KIND", options->kind, "only this kind of preset");
            arguments.flag("--json", options->json, "one JSON document");
            return [options](Output& out) { return list_presets(*options, out); };
          }};
}

}  // namespace mesim
