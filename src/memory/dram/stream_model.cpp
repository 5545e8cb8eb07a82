#include "memory/dram/stream_model.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "memory/dram/direct_run.hpp"
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
    : config_(config), source_(source), map_(config, source), busy_until_(map_.channels()) {
  if (!config.is_dram()) throw bad_input({source}, "/memory/model", "found 'fixed', expected 'dram'");
}

Cycles StreamModel::measured(const TileRun& run, std::uint64_t chunks) const {
  Channels channels(config_, source_);
  RunSource source(run, chunks);
  Always watch;
  return run_direct(channels, source, watch).cycles;
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
  const auto quarter = static_cast<double>(measured(run, chunks / 4));
  const auto whole = static_cast<double>(measured(run, chunks));
  Rate rate;
  rate.cycles_per_byte = (whole - quarter) / static_cast<double>((chunks - chunks / 4) * run.chunk_bytes);
  const auto first = static_cast<double>(measured(run, 1));
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

Cycles StreamModel::transfer(const TileRun& run, Cycles at) {
  const Rate& rate = rate_of(run);
  const auto channels = channels_of(run);
  double begin = static_cast<double>(at) + rate.latency_cycles;
  for (const unsigned channel : channels) begin = std::max(begin, busy_until_[channel]);
  const double end = begin + rate.cycles_per_byte * static_cast<double>(run.bytes());
  for (const unsigned channel : channels) busy_until_[channel] = end;
  return static_cast<Cycles>(std::llround(std::ceil(end)));
}

}  // namespace mesim::dram
