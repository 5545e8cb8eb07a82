#include "memory/dram/stream_model.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "memory/dram/direct_run.hpp"
#include "memory/dram/rank_state.hpp"
#include "sim/error.hpp"

namespace mesim::dram {
namespace {

constexpr std::uint64_t measured_bursts_of_a_channel = 16'384;

class RunSource final : public RequestSource {
 public:
  RunSource(const TileRun& run, std::uint64_t chunks) : run_(run), chunks_(chunks) {}
  std::span<const MemoryAccess> next() override {
    std::size_t count = 0;
    for (; count < batch && made_ < chunks_; ++count, ++made_) {
      MemoryAccess& access = buffer_[count];
      access.address = run_.address + made_ * run_.stride_bytes;
      access.bytes = static_cast<std::uint32_t>(run_.chunk_bytes);
      access.write = run_.write;
    }
    return {buffer_, count};
  }

 private:
  static constexpr std::size_t batch = 256;
  TileRun run_;
  std::uint64_t chunks_;
  std::uint64_t made_ = 0;
  MemoryAccess buffer_[batch];
};

class Always final : public RunWatch {
 public:
  bool keep_going(std::uint64_t) override { return true; }
};

}  // namespace

StreamModel::StreamModel(const MemoryConfig& config, const std::string& source)
    : config_(config),
      source_(source),
      map_(config, source),
      timings_(config, source),
      busy_until_(map_.channels()) {
  if (!config.is_dram()) throw bad_input({source}, "/memory/model", "found 'fixed', expected 'stream'");
  peak_bytes_per_cycle_ = Channels(config, source).peak_bytes_per_cycle();
}

StreamModel::Measured StreamModel::measured(const TileRun& run, std::uint64_t chunks) const {
  Channels channels(config_, source_);
  RunSource source(run, chunks);
  Always watch;
  Measured out;
  const Cycles cycles = run_direct(channels, source, watch).cycles;
  out.cycles = static_cast<double>(cycles);
  for (const ControllerCounters& c : channels.closed_counters(cycles)) {
    for (std::size_t i = 0; i < command_count; ++i) out.commands[i] += static_cast<double>(c.commands[i]);
    for (const auto& rank : c.power)
      out.open_cycles += static_cast<double>(rank[static_cast<std::size_t>(PowerState::standby)]);
  }
  return out;
}

const StreamModel::Rate& StreamModel::rate_of(const TileRun& run) {
  const auto key = std::make_tuple(run.chunk_bytes, run.stride_bytes, run.write);
  const auto known = rates_.find(key);
  if (known != rates_.end()) return known->second;
  // From a quarter of the way to the end, so that the start does not count.
  const std::uint64_t bursts = measured_bursts_of_a_channel * channels_of(run).size();
  const std::uint64_t of_chunk =
      (run.chunk_bytes + map_.geometry().burst_bytes - 1) / map_.geometry().burst_bytes;
  const std::uint64_t chunks = std::max<std::uint64_t>(bursts / of_chunk, 16);
  const Measured quarter = measured(run, chunks / 4);
  const Measured whole = measured(run, chunks);
  const auto bytes = static_cast<double>((chunks - chunks / 4) * run.chunk_bytes);
  Rate rate;
  rate.cycles_per_byte = (whole.cycles - quarter.cycles) / bytes;
  rate.open_cycles_per_byte = (whole.open_cycles - quarter.open_cycles) / bytes;
  for (std::size_t i = 0; i < command_count; ++i)
    rate.commands_per_byte[i] = (whole.commands[i] - quarter.commands[i]) / bytes;
  const double first = measured(run, 1).cycles;
  rate.latency_cycles = std::max(first - rate.cycles_per_byte * static_cast<double>(run.chunk_bytes), 0.0);
  return rates_.emplace(key, rate).first->second;
}

// The channels that the run touches; its pattern over them repeats soon.
std::vector<unsigned> StreamModel::channels_of(const TileRun& run) const {
  std::set<unsigned> found;
  const std::uint64_t burst = map_.geometry().burst_bytes;
  const std::uint64_t chunks = std::min<std::uint64_t>(run.chunks, 4ULL * map_.channels());
  for (std::uint64_t chunk = 0; chunk < chunks && found.size() < map_.channels(); ++chunk) {
    const std::uint64_t begin = run.address + chunk * run.stride_bytes;
    for (std::uint64_t at = begin; at < begin + run.chunk_bytes && found.size() < map_.channels();
         at += burst) {
      found.insert(map_.decode(at).channel);
    }
  }
  return {found.begin(), found.end()};
}

std::uint64_t StreamModel::begin(const TileRun& run, Cycles at) {
  if (run.bytes() == 0) {
    done_.push({runs_, at});
    return runs_++;
  }
  const Rate& rate = rate_of(run);
  const auto channels = channels_of(run);
  const auto bytes = static_cast<double>(run.bytes());
  double begun = static_cast<double>(at) + rate.latency_cycles;
  for (const unsigned channel : channels) begun = std::max(begun, busy_until_[channel]);
  const double end = begun + rate.cycles_per_byte * bytes;
  for (const unsigned channel : channels) busy_until_[channel] = end;
  (run.write ? written_bytes_ : read_bytes_) += run.bytes();
  for (std::size_t i = 0; i < command_count; ++i) commands_[i] += rate.commands_per_byte[i] * bytes;
  open_cycles_ += rate.open_cycles_per_byte * bytes;
  done_.push({runs_, static_cast<Cycles>(std::ceil(end))});
  return runs_++;
}

void StreamModel::write(StatWriter& out, Cycles end) const {
  const Geometry& geometry = map_.geometry();
  const RefreshPlan plan(config_.controller.refresh, config_.organisation, timings_.get("nREFI", 0));
  const double ranks = static_cast<double>(geometry.all_ranks()) * map_.channels();
  const double clock_ns = timings_.clock_ns();
  const double ns = static_cast<double>(end) * clock_ns;
  out.begin("memory");
  out.count("read_bytes", read_bytes_);
  out.count("written_bytes", written_bytes_);
  out.value("bandwidth_gbps", ns > 0 ? static_cast<double>(read_bytes_ + written_bytes_) / ns : 0);
  out.begin("commands");
  for (std::size_t i = 0; i < command_count; ++i) {
    const auto command = static_cast<Command>(i);
    const bool refresh = command == Command::refresh || command == Command::refresh_bank;
    const bool planned = plan.any && (command == Command::refresh) == plan.all_banks;
    const double falls_due = planned ? static_cast<double>(end / plan.interval) * ranks : 0;
    out.count(std::string(command_names[i]),
              static_cast<std::uint64_t>(std::llround(refresh ? falls_due : commands_[i])));
  }
  out.end();
  const double all_ns = ns * ranks;
  const double open_ns = std::min(open_cycles_ * clock_ns, all_ns);
  out.begin("power_states_ns");
  out.value(power_state_names[0], open_ns);
  out.value(power_state_names[1], all_ns - open_ns);
  out.value("all", all_ns);
  out.end();
  out.end();
}

}  // namespace mesim::dram
