#include "system/memory_run.hpp"

#include "memory/dram/direct_run.hpp"
#include "memory/dram/energy.hpp"
#include "memory/dram/report.hpp"
#include "sim/config_writer.hpp"

namespace mesim {
namespace {

constexpr double sparse_interval_ns = 200;
constexpr std::uint32_t mixed_write_every = 3;

dram::RequestPattern pattern_of(const SystemConfig& config, double clock_ns) {
  const WorkloadConfig& w = config.workload;
  dram::RequestPattern pattern;
  pattern.name = w.pattern;
  pattern.requests = w.requests;
  pattern.bytes = w.request_bytes;
  pattern.span_bytes = w.span_bytes;
  const double interval = w.interval_ns > 0 ? w.interval_ns : w.pattern == "sparse" ? sparse_interval_ns : 0;
  pattern.interval_cycles = interval / clock_ns;
  pattern.write_every = w.write_every != 0 ? w.write_every : w.pattern == "mixed" ? mixed_write_every : 0;
  pattern.seed = config.seed;
  return pattern;
}

}  // namespace

SystemRun run_memory(const SystemConfig& config, const std::string& source, RunWatch& watch) {
  dram::Channels channels(config.memory, source);
  const double clock_ns = channels.timings().clock_ns();
  const auto requests = dram::request_pattern(pattern_of(config, clock_ns));
  const dram::DirectRun run = dram::run_direct(channels, *requests, watch);

  SystemRun out;
  out.references = run.requests;
  RunResult& result = out.result;
  result.name = config.name;
  result.complete = run.complete;
  result.seed = config.seed;
  result.config = write_config(config);
  result.inputs.push_back({"pattern:" + config.workload.pattern, "", run.requests});
  const double ns = static_cast<double>(run.cycles) * clock_ns;
  result.time = SimulatedTime{run.cycles, ns};
  const dram::MemoryReport report{config.memory,     channels,       run.cycles,       run.read_latency,
                                  run.write_latency, run.bytes_read, run.bytes_written};
  dram::write_statistics(report, result.stats);
  dram::account_time(report, result.accounts.time);
  result.accounts.bytes.link("memory", run.bytes_read, run.bytes_written);
  result.accounts.bytes.share("memory", "requests", run.bytes_read, run.bytes_written);
  result.accounts.energy = EnergyLedger(config.memory.power.source);
  dram::account_energy(channels,
                       dram::EventEnergies(config.memory, channels.timings(), channels.refresh_steps()),
                       config.memory.power, ns, result.accounts.energy);
  return out;
}

std::uint64_t expected_requests(const SystemConfig& config) {
  return config.workload.path.empty() ? config.workload.requests : 0;
}

}  // namespace mesim
