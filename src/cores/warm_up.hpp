// The first part of a workload without time, so that a timed run finds warm caches: each thread performs its
// first records, one in turn, threads in order of their number; what threads wait for each other for is
// obeyed. What is left is run by the cycle.
//
// A thread that waits for one that has done its part stays where it is and waits by the cycle.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "traces/trace.hpp"

namespace mesim {

struct WarmUpOptions {
  std::uint64_t records = 0;  // of each thread
  // In place of `records`: until a thread begins the program's region of interest; the rest of a thread ends
  // with its end.
  bool until_region = false;
};

// What is left of a trace; each thread can be taken once.
class RestOfTrace final : public Trace {
 public:
  const TraceInfo& info() const override { return info_; }
  std::unique_ptr<RecordStream> merged() override;  // throws: the threads have lost their order
  std::unique_ptr<RecordStream> thread(std::uint32_t index) override { return std::move(threads_.at(index)); }

  std::uint64_t records() const { return records_; }   // performed
  bool region_begun() const { return region_begun_; }  // with `until_region`
  // Signals so far, by object.
  const std::map<std::uint64_t, std::uint64_t>& signals() const { return signals_; }

 private:
  friend std::unique_ptr<RestOfTrace> warm_up(Trace& trace, const WarmUpOptions& options,
                                              const std::function<void(unsigned, const Record&)>& perform);
  TraceInfo info_;
  std::vector<std::unique_ptr<RecordStream>> threads_;
  std::map<std::uint64_t, std::uint64_t> signals_;
  std::uint64_t records_ = 0;
  bool region_begun_ = false;
};

// `perform` gets memory accesses and fetches, and the thread. `trace` outlives what is left of it.
std::unique_ptr<RestOfTrace> warm_up(Trace& trace, const WarmUpOptions& options,
                                     const std::function<void(unsigned, const Record&)>& perform);

}  // namespace mesim
