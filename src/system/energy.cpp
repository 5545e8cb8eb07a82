#include "system/energy.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "coherence/directory_message.hpp"

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

// What moves lines in and out of a core's caches on a machine with a directory. Without an L2 a line goes to
// the L1 that missed it; with one it goes to the L2, and from there to the L1.
void account_private(EnergyLedger& energy, const StatTree& stats, const StatNode& l1d,
                     const SystemConfig& config, std::uint32_t core, std::uint64_t fetched_bytes) {
  const TechnologyConfig& t = config.technology;
  const std::uint64_t line_words = words(config.l1d.line_bytes);
  const std::string name = fmt::format("l1d{}", core);
  const std::uint64_t received = l1d.count("lines_received") * line_words;
  const std::uint64_t sent = l1d.count("lines_sent") * line_words;
  const std::string outer = fmt::format("l2_core{}", core);
  if (const StatNode* l2 = stats.component(outer)) {
    energy.event(name, "fill", l1d.count("misses") * line_words, t.l1_write.pj);
    const std::uint64_t hits = l2->count("accesses") - l2->count("misses");
    energy.event(outer, "read", hits * line_words + sent, t.llc_read.pj);
    energy.event(outer, "fill", received, t.llc_write.pj);
  } else {
    energy.event(name, "fill", received - std::min(received, words(fetched_bytes)), t.l1_write.pj);
    energy.event(name, "drain", sent, t.l1_read.pj);
  }
  energy.event(name, "snoop", l1d.count("snoops"), t.snoop_lookup.pj);
}

// Every message drives its header of address, kind and ids, and the line that it carries, over the span of
// the chip, as a bus transaction does.
void account_network(EnergyLedger& energy, const StatTree& stats, const SystemConfig& config) {
  const TechnologyConfig& t = config.technology;
  const StatNode& network = *stats.component("network");
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  for (const char* kind : {"requests", "forwards", "responses"}) {
    messages += network.count(kind);
    bytes += network.count(std::string(kind) + "_bytes");
  }
  const std::uint64_t headers = messages * DirectoryMessage<NoData>::header_bytes;
  energy.event("network", "address", headers, t.bus_byte_pj());
  energy.event("network", "data", bytes - headers, t.bus_byte_pj());
  for (std::uint32_t home = 0; home < config.homes.count; ++home) {
    const std::string name = fmt::format("home{}", home);
    energy.event(name, "directory", stats.component(name)->count("lookups"), t.snoop_lookup.pj);
  }
}

}  // namespace

void account_energy(EnergyLedger& energy, const StatTree& stats, const ByteLedger& bytes,
                    const SystemConfig& config) {
  const TechnologyConfig& t = config.technology;
  const bool directory = stats.component("network") != nullptr;
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
    energy.event(l1d, "read", node->count("reads"), t.l1_read.pj);
    energy.event(l1d, "write", node->count("writes"), t.l1_write.pj);
    if (directory) {
      account_private(energy, stats, *node, config, core, fetched_bytes);
      continue;
    }
    const auto lines = moved(bytes, "bus", fmt::format("core{}", core));
    energy.event(l1d, "fill", words(lines.read - fetched_bytes), t.l1_write.pj);
    energy.event(l1d, "drain", words(lines.written), t.l1_read.pj);
  }
  if (directory) account_network(energy, stats, config);
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
    const std::uint64_t fills = stats.component("llc")->count(directory ? "fills" : "read_misses");
    energy.event("llc", "fill", words(fills * config.llc.line_bytes), t.llc_write.pj);
  }
  if (const auto* link = bytes.find("memory")) {
    energy.event("memory", "read", words(link->read), t.dram_access.pj);
    energy.event("memory", "write", words(link->written), t.dram_access.pj);
  }
}

}  // namespace mesim
