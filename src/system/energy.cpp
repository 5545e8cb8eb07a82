#include "system/energy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "coherence/directory_message.hpp"
#include "memory/dram/energy.hpp"
#include "system/floorplan.hpp"

namespace mesim {
namespace {

std::uint64_t words(std::uint64_t bytes) { return bytes / energy_word_bytes; }
std::uint64_t words_up(std::uint64_t bytes) { return (bytes + energy_word_bytes - 1) / energy_word_bytes; }

// Lines that reached the core's caches, and left them, over the bus.
ByteLedger::Share moved(const ByteLedger& bytes, const std::string& link, const std::string& requester) {
  if (const auto* l = bytes.find(link)) {
    for (const auto& share : l->by) {
      if (share.requester == requester) return share;
    }
  }
  return {};
}

std::uint64_t lines_of(const CacheConfig& cache) { return cache.size_bytes / cache.line_bytes; }

// A directory's entry in bits: a state, the owner's number, and the sharers in its format.
std::uint32_t entry_bits(const SystemConfig& config) {
  constexpr std::uint32_t state_bits = 4;  // of 14 states
  const DirectoryConfig& directory = config.coherence.directory;
  const std::uint32_t caches = config.cores.count;
  const auto number = static_cast<std::uint32_t>(std::bit_width(caches));
  std::uint32_t sharers = caches;
  if (directory.format.starts_with("limited")) sharers = directory.pointers * number + 1;
  if (directory.format == "coarse") sharers = (caches + directory.group_caches - 1) / directory.group_caches;
  return state_bits + number + sharers;
}

// Everything that the entries of one run have in common.
class Entries {
 public:
  Entries(EnergyLedger& energy, const StatTree& stats, const ByteLedger& bytes, const SystemConfig& config,
          std::optional<double> time_ns)
      : energy_(energy), stats_(stats), bytes_(bytes), config_(config), time_ns_(time_ns) {}

  void all() {
    const bool directory = stats_.component("network") != nullptr;
    const bool split_bus = stats_.component("memory_controller") != nullptr;
    const bool controllers = directory || split_bus;  // that count what they move and snoop
    for (std::uint32_t core = 0; core < config_.cores.count; ++core) {
      instructions(core);
      if (stats_.component(fmt::format("l1d{}", core)) != nullptr) private_caches(core, controllers);
    }
    if (directory) {
      network();
      homes();
    }
    if (stats_.component("bus") != nullptr) bus(controllers);
    last_level(directory ? config_.homes.count : 1, controllers);
    memory();
  }

 private:
  const TechnologyConfig& table() const { return config_.technology; }
  ArrayEnergy fast(const CacheConfig& c) const { return table().fast_array.at(c.size_bytes, c.ways); }
  ArrayEnergy dense(const CacheConfig& c) const { return table().dense_array.at(c.size_bytes, c.ways); }
  Floorplan floorplan() const { return {config_.cores.count, table().tile_mm}; }
  void leak(const std::string& component, double power_mw) {
    if (time_ns_ && power_mw != 0) energy_.leakage(component, power_mw, *time_ns_);
  }

  void instructions(std::uint32_t core) {
    const std::string name = fmt::format("core{}", core);
    const StatNode* node = stats_.component(name);
    if (node == nullptr) return;
    const auto count = [&](const char* what) { return node->count(what); };
    const CoreEnergy& price = table().core;
    energy_.event(name, "load", count("loads"), price.load.pj);
    energy_.event(name, "store", count("stores"), price.store.pj);
    const std::uint64_t both = count("atomics") + count("modifies");
    energy_.event(name, "atomic", both, price.atomic.pj);
    energy_.event(name, "fence", count("fences"), price.fence.pj);
    const std::uint64_t told = count("loads") + count("stores") + both + count("fences");
    const std::uint64_t all = count("instructions");
    energy_.event(name, "other", all - std::min(all, told), price.other.pj);
  }

