#include "cores/warm_up.hpp"

#include <algorithm>
#include <stdexcept>

namespace mesim {
namespace {

// A stream from the middle of a batch on.
class RestOfStream final : public RecordStream {
 public:
  RestOfStream(std::unique_ptr<RecordStream> stream, std::span<const Record> batch, bool region)
      : stream_(std::move(stream)), batch_(batch), region_(region) {}

  std::span<const Record> next() override {
    if (ended_) return {};
    std::span<const Record> batch = batch_.empty() ? stream_->next() : batch_;
    batch_ = {};
    if (!region_) return batch;
    const auto end = std::find_if(batch.begin(), batch.end(),
                                  [](const Record& r) { return r.kind == RecordKind::region_end; });
    if (end == batch.end()) return batch;
    ended_ = true;
    return batch.first(static_cast<std::size_t>(end - batch.begin()) + 1);
  }

 private:
  std::unique_ptr<RecordStream> stream_;
  std::span<const Record> batch_;
  bool region_;  // ends with the end of the region of interest
  bool ended_ = false;
};

struct Thread {
  std::unique_ptr<RecordStream> stream;
  std::span<const Record> batch;
  std::uint64_t done = 0;

  const Record* at() {
    if (batch.empty()) batch = stream->next();
    return batch.empty() ? nullptr : &batch.front();
  }
};

}  // namespace

std::unique_ptr<RecordStream> RestOfTrace::merged() {
  throw std::logic_error("threads that have been warmed up have no order");
}

std::unique_ptr<RestOfTrace> warm_up(Trace& trace, const WarmUpOptions& options,
                                     const std::function<void(unsigned, const Record&)>& perform) {
  auto left = std::make_unique<RestOfTrace>();
  RestOfTrace& rest = *left;
  rest.info_ = trace.info();
  std::vector<Thread> threads(trace.info().threads);
  for (unsigned t = 0; t < threads.size(); ++t) threads[t].stream = trace.thread(t);
  for (bool moved = true; moved && !rest.region_begun_;) {
    moved = false;
    for (unsigned t = 0; t < threads.size() && !rest.region_begun_; ++t) {
      Thread& thread = threads[t];
      if (!options.until_region && thread.done == options.records) continue;
      const Record* record = thread.at();
      if (record == nullptr) continue;
      if (record->kind == RecordKind::wait && rest.signals_[record->address] < record->size) continue;
      if (record->kind == RecordKind::signal) ++rest.signals_[record->address];
      if (is_memory(record->kind) || record->kind == RecordKind::fetch) perform(t, *record);
      rest.region_begun_ = options.until_region && record->kind == RecordKind::region_begin;
      thread.batch = thread.batch.subspan(1);
      ++thread.done;
      ++rest.records_;
      moved = true;
    }
  }
  for (Thread& thread : threads)
    rest.threads_.push_back(
        std::make_unique<RestOfStream>(std::move(thread.stream), thread.batch, options.until_region));
  return left;
}

}  // namespace mesim
