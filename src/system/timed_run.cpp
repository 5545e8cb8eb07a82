#include "system/timed_run.hpp"

#include <fmt/format.h>

#include <cmath>

#include "sim/error.hpp"
#include "sim/sha256.hpp"
#include "system/workload.hpp"

namespace mesim {

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

}  // namespace

TimedDirectoryConfig timed_directory_of(const SystemConfig& config, const std::string& source) {
  TimedDirectoryConfig machine;
  if (config.cores.count > FullMap::capacity) {
    throw bad_input({source}, "/cores/count",
                    fmt::format("found {}, expected at most {}: the directory is a full map of so many bits",
                                config.cores.count, FullMap::capacity));
  }
  machine.cores = config.cores.count;
  machine.homes = config.homes.count;
  machine.clock =
      ClockPeriod::megahertz(static_cast<std::uint64_t>(std::llround(config.cores.clock_mhz * 1000)), 1000);
  machine.synchronisation_cycles = config.cores.synchronisation_cycles;
  machine.core = config.cores;
  machine.caches = config.private_caches;
  machine.caches.l1d = config.l1d;
  if (config.l1i.enabled) machine.caches.l1i = config.l1i;
  if (config.l2.enabled) machine.caches.l2 = config.l2;
  machine.home = config.homes;
  machine.home.llc.reset();
  if (config.llc.enabled) machine.home.llc = slice_of(config, source);
  machine.home.inclusive = config.homes.inclusive && config.llc.enabled;
  machine.network = config.network;
  const std::string fault =
      config.network.fault(DirectoryMessage<NoData>::header_bytes + config.l1d.line_bytes);
  if (!fault.empty()) throw bad_input({source}, "/network/buffer_flits", fault);
  machine.memory = config.memory;
  machine.protocol.family = family_of(config.coherence.protocol);
  return machine;
}

SystemRun run_timed_directory(const SystemConfig& config, const std::string& source, RunEngine engine,
                              RunWatch& watch) {
  TimedDirectoryConfig wanted = timed_directory_of(config, source);
  wanted.run_ahead = engine == RunEngine::fast ? RunAhead::window : RunAhead::none;
  const auto trace = open_workload(config);
  TimedDirectory machine(wanted);
  machine.load(*trace);
  machine.reset(config.seed);
  SystemRun out;
  RunResult& result = out.result;
  result.complete = machine.run_to_end(watch);
  out.references = machine.references();
  machine.write(result.stats);
  machine.account(result.accounts);
  result.time = SimulatedTime{machine.cycles(), machine.simulated_ns()};
  const bool from_file = !config.workload.path.empty();
  result.inputs.push_back({from_file ? config.workload.path.written : trace->info().path,
                           from_file ? sha256_of_path(config.workload.path.path) : "", machine.records()});
  result.notes = workload_notes(config, *trace, machine.records(), result.complete);
  return out;
}

}  // namespace mesim