  void private_caches(std::uint32_t core, bool controllers) {
    const std::string l1d = fmt::format("l1d{}", core);
    const StatNode& node = *stats_.component(l1d);
    const ArrayEnergy price = fast(config_.l1d);
    std::uint64_t fetched_bytes = 0;  // of the lines that went to the L1I
    const std::string l1i = fmt::format("l1i{}", core);
    if (const StatNode* code = stats_.component(l1i)) {
      const ArrayEnergy code_price = fast(config_.l1i);
      fetched_bytes = code->count("fetch_misses") * config_.l1i.line_bytes;
      energy_.event(l1i, "read", code->count("fetches"), code_price.read_pj);
      energy_.event(l1i, "fill", words(fetched_bytes), code_price.write_pj);
      leak(l1i, code_price.leakage_mw);
    }
    energy_.event(l1d, "read", node.count("reads"), price.read_pj);
    energy_.event(l1d, "write", node.count("writes"), price.write_pj);
    leak(l1d, price.leakage_mw);
    if (controllers) {
      behind_the_l1(core, node, fetched_bytes);
      return;
    }
    const auto lines = moved(bytes_, "bus", fmt::format("core{}", core));
    energy_.event(l1d, "fill", words(lines.read - fetched_bytes), price.write_pj);
    energy_.event(l1d, "drain", words(lines.written), price.read_pj);
  }

  // What moves lines in and out of a core's caches on a machine with a directory or a split bus. Without an
  // L2 a line goes to the L1 that missed it; with one it goes to the L2, and from there to the L1.
  void behind_the_l1(std::uint32_t core, const StatNode& l1d, std::uint64_t fetched_bytes) {
    const std::uint64_t line_words = words(config_.l1d.line_bytes);
    const std::string name = fmt::format("l1d{}", core);
    const ArrayEnergy price = fast(config_.l1d);
    const std::uint64_t received = l1d.count("lines_received") * line_words;
    const std::uint64_t sent = l1d.count("lines_sent") * line_words;
    const std::uint64_t fetched = fetched_bytes / config_.l1d.line_bytes;
    const std::string outer = fmt::format("l2_core{}", core);
    if (const StatNode* l2 = stats_.component(outer)) {
      const ArrayEnergy outer_price = dense(config_.l2);
      const std::uint64_t taken = l2->count("lines_to_l1") - std::min(l2->count("lines_to_l1"), fetched);
      energy_.event(name, "fill", taken * line_words, price.write_pj);
      energy_.event(name, "drain", l2->count("lines_written_back") * line_words, price.read_pj);
      // what came over the network for an L1 went to it as it came
      const bool passed_by = config_.private_caches.l1_writes == "through_no_allocate";
      const std::uint64_t came = l2->count(passed_by ? "read_misses" : "misses");
      const std::uint64_t to_l1 = (l2->count("lines_to_l1") - came) * line_words;
      energy_.event(outer, "read", to_l1 + sent, outer_price.read_pj);
      energy_.event(outer, "miss", l2->count("misses"), outer_price.lookup_pj);
      energy_.event(outer, "fill", received, outer_price.write_pj);
      energy_.event(outer, "write",
                    l2->count("lines_written_back") * line_words + l2->count("stores_written"),
                    outer_price.write_pj);
      energy_.event(outer, "snoop", l1d.count("snoops"), outer_price.lookup_pj);
      leak(outer, outer_price.leakage_mw);
    } else {
      energy_.event(name, "fill", received - std::min(received, words(fetched_bytes)), price.write_pj);
      energy_.event(name, "drain", sent, price.read_pj);
      energy_.event(name, "snoop", l1d.count("snoops"), price.lookup_pj);
    }
  }

  // A crossbar drives a message to the switch and on, and passes it once. Routers drive it a link at a time,
  // and it passes one more of them than it takes links.
  void network() {
    const StatNode& network = *stats_.component("network");
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
    for (const char* kind : {"requests", "forwards", "responses"}) {
      messages += network.count(kind);
      bytes += network.count(std::string(kind) + "_bytes");
    }
    const bool routed = config_.network.routed();
    const std::uint64_t moves = routed ? network.count("hops") : messages;
    const std::uint64_t moved = routed ? network.count("hop_bytes") : bytes;
    const double mm =
        routed ? floorplan().hop_mm(config_.network.topology == "torus") : floorplan().crossbar_mm();
    const std::uint64_t headers = moves * DirectoryMessage<NoData>::header_bytes;
    const double wire = table().wire_byte_pj(mm);
    energy_.event("network", "address", headers, wire);
    energy_.event("network", "data", moved - headers, wire);
    energy_.event("network", "router", routed ? moved + bytes : bytes, 8 * table().router_bit.pj);
  }

