#include "app/text/report_text.hpp"

#include <array>
#include <nlohmann/json.hpp>

#include "app/text/sections.hpp"

namespace mesim {

std::string report_text(const nlohmann::ordered_json& result) {
  static constexpr std::array sections = {
      text::head,    text::layers,       text::caches,  text::bus,          text::prefetchers,
      text::network, text::links,        text::homes,   text::memory,       text::bytes,
      text::energy,  text::time_account, text::sharing, text::expectations, text::notes};
  std::string out;
  for (const auto& section : sections) out += section(result);
  return out;
}

}  // namespace mesim
