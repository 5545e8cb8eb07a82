// Programs for timed machines: hot private lines, a private stream of misses, shared lines; by given shares.
#pragma once
#include <algorithm>
#include <memory>
#include <span>
#include <stdexcept>
#include <vector>

#include "sim/random.hpp"
#include "traces/trace.hpp"

namespace mesim::test {

struct WorkloadShape {
  unsigned cores = 4;
  std::size_t references = 2000;  // of each core
  double stream = 0.02;           // share of references to ever new lines
  double shared = 0.1;            // share of references to shared lines
  unsigned shared_lines = 32;
  unsigned hot_lines = 64;
  double stores = 0.3;
  unsigned max_gap = 3;
  double specials = 0;  // atomics and fences
};

// A trace of which each thread lies in memory by itself.
class ThreadsTrace final : public Trace {
 public:
  explicit ThreadsTrace(std::vector<std::vector<Record>> threads) : threads_(std::move(threads)) {
    info_.path = "random workload";
    info_.threads = static_cast<std::uint32_t>(threads_.size());
  }
  const TraceInfo& info() const override { return info_; }
  std::unique_ptr<RecordStream> merged() override { throw std::logic_error("the threads have no order"); }
  std::unique_ptr<RecordStream> thread(std::uint32_t index) override {
    return std::make_unique<Stream>(threads_[index]);
  }

 private:
  struct Stream final : RecordStream {
    explicit Stream(std::span<const Record> records) : left(records) {}
    std::span<const Record> next() override {
      const auto batch = left.first(std::min<std::size_t>(left.size(), 1000));
      left = left.subspan(batch.size());
      return batch;
    }
    std::span<const Record> left;
  };
  std::vector<std::vector<Record>> threads_;
  TraceInfo info_;
};

inline std::unique_ptr<Trace> random_workload(const WorkloadShape& shape, std::uint64_t seed) {
  std::vector<std::vector<Record>> threads(shape.cores);
  for (unsigned core = 0; core < shape.cores; ++core) {
    Random random(seed, core);
    std::uint64_t next_line = 0;
    for (std::size_t i = 0; i < shape.references; ++i) {
      Record r;
      r.thread = static_cast<std::uint16_t>(core);
      // Apart from each other, and not all in the same sets of a shared cache.
      const std::uint64_t own = (std::uint64_t{core + 1} << 32) + core * std::uint64_t{0x21000};
      if (random.chance(shape.shared)) {
        r.address = random.below(shape.shared_lines) * 64;
      } else if (random.chance(shape.stream)) {
        r.address = own + (1 << 20) + next_line++ * 64;
      } else {
        r.address = own + random.below(shape.hot_lines) * 64;
      }
      r.address += random.below(16) * 4;
      r.size = random.chance(0.02) ? 8 : 4;  // the last word's eight bytes cross the line
      r.gap = static_cast<std::uint16_t>(random.below(shape.max_gap + 1));
      r.kind = random.chance(shape.stores) ? RecordKind::store : RecordKind::load;
      if (random.chance(shape.specials)) {
        const RecordKind kinds[] = {RecordKind::atomic_rmw, RecordKind::fence, RecordKind::atomic_store,
                                    RecordKind::modify, RecordKind::atomic_load};
        r.kind = kinds[random.below(5)];
      }
      threads[core].push_back(r);
    }
  }
  return std::make_unique<ThreadsTrace>(std::move(threads));
}

}  // namespace mesim::test