  void homes() {
    const ArrayEnergy price = table().fast_array.at(directory_bytes(config_), 1);
    const std::uint64_t entry_words = words_up((entry_bits(config_) + 7) / 8);
    for (std::uint32_t home = 0; home < config_.homes.count; ++home) {
      const std::string name = fmt::format("home{}", home);
      const std::uint64_t lookups = stats_.component(name)->count("lookups");
      energy_.event(name, "directory_read", lookups * entry_words, price.read_pj);
      energy_.event(name, "directory_write", lookups * entry_words, price.write_pj);
      leak(name, price.leakage_mw);
    }
  }

  // Controllers have counted their own snoops.
  void bus(bool controllers) {
    const StatNode& bus = *stats_.component("bus");
    const std::uint64_t addresses = bus.count("transactions") + bus.count("BusWB") + bus.count("fetches");
    const double byte_pj = table().wire_byte_pj(floorplan().bus_mm());
    if (!controllers) {
      energy_.event("bus", "snoop", bus.count("transactions") * (config_.cores.count - 1),
                    fast(config_.l1d).lookup_pj);
    }
    energy_.event("bus", "address", addresses, byte_pj * table().bus_address_bits / 8);
    if (const auto* link = bytes_.find("bus"))
      energy_.event("bus", "data", link->read + link->written, byte_pj);
  }

  // With a directory the last level is one array in each home.
  void last_level(std::uint32_t slices, bool controllers) {
    const auto* link = bytes_.find("llc");
    if (link == nullptr) return;
    CacheConfig slice = config_.llc;
    slice.size_bytes /= slices;
    const ArrayEnergy price = dense(slice);
    energy_.event("llc", "read", words(link->read), price.read_pj);
    energy_.event("llc", "write", words(link->written), price.write_pj);
    const std::uint64_t fills = stats_.component("llc")->count(controllers ? "fills" : "read_misses");
    energy_.event("llc", "fill", words(fills * config_.llc.line_bytes), price.write_pj);
    leak("llc", price.leakage_mw * slices);
  }

  void memory() {
    const auto* link = bytes_.find("memory");
    if (link == nullptr) return;
    if (config_.memory.is_dram()) {
      dram::account_energy(dram::energy_counts(*stats_.component("memory")),
                           dram::EventEnergies(config_.memory), config_.memory.power.count_interface,
                           energy_);
      return;
    }
    energy_.event("memory", "read", words(link->read), table().dram_access.pj);
    energy_.event("memory", "write", words(link->written), table().dram_access.pj);
  }

  EnergyLedger& energy_;
  const StatTree& stats_;
  const ByteLedger& bytes_;
  const SystemConfig& config_;
  std::optional<double> time_ns_;
};

}  // namespace

std::uint64_t directory_bytes(const SystemConfig& config) {
  std::uint64_t lines = 0;
  if (config.coherence.directory.format == "sparse") {
    lines = std::uint64_t{config.coherence.directory.sparse_entries} * config.homes.count;
  } else if (config.inclusion() == "inclusive") {
    lines = lines_of(config.llc);
  } else {
    const std::uint64_t code = config.l1i.enabled ? lines_of(config.l1i) : 0;
    const std::uint64_t each = config.l2.enabled ? lines_of(config.l2) : lines_of(config.l1d) + code;
    lines = each * config.cores.count;
  }
  return std::max<std::uint64_t>(lines / config.homes.count, 1) * ((entry_bits(config) + 7) / 8);
}

void account_energy(EnergyLedger& energy, const StatTree& stats, const ByteLedger& bytes,
                    const SystemConfig& config, std::optional<double> time_ns) {
  Entries(energy, stats, bytes, config, time_ns).all();
}

}  // namespace mesim
