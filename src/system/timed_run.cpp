#include "system/timed_run.hpp"

#include <fmt/format.h>

#include <cmath>

#include "network/placement.hpp"
#include "network/router_fabric.hpp"
#include "sim/error.hpp"
#include "sim/sha256.hpp"
#include "system/coherent_accelerator.hpp"
#include "system/miss_record.hpp"
#include "system/sharing.hpp"
#include "system/warm_accesses.hpp"
#include "system/workload.hpp"

namespace mesim {

ClockPeriod clock_of(const SystemConfig& config) {
  return ClockPeriod::megahertz(static_cast<std::uint64_t>(std::llround(config.cores.clock_mhz * 1000)),
                                1000);
}

namespace {

directory::Family family_of(const std::string& protocol) {
  if (protocol == "MSI") return directory::Family::msi;
  return protocol == "MOESI" ? directory::Family::moesi : directory::Family::mesi;
}

// What of the last level each home has.
CacheConfig slice_of(const SystemConfig& config, const std::string& source) {
  CacheConfig slice = config.llc;
  slice.size_bytes /= config.homes.count;
  const std::string fault = slice.fault();
  if (!fault.empty()) {
    throw bad_input({source}, "/llc",
                    fmt::format("dealt out to {} homes it is no cache: {}", config.homes.count, fault));
  }
  return slice;
}

PrivateCachesConfig private_caches_of(const SystemConfig& config) {
  PrivateCachesConfig caches = config.private_caches;
  caches.l1d = config.l1d;
  if (config.l1i.enabled) caches.l1i = config.l1i;
  if (config.l2.enabled) caches.l2 = config.l2;
  return caches;
}

// How many caches a format can tell apart, and how many nodes a network carries.
void check_sharers(const SystemConfig& config, const std::string& source) {
  const DirectoryConfig& directory = config.coherence.directory;
  const bool limited = directory.format.starts_with("limited");
  const std::uint32_t groups = directory.format == "coarse" ? directory.group_caches : 1;
  const std::uint32_t most = FullMap::capacity * groups;
  if (!limited && config.cores.count > most) {
    throw bad_input({source}, "/cores/count",
                    fmt::format("found {}, expected at most {}: a {} directory has {} bits, each for {}",
                                config.cores.count, most, directory.format, FullMap::capacity,
                                groups == 1 ? "one cache" : fmt::format("{} caches", groups)));
  }
  const std::size_t memories = config.network.memory_routers.size();
  if (config.cores.count + config.homes.count + config.dma.count + memories > max_ports) {
    throw bad_input(
        {source}, "/cores/count",
        fmt::format("found {} cores, {} homes, {} DMA devices and {} memory controllers, expected at "
                    "most {} nodes of a network",
                    config.cores.count, config.homes.count, config.dma.count, memories, max_ports));
  }
}

DirectoryFormat format_of(const DirectoryConfig& directory) {
  return {.kind = directory_kind_from(directory.format),
          .pointers = static_cast<std::uint8_t>(directory.pointers),
          .group_caches = static_cast<std::uint16_t>(directory.group_caches)};
}

}  // namespace

TimedDirectoryConfig timed_directory_of(const SystemConfig& config, const std::string& source) {
  TimedDirectoryConfig machine;
  check_sharers(config, source);
  machine.cores = config.cores.count;
  machine.homes = config.homes.count;
  machine.clock = clock_of(config);
  machine.synchronisation_cycles = config.cores.synchronisation_cycles;
  machine.attribute_sharing = config.coherence.attribute_sharing;
  machine.core = config.cores;
  machine.caches = private_caches_of(config);
  machine.home = config.homes;
  machine.home.llc.reset();
  if (config.llc.enabled) machine.home.llc = slice_of(config, source);
  machine.home.inclusion = config.inclusion();
  machine.dma = config.dma;
  machine.network = config.network;
  const std::string fault =
      config.network.fault(DirectoryMessage<NoData>::header_bytes + config.l1d.line_bytes);
  if (!fault.empty()) throw bad_input({source}, "/network/buffer_flits", fault);
  if (config.network.routed()) {
    const Topology topology = config.network.grid(config.cores.count);
    for (const std::uint64_t router : config.network.memory_routers) {
      if (router < topology.routers()) continue;
      throw bad_input({source}, "/network/memory_routers",
                      fmt::format("found router {}, expected one below {}", router, topology.routers()));
    }
    const unsigned most = most_at_a_router(
        places_of({config.cores.count, 0, config.homes.count}, topology, config.network.memory_routers),
        topology);
    if (most > RouterFabric::max_router_nodes) {
      throw bad_input({source}, "/homes/count",
                      fmt::format("found {}, which makes {} nodes at a router, expected at most {}",
                                  config.homes.count, most, RouterFabric::max_router_nodes));
    }
  }
  machine.memory = config.memory;
  machine.protocol.family = family_of(config.coherence.protocol);
  machine.protocol.mutation = directory::mutation_from(config.coherence.fault);
  machine.protocol.directory = format_of(config.coherence.directory);
  if (machine.protocol.directory.kind == DirectoryKind::sparse) {
    const DirectoryConfig& sparse = config.coherence.directory;
    machine.home.sparse =
        CacheConfig{.size_bytes = std::uint64_t{sparse.sparse_entries} * config.l1d.line_bytes,
                    .ways = sparse.sparse_ways,
                    .line_bytes = config.l1d.line_bytes};
  }
  return machine;
}

TimedSplitBusConfig timed_split_bus_of(const SystemConfig& config) {
  TimedSplitBusConfig machine;
  machine.cores = config.cores.count;
  machine.clock = clock_of(config);
  machine.synchronisation_cycles = config.cores.synchronisation_cycles;
  machine.attribute_sharing = config.coherence.attribute_sharing;
  machine.core = config.cores;
  machine.caches = private_caches_of(config);
  machine.bus = config.coherence.split_bus;
  if (config.llc.enabled) machine.llc = config.llc;
  machine.memory = config.memory;
  machine.family = config.coherence.protocol == "MSI"     ? split_bus::Family::msi
                   : config.coherence.protocol == "MOESI" ? split_bus::Family::moesi
                                                          : split_bus::Family::mesi;
  return machine;
}

namespace {

template <class Machine>
SystemRun run_machine(Machine& machine, const SystemConfig& config, const std::string& source,
                      RunWatch& watch) {
  const auto trace = open_workload(config);
  SystemRun out;
  RunResult& result = out.result;
  const WarmUpOptions options{.records = config.workload.warm_up,
                              .until_region = config.workload.region == "marked"};
  std::unique_ptr<RestOfTrace> rest;
  if (options.records != 0 || options.until_region) {
    rest = warm_up_machine(machine, *trace, options, config.seed);
    if (options.until_region && !rest->region_begun()) throw no_region(source);
  } else {
    machine.load(*trace);
    machine.reset(config.seed);
  }
  result.complete = run_recorded(machine, config.report, watch, result);
  out.references = machine.references();
  out.rollbacks = machine.rollbacks();
  machine.write(result.stats);
  machine.account(result.accounts);
  if constexpr (requires { machine.traffic(); }) {
    if (config.report.traffic) result.traffic = machine.traffic();
  }
  if (const SharingTracker* sharing = machine.sharing())
    result.sharing = sharing_json(*sharing, config.report.top_lines, trace->info().symbols, true);
  result.time = SimulatedTime{machine.cycles(), machine.simulated_ns()};
  const bool from_file = !config.workload.path.empty();
  result.inputs.push_back({from_file ? config.workload.path.written : trace->info().path,
                           from_file ? sha256_of_path(config.workload.path.path) : "", machine.records()});
  result.notes = workload_notes(config, *trace, machine.records() + (rest ? rest->records() : 0),
                                result.complete && !options.until_region);
  if (rest) result.notes.push_back(warm_up_note(rest->records(), machine.records()));
  return out;
}

RunAhead run_ahead_of(RunEngine engine) {
  switch (engine) {
    case RunEngine::fast:
      return RunAhead::speculation;
    case RunEngine::window:
      return RunAhead::window;
    case RunEngine::events:
      return RunAhead::events;
    case RunEngine::stepwise:
      return RunAhead::none;
  }
  return RunAhead::none;
}

// With an accelerator as the DMA device.
template <class Machine>
SystemRun run_with_accelerator(Machine& machine, const SystemConfig& config, const std::string& source,
                               RunWatch& watch) {
  const CoherentAccelerator accelerator(config, source);
  AcceleratorFeed* last = nullptr;
  machine.load_dma([&](unsigned) {
    auto feed = accelerator.feed();
    last = feed.get();
    return feed;
  });
  SystemRun out = run_machine(machine, config, source, watch);
  if (last != nullptr) accelerator.collect(*last, config, out.result);
  return out;
}

// With what the config's DMA devices do, if that is a trace.
template <class Machine>
SystemRun run_with_devices(Machine& machine, const SystemConfig& config, const std::string& source,
                           RunWatch& watch) {
  if (config.dma.count != 0 && config.dma.path.empty() && config.dma.pattern == "accelerator") {
    return run_with_accelerator(machine, config, source, watch);
  }
  if (config.dma.path.empty()) return run_machine(machine, config, source, watch);
  const auto transfers = open_trace(config.dma.path.path, config.dma.format);
  machine.load_dma(*transfers);
  SystemRun out = run_machine(machine, config, source, watch);
  out.result.inputs.push_back(
      {config.dma.path.written, sha256_of_path(config.dma.path.path), transfers->info().records.value_or(0)});
  return out;
}

}  // namespace

void check_in_order(const CoreConfig& core, const std::string& source) {
  const auto fault = [&](const char* key, const std::string& found, const char* expected) {
    return bad_input({source}, std::string("/cores/") + key,
                     fmt::format("found '{}', expected {}: on the atomic bus, and for traces on in-order "
                                 "cores, the cores keep total "
                                 "store order with a first-in, first-out buffer",
                                 found, expected));
  };
  if (core.type != "in_order") throw fault("type", core.type, "'in_order', or a split bus or directory");
  if (core.consistency != "tso") throw fault("consistency", core.consistency, "'tso'");
  if (core.stores.drain_order == "any") throw fault("stores/drain_order", "any", "'fifo'");
  if (core.stores.coalescing != "none") throw fault("stores/coalescing", core.stores.coalescing, "'none'");
  if (!core.stores.forwarding) throw fault("stores/forwarding", "false", "true");
}

SystemRun run_timed_directory(const SystemConfig& config, const std::string& source, RunEngine engine,
                              RunWatch& watch) {
  TimedDirectoryConfig wanted = timed_directory_of(config, source);
  wanted.run_ahead = run_ahead_of(engine);
  if (config.cores.type == "out_of_order") {
    OutOfOrderDirectory machine(wanted);
    return run_with_devices(machine, config, source, watch);
  }
  check_in_order(config.cores, source);
  TimedDirectory machine(wanted);
  return run_with_devices(machine, config, source, watch);
}

SystemRun run_timed_split_bus(const SystemConfig& config, const std::string& source, RunEngine engine,
                              RunWatch& watch) {
  TimedSplitBusConfig wanted = timed_split_bus_of(config);
  wanted.run_ahead = run_ahead_of(engine);
  if (config.cores.type == "out_of_order") {
    OutOfOrderSplitBus machine(wanted);
    return run_machine(machine, config, source, watch);
  }
  check_in_order(config.cores, source);
  TimedSplitBus machine(wanted);
  return run_machine(machine, config, source, watch);
}

}  // namespace mesim
