// The records of one thread out of a merged stream.
#pragma once
#include <array>
#include <memory>

#include "traces/text_stream.hpp"
#include "traces/trace.hpp"

namespace mesim {

class FilterStream final : public RecordStream {
 public:
  FilterStream(std::unique_ptr<RecordStream> from, std::uint32_t thread)
      : from_(std::move(from)), thread_(thread) {}

  std::span<const Record> next() override {
    for (;;) {
      const auto batch = from_->next();
      if (batch.empty()) return {};
      kept_.clear();
      for (const Record& record : batch)
        if (record.thread == thread_) kept_.push_back(record);
      if (!kept_.empty()) return kept_;
    }
  }

 private:
  std::unique_ptr<RecordStream> from_;
  std::uint32_t thread_;
  std::vector<Record> kept_;
};

}  // namespace mesim
