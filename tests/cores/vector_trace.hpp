// A trace of threads written down in a test.
#pragma once
#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "traces/trace.hpp"

namespace mesim::test {

inline Record record(RecordKind kind, std::uint64_t address, std::uint32_t size = 4) {
  Record r;
  r.kind = kind;
  r.address = address;
  r.size = size;
  return r;
}

class VectorTrace final : public Trace {
 public:
  explicit VectorTrace(std::vector<std::vector<Record>> threads) : threads_(std::move(threads)) {
    info_.threads = static_cast<std::uint32_t>(threads_.size());
    for (std::size_t t = 0; t < threads_.size(); ++t) {
      for (Record& r : threads_[t]) r.thread = static_cast<std::uint16_t>(t);
    }
  }

  const TraceInfo& info() const override { return info_; }
  // One record of each thread in turn.
  std::unique_ptr<RecordStream> merged() override {
    std::vector<Record> all;
    std::size_t longest = 0;
    for (const auto& thread : threads_) longest = std::max(longest, thread.size());
    for (std::size_t i = 0; i < longest; ++i) {
      for (const auto& thread : threads_) {
        if (i < thread.size()) all.push_back(thread[i]);
      }
    }
    return std::make_unique<Stream>(std::move(all));
  }
  std::unique_ptr<RecordStream> thread(std::uint32_t index) override {
    return std::make_unique<Stream>(threads_[index]);
  }

 private:
  // Batches of three, so that batch borders are met.
  struct Stream final : RecordStream {
    explicit Stream(std::vector<Record> r) : records(std::move(r)) {}
    std::span<const Record> next() override {
      const std::size_t count = std::min<std::size_t>(3, records.size() - at);
      at += count;
      return std::span<const Record>(records).subspan(at - count, count);
    }
    std::vector<Record> records;
    std::size_t at = 0;
  };
  std::vector<std::vector<Record>> threads_;
  TraceInfo info_;
};

}  // namespace mesim::test
