#include "system/energy.hpp"

#include <fmt/format.h>

namespace mesim {
namespace {

std::uint64_t words(std::uint64_t bytes) { return bytes / energy_word_bytes; }

// Lines that reached the core's caches, and left them, over the bus.
ByteLedger::Share moved(const ByteLedger& bytes, const std::string& link, const std::string& requester) {
  if (const auto* l = bytes.find(link)) {
    for (const auto& share : l->by) {
      if (share.requester == requester) return share;
    }
  }
  return {};
}

}  // namespace

void account_energy(EnergyLedger& energy, const StatTree& stats, const ByteLedger& bytes,
                    const SystemConfig& config) {
  const TechnologyConfig& t = config.technology;
  for (std::uint32_t core = 0; core < config.cores.count; ++core) {
    const std::string l1d = fmt::format("l1d{}", core);
    const StatNode* node = stats.component(l1d);
    if (node == nullptr) continue;
    std::uint64_t fetched_bytes = 0;  // of the lines that went to the L1I
    const std::string l1i = fmt::format("l1i{}", core);
    if (const StatNode* code = stats.component(l1i)) {
      fetched_bytes = code->count("fetch_misses") * config.l1i.line_bytes;
      energy.event(l1i, "read", code->count("fetches"), t.l1_read.pj);
      energy.event(l1i, "fill", words(fetched_bytes), t.l1_write.pj);
    }
    const auto lines = moved(bytes, "bus", fmt::format("core{}", core));
    energy.event(l1d, "read", node->count("reads"), t.l1_read.pj);
    energy.event(l1d, "write", node->count("writes"), t.l1_write.pj);
    energy.event(l1d, "fill", words(lines.read - fetched_bytes), t.l1_write.pj);
    energy.event(l1d, "drain", words(lines.written), t.l1_read.pj);
  }
  if (const StatNode* bus = stats.component("bus")) {
    const std::uint64_t addresses = bus->count("transactions") + bus->count("BusWB") + bus->count("fetches");
    energy.event("bus", "snoop", bus->count("transactions") * (config.cores.count - 1), t.snoop_lookup.pj);
    energy.event("bus", "address", addresses, t.bus_address_pj());
    if (const auto* link = bytes.find("bus"))
      energy.event("bus", "data", link->read + link->written, t.bus_byte_pj());
  }
  if (const auto* link = bytes.find("llc")) {
    energy.event("llc", "read", words(link->read), t.llc_read.pj);
    energy.event("llc", "write", words(link->written), t.llc_write.pj);
  }
  if (const auto* link = bytes.find("memory")) {
    energy.event("memory", "read", words(link->read), t.dram_access.pj);
    energy.event("memory", "write", words(link->written), t.dram_access.pj);
  }
}

}  // namespace mesim
