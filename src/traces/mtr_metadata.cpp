#include "traces/mtr_metadata.hpp"

#include <nlohmann/json.hpp>

namespace mesim::mtr {

using Json = nlohmann::ordered_json;

std::string metadata_text(const TraceHeader& header) {
  Json symbols = Json::array();
  for (const Symbol& s : header.symbols) symbols.push_back({s.address, s.size_bytes, s.name, s.origin});
  const Json document = {{"program", header.program},
                         {"notes", header.notes},
                         {"regions", header.regions},
                         {"symbols", std::move(symbols)}};
  // Names come from other people's programs: bytes that are no UTF-8 are replaced.
  return document.dump(-1, ' ', false, Json::error_handler_t::replace);
}

bool read_metadata(const std::string& text, TraceInfo& info) {
  try {
    const Json document = Json::parse(text);
    info.program = document.at("program").get<std::string>();
    info.notes = document.at("notes").get<std::vector<std::string>>();
    info.regions = document.at("regions").get<std::vector<std::string>>();
    for (const Json& s : document.at("symbols"))
      info.symbols.push_back({s.at(0).get<std::uint64_t>(), s.at(1).get<std::uint64_t>(),
                              s.at(2).get<std::string>(), s.at(3).get<std::string>()});
    return true;
  } catch (const nlohmann::json::exception&) {
    return false;
  }
}

}  // namespace mesim::mtr
