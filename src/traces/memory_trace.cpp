#include <algorithm>

#include "traces/filter_stream.hpp"
#include "traces/thread_index.hpp"
#include "traces/trace.hpp"

namespace mesim {
namespace {

// The records in place, batch by batch.
class MemoryStream final : public RecordStream {
 public:
  explicit MemoryStream(std::shared_ptr<const std::vector<Record>> records) : records_(std::move(records)) {}

  std::span<const Record> next() override {
    const std::size_t count = std::min(batch_records, records_->size() - position_);
    const std::span<const Record> batch(records_->data() + position_, count);
    position_ += count;
    return batch;
  }

 private:
  std::shared_ptr<const std::vector<Record>> records_;
  std::size_t position_ = 0;
};

class MemoryTrace final : public Trace {
 public:
  MemoryTrace(TraceInfo info, std::vector<Record> records)
      : info_(std::move(info)), records_(std::make_shared<const std::vector<Record>>(std::move(records))) {
    for (const Record& record : *records_)
      info_.threads = std::max<std::uint32_t>(info_.threads, record.thread + 1U);
    info_.threads = std::max(info_.threads, 1U);
    info_.records = records_->size();
  }

  const TraceInfo& info() const override { return info_; }
  std::unique_ptr<RecordStream> merged() override { return std::make_unique<MemoryStream>(records_); }
  std::unique_ptr<RecordStream> thread(std::uint32_t index) override {
    check_thread(info_, index);
    if (info_.threads == 1) return merged();
    return std::make_unique<FilterStream>(merged(), index);
  }

 private:
  TraceInfo info_;
  std::shared_ptr<const std::vector<Record>> records_;
};

}  // namespace

std::unique_ptr<Trace> memory_trace(TraceInfo info, std::vector<Record> records) {
  return std::make_unique<MemoryTrace>(std::move(info), std::move(records));
}

}  // namespace mesim
