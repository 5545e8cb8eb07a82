#include "system/memory_run.hpp"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "memory/dram/direct_run.hpp"
#include "memory/dram/energy.hpp"
#include "memory/dram/report.hpp"
#include "memory/dram/request_trace.hpp"
#include "memory/tile_memory.hpp"
#include "sim/config_writer.hpp"
#include "sim/error.hpp"
#include "sim/sha256.hpp"
#include "system/dram_timeline.hpp"
#include "traces/trace.hpp"

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
  pattern.stride_bytes = w.request_stride_bytes;
  pattern.span_bytes = w.span_bytes;
  const double interval = w.interval_ns > 0 ? w.interval_ns : w.pattern == "sparse" ? sparse_interval_ns : 0;
  pattern.interval_cycles = interval / clock_ns;
  pattern.write_every = w.write_every != 0 ? w.write_every : w.pattern == "mixed" ? mixed_write_every : 0;
  pattern.seed = config.seed;
  return pattern;
}

// A trace of a program: its loads and stores one after another, each thread a requester.
class ProgramRequests final : public dram::RequestSource {
 public:
  ProgramRequests(std::unique_ptr<Trace> trace, std::uint64_t limit)
      : trace_(std::move(trace)), stream_(trace_->merged()), left_(limit != 0 ? limit : ~std::uint64_t{0}) {}

  std::span<const dram::MemoryAccess> next() override {
    buffer_.clear();
    while (buffer_.empty() && left_ != 0) {
      const auto records = stream_->next();
      if (records.empty()) break;
      for (const Record& record : records) {
        if (left_ != 0 && is_memory(record.kind)) add(record);
      }
    }
    return buffer_;
  }

 private:
  void add(const Record& record) {
    dram::MemoryAccess access;
    access.address = record.address;
    access.bytes = record.size;
    access.unit = record.thread;
    if (is_read(record.kind)) buffer_.push_back(access);
    access.write = true;
    if (is_write(record.kind)) buffer_.push_back(access);
    --left_;
  }

  std::unique_ptr<Trace> trace_;
  std::unique_ptr<RecordStream> stream_;
  std::uint64_t left_;
  std::vector<dram::MemoryAccess> buffer_;
};

std::unique_ptr<dram::RequestSource> requests_of(const SystemConfig& config, const dram::AddressMap& map,
                                                 double clock_ns) {
  const WorkloadConfig& w = config.workload;
  if (w.path.empty()) return dram::request_pattern(pattern_of(config, clock_ns));
  if (w.format == "auto" && dram::is_request_trace(w.path.path)) return dram::request_trace(w.path.path, map);
  return std::make_unique<ProgramRequests>(open_trace(w.path.path, w.format), w.limit);
}

// The commands with which a run begins, for its report; after them nobody is told of any more, if nobody else
// wants to be.
class FirstCommands {
 public:
  FirstCommands(dram::Channels& channels, std::size_t most) : channels_(channels), most_(most) {}
  void take(const dram_check::DramCommand& c, bool alone) {
    if (list_.size() < most_) {
      list_.push_back({c.at, c.channel, fmt::format("{}{}{}{}", c.pseudo, c.rank, c.group, c.bank),
                       dram_check::name_of(c.op), c.row});
    } else if (alone) {
      for (unsigned channel = 0; channel < channels_.size(); ++channel) channels_[channel].trace_to(nullptr);
    }
  }
  // Null without any.
  nlohmann::ordered_json list() { return list_.empty() ? nlohmann::ordered_json() : std::move(list_); }

 private:
  dram::Channels& channels_;
  std::size_t most_;
  nlohmann::ordered_json list_ = nlohmann::ordered_json::array();
};

// What a run's result has whatever the memory's model.
SystemRun begin_result(const SystemConfig& config, std::uint64_t requests) {
  SystemRun out;
  out.references = requests;
  out.result.name = config.name;
  out.result.seed = config.seed;
  out.result.config = write_config(config);
  const InputPath& path = config.workload.path;
  out.result.inputs.push_back({path.empty() ? "pattern:" + config.workload.pattern : path.written,
                               path.empty() ? "" : sha256_of_path(path.path), requests});
  return out;
}

