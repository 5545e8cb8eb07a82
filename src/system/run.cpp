#include "system/run.hpp"

#include <fmt/format.h>

#include <utility>

#include "coherence/functional_bus.hpp"
#include "cores/timed_bus.hpp"
#include "cores/untimed_order.hpp"
#include "sim/config_writer.hpp"
#include "sim/error.hpp"
#include "sim/sha256.hpp"
#include "system/accelerator_energy.hpp"
#include "system/accelerator_run.hpp"
#include "system/energy.hpp"
#include "system/ideal.hpp"
#include "system/memory_run.hpp"
#include "system/miss_record.hpp"
#include "system/program_run.hpp"
#include "system/sharing.hpp"
#include "system/timed_run.hpp"
#include "system/workload.hpp"

namespace mesim {
namespace {

FunctionalBusConfig machine_of(const SystemConfig& config, BusObserver* observer) {
  FunctionalBusConfig machine;
  machine.cores = config.cores.count;
  machine.l1d = config.l1d;
  if (config.l1i.enabled) machine.l1i = config.l1i;
  if (config.llc.enabled) machine.llc = config.llc;
  machine.inclusion = config.inclusion();
  machine.coherence = config.coherence;
  machine.prefetcher = config.private_caches.prefetcher;
  machine.seed = config.seed;
  machine.observer = observer;
  return machine;
}

std::uint64_t records_of(const UntimedRun& run) {
  std::uint64_t sum = 0;
  for (const auto& core : run.cores) {
    for (const std::uint64_t records : core.records) sum += records;
  }
  return sum;
}

void check_region(const SystemConfig& config, const std::string& source, const UntimedRun& run) {
  if (config.workload.region != "marked" || !run.complete) return;
  for (const ReplayCounts& core : run.cores) {
    if (core.of(RecordKind::region_begin) != 0) return;
  }
  throw no_region(source);
}

// What a run on the bus leaves behind, with or without time.
SystemRun collect(const SystemConfig& config, const Trace& trace, const UntimedRun& run,
                  const FunctionalBus& machine) {
  SystemRun out;
  out.references = run.references();
  RunResult& result = out.result;
  result.complete = run.complete;
  run.write(result.stats);
  machine.write(result.stats);
  machine.account(result.accounts.bytes);
  if (const SharingTracker* sharing = machine.sharing()) {
    result.sharing =
        sharing_json(*sharing, config.report.top_lines, trace.info().symbols, config.order == "timed");
  }
  const std::uint64_t records = records_of(run);
  const bool from_file = !config.workload.path.empty();
  result.inputs.push_back({from_file ? config.workload.path.written : trace.info().path,
                           from_file ? sha256_of_path(config.workload.path.path) : "", records});
  result.notes = workload_notes(config, trace, records, result.complete);
  return out;
}

// Trace in, counts out: the orders without a clock.
SystemRun run_untimed(const SystemConfig& config, const std::string& source, RunWatch& watch,
                      BusObserver* observer) {
  const auto trace = open_workload(config);
  FunctionalBus machine(machine_of(config, observer));
  const UntimedOptions options{.marked_only = config.workload.region == "marked", .watch = &watch};
  const UntimedRun run = config.order == "serial" ? run_serial(*trace, machine, options)
                                                  : run_round_robin(*trace, machine, options);
  check_region(config, source, run);
  return collect(config, *trace, run, machine);
}

SystemRun run_on_timed_bus(const SystemConfig& config, const std::string& source, RunWatch& watch,
                           BusObserver* observer) {
  check_in_order(config.cores, source);
  const auto trace = open_workload(config);
  TimedBus bus(*trace, machine_of(config, observer),
               {.marked_only = config.workload.region == "marked", .warm_up = config.workload.warm_up});
  nlohmann::ordered_json misses;
  const TimedBusRun timed = run_bus_recorded(bus, config, watch, misses);
  const UntimedRun run{.complete = timed.complete, .cores = bus.counts(), .counted = bus.counted()};
  check_region(config, source, run);
  SystemRun out = collect(config, *trace, run, bus.machine());
  out.result.misses = std::move(misses);
  bus.account(out.result.accounts.time);
  if (bus.warmed_up() != 0) out.result.notes.push_back(warm_up_note(bus.warmed_up(), out.references));
  const double ns_per_cycle = 1000 / config.cores.clock_mhz;
  out.result.time = SimulatedTime{timed.cycles, static_cast<double>(timed.cycles) * ns_per_cycle};
  return out;
}

}  // namespace

SystemRun run_system(const SystemConfig& config, const std::string& source, RunWatch& watch, RunEngine engine,
                     BusObserver* observer) {
  const bool bus = config.coherence.interconnect == "bus";
  if (observer != nullptr && (!bus || config.order == "memory" || config.order == "accelerator")) {
    throw bad_input({source}, bus ? "/order" : "/coherence/interconnect",
                    fmt::format("found '{}', whose steps cannot be shown, expected an atomic bus",
                                bus ? config.order : config.coherence.interconnect));
  }
  if (config.order == "memory") return run_memory(config, source, watch);
  if (config.order == "accelerator") return run_accelerator(config, source, watch);
  const bool timed = config.order == "timed";
  if (!timed && !bus) {
    throw bad_input(
        {source}, "/coherence/interconnect",
        fmt::format("the order '{}' has no clock and runs on a bus, found '{}', expected 'bus' or "
                    "order=timed",
                    config.order, config.coherence.interconnect));
  }
  if (has_program(config) && config.workload.region == "marked") {
    throw bad_input({source}, "/workload/region",
                    "found 'marked', which no program of a config has, expected 'whole'");
  }
  const SystemConfig machine = idealised(config);
  SystemRun run =
      has_program(config) ? run_system_program(machine, source, machine_of(machine, observer), watch, engine)
      : !timed            ? run_untimed(machine, source, watch, observer)
      : bus               ? run_on_timed_bus(machine, source, watch, observer)
      : machine.coherence.interconnect == "split_bus" ? run_timed_split_bus(machine, source, engine, watch)
                                                      : run_timed_directory(machine, source, engine, watch);
  run.result.name = config.name;
  run.result.seed = config.seed;
  run.result.config = write_config(config);
  run.result.stats.add_totals({"core", "l1d"});
  const EnergyLedger of_devices =
      std::exchange(run.result.accounts.energy, EnergyLedger(config.technology.preset));
  account_energy(run.result.accounts.energy, run.result.stats, run.result.accounts.bytes, config,
                 run.result.time ? std::optional(run.result.time->simulated_ns) : std::nullopt);
  add_energies({of_devices}, run.result.accounts.energy);
  return run;
}

std::uint64_t expected_references(const SystemConfig& config) {
  if (config.order == "memory") return expected_requests(config);
  if (config.order == "accelerator") return 0;
  return expected_records(config);
}

}  // namespace mesim
