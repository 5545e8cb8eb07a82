#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "app/text/counts.hpp"
#include "app/text/sections.hpp"
#include "app/text_table.hpp"
#include "sim/statistics.hpp"

namespace mesim::text {

std::string bus(const Json& result) {
  const Json& stats = result.at("stats");
  if (!stats.contains("bus")) return "";
  const Json& bus = stats.at("bus");
  TextTable table({"", "count", "share"});
  const double all = static_cast<double>(count(bus, "transactions"));
  for (const char* kind : {"BusRd", "BusRdX", "BusUpgr", "BusUpd"}) {
    if (count(bus, kind) > 0)
      table.row({kind, counted(bus, kind), percent_text(static_cast<double>(count(bus, kind)), all)});
  }
  table.row({"transactions", with_commas(count(bus, "transactions")), ""});
  for (const char* kind : {"BusWB", "fetches"}) {
    if (count(bus, kind) > 0) table.row({fmt::format("beside them {}", kind), counted(bus, kind), ""});
  }
  return section("Bus transactions (count)", table);
}

std::string network(const Json& result) {
  const Json& stats = result.at("stats");
  if (!stats.contains("network")) return "";
  const Json& network = stats.at("network");
  TextTable table({"", "messages", "bytes", "share of bytes"});
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  const auto bytes_of = [&](const char* kind) {
    return count(network, (std::string(kind) + "_bytes").c_str());
  };
  constexpr std::array kinds = {"requests", "forwards", "responses"};
  for (const char* kind : kinds) {
    messages += count(network, kind);
    bytes += bytes_of(kind);
  }
  for (const char* kind : kinds) {
    table.row({kind, counted(network, kind), with_commas(bytes_of(kind)),
               percent_text(static_cast<double>(bytes_of(kind)), static_cast<double>(bytes))});
  }
  table.row({"all", with_commas(messages), with_commas(bytes), ""});
  return section("Network messages (by virtual network)", table);
}

// The links that were busiest, of networks of routers.
std::string links(const Json& result) {
  if (!result.contains("traffic") || !result.at("traffic").contains("links")) return "";
  std::vector<Json> links = result.at("traffic").at("links");
  if (links.empty()) return "";
  std::stable_sort(links.begin(), links.end(),
                   [](const Json& a, const Json& b) { return a.at("flits") > b.at("flits"); });
  constexpr std::size_t most = 5;
  if (links.size() > most) links.resize(most);
  TextTable table({"link", "messages", "bytes", "busy"});
  for (const Json& link : links) {
    table.row({fmt::format("router {} to {}", link.at("from").get<unsigned>(), link.at("to").get<unsigned>()),
               counted(link, "messages"), counted(link, "bytes"),
               fmt::format("{:.1f}%", 100 * link.at("utilisation").get<double>())});
  }
  return section(fmt::format("Busiest links between routers ({} cycles queued behind others in all)",
                             counted(result.at("stats").at("network"), "queued_cycles")),
                 table);
}

}  // namespace mesim::text