void account_bytes_and_energy(const SystemConfig& config, std::uint64_t read, std::uint64_t written,
                              RunResult& result) {
  result.accounts.bytes.link("memory", read, written);
  result.accounts.bytes.share("memory", "requests", read, written);
  result.accounts.energy = EnergyLedger(config.memory.power.source);
  dram::account_energy(dram::energy_counts(*result.stats.component("memory")),
                       dram::EventEnergies(config.memory), config.memory.power.count_interface,
                       result.accounts.energy);
}

// A stream of requests is one run of tiles.
SystemRun run_tiles(const SystemConfig& config, const std::string& source) {
  const WorkloadConfig& w = config.workload;
  if (w.pattern != "stream" || !w.path.empty() || w.interval_ns > 0 || w.write_every > 1) {
    throw bad_input(
        {source}, "/memory/model",
        "found 'stream', which moves runs of tiles; expected workload.pattern=stream, all read or all "
        "written (write_every 0 or 1), without a trace or an interval; or the model 'cycle'");
  }
  const auto memory = make_tile_memory(config.memory, source);
  TileRun run;
  run.chunk_bytes = w.request_bytes;
  run.stride_bytes = w.request_stride_bytes != 0 ? w.request_stride_bytes : w.request_bytes;
  run.chunks = w.requests;
  run.write = w.write_every == 1;
  const Cycles cycles = memory->transfer(run, 0);
  SystemRun out = begin_result(config, w.requests);
  const ClockDomain clock(memory->clock());
  out.result.time = SimulatedTime{cycles, clock.nanoseconds(cycles)};
  memory->write(out.result.stats, cycles);
  account_bytes_and_energy(config, memory->read_bytes(), memory->written_bytes(), out.result);
  return out;
}

}  // namespace

SystemRun run_memory(const SystemConfig& config, const std::string& source, RunWatch& watch,
                     const dram::CommandTap::Take& take) {
  if (config.memory.model == "stream") return run_tiles(config, source);
  dram::Channels channels(config.memory, source);
  const double clock_ns = channels.timings().clock_ns();
  const auto requests = requests_of(config, channels.map(), clock_ns);
  FirstCommands first(channels, config.report.first_events);
  std::optional<dram::CommandTap> tap;
  std::optional<DramTimeline> timeline;
  if (watch.timeline() != nullptr) {
    const ClockDomain clock(channels.timings().clock());
    watch.timeline()->base_clock(clock);
    timeline.emplace(*watch.timeline(), clock);
  }
  if (take || timeline || config.report.first_events != 0) {
    tap.emplace(channels, [&](const dram_check::DramCommand& command) {
      first.take(command, !take && !timeline);
      if (timeline) timeline->take(command);
      if (take) take(command);
    });
  }
  const dram::DirectRun run = dram::run_direct(channels, *requests, watch, config.workload.outstanding);

  SystemRun out = begin_result(config, run.requests);
  RunResult& result = out.result;
  result.complete = run.complete;
  result.dram_commands = first.list();
  if (timeline) timeline->finish(run.cycles);
  const double ns = static_cast<double>(run.cycles) * clock_ns;
  result.time = SimulatedTime{run.cycles, ns};
  const auto counters = channels.closed_counters(run.cycles);
  const dram::MemoryReport report{config.memory,    channels,          counters,       run.cycles,
                                  run.read_latency, run.write_latency, run.bytes_read, run.bytes_written};
  dram::write_statistics(report, result.stats);
  dram::account_time(report, result.accounts.time);
  account_bytes_and_energy(config, run.bytes_read, run.bytes_written, result);
  return out;
}

std::uint64_t expected_requests(const SystemConfig& config) {
  return config.workload.path.empty() ? config.workload.requests : 0;
}

}  // namespace mesim
