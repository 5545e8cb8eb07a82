// What one needs to run it again: inputs, seed, version, the whole config; and what to know when reading it.
#include <fmt/format.h>

#include "app/report/html.hpp"
#include "app/report/sections.hpp"
#include "app/text/counts.hpp"
#include "sim/config_writer.hpp"

namespace mesim {

std::string origin_html(const nlohmann::ordered_json& result) {
  std::string out;
  if (!result.at("notes").empty()) {
    out += "<ul>";
    for (const auto& note : result.at("notes"))
      out += fmt::format("<li>{}</li>", html::escaped(note.get<std::string>()));
    out += "</ul>\n";
  }
  std::vector<std::vector<std::string>> inputs;
  for (const auto& input : result.at("inputs")) {
    inputs.push_back({input.at("path").get<std::string>(), text::amount(result, input),
                      input.at("sha256").get<std::string>()});
  }
  if (!inputs.empty()) out += html::table("Inputs", {"path", "holds", "sha256"}, inputs);
  return out + fmt::format(
                   "<p>mesim {}, seed {}.</p>\n<details><summary>The whole config</summary><pre>{}</pre>"
                   "</details>\n",
                   html::escaped(result.at("mesim").at("version").get<std::string>()),
                   result.at("seed").dump(), html::escaped(pretty_json(result.at("config"))));
}

}  // namespace mesim
