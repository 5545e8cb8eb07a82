#include "traces/options.hpp"

#include <fmt/format.h>
#include <tsl/robin_map.h>

#include <algorithm>
#include <bit>

#include "sim/error.hpp"
#include "sim/mix_hash.hpp"
#include "traces/filter_stream.hpp"
#include "traces/thread_index.hpp"

namespace mesim {
namespace {

// Passes the first records of each thread, as many as `limits` says; one limit serves every thread.
class LimitStream final : public RecordStream {
 public:
  LimitStream(std::unique_ptr<RecordStream> from, std::vector<std::uint64_t> limits)
      : from_(std::move(from)), left_(std::move(limits)) {
    for (const std::uint64_t left : left_) open_ += left != 0;
  }

  std::span<const Record> next() override {
    while (open_ != 0) {
      const auto batch = from_->next();
      if (batch.empty()) break;
      kept_.clear();
      for (const Record& record : batch) {
        std::uint64_t& left = left_[left_.size() == 1 ? 0 : record.thread];
        if (left == 0) continue;
        kept_.push_back(record);
        if (--left == 0) --open_;
      }
      if (!kept_.empty()) return kept_;
    }
    return {};
  }

 private:
  std::unique_ptr<RecordStream> from_;
  std::vector<std::uint64_t> left_;
  std::size_t open_ = 0;  // threads that may go on
  std::vector<Record> kept_;
};

// A thread that waits for a signal which the limit has cut off ends before the wait, so that no replay waits
// forever. The merged order obeys the waits: going through it once finds these ends.
class LimitedTrace final : public Trace {
 public:
  LimitedTrace(std::unique_ptr<Trace> trace, std::uint64_t limit)
      : trace_(std::move(trace)), info_(trace_->info()), limits_(info_.threads, limit) {
    info_.records.reset();
    if (info_.threads > 1) end_before_lost_signals();
  }
  const TraceInfo& info() const override { return info_; }
  std::unique_ptr<RecordStream> merged() override {
    return std::make_unique<LimitStream>(trace_->merged(), limits_);
  }
  std::unique_ptr<RecordStream> thread(std::uint32_t index) override {
    check_thread(info_, index);
    return std::make_unique<LimitStream>(trace_->thread(index), std::vector{limits_[index]});
  }

 private:
  void end_before_lost_signals() {
    tsl::robin_map<std::uint64_t, std::uint64_t, MixHash> signals;
    std::vector<std::uint64_t> passed(limits_.size());
    std::uint64_t total = 0;
    std::size_t ended = 0;
    const auto stream = std::make_unique<LimitStream>(trace_->merged(), limits_);
    for (auto batch = stream->next(); !batch.empty(); batch = stream->next()) {
      for (const Record& record : batch) {
        if (passed[record.thread] == limits_[record.thread]) continue;
        if (record.kind == RecordKind::signal) ++signals[record.address];
        if (record.kind == RecordKind::wait && signals[record.address] < record.size) {
          limits_[record.thread] = passed[record.thread];
          ++ended;
          continue;
        }
        ++passed[record.thread];
        ++total;
      }
    }
    info_.records = total;
    if (ended != 0) {
      info_.notes.push_back(
          fmt::format("limit: {} of {} threads end at a wait for what another thread does behind the limit",
                      ended, info_.threads));
    }
  }

  std::unique_ptr<Trace> trace_;
  TraceInfo info_;
  std::vector<std::uint64_t> limits_;  // by thread
};

bool has_address(RecordKind kind) {
  return kind == RecordKind::fetch || is_memory(kind) || kind == RecordKind::wait ||
         kind == RecordKind::signal;
}

// Each record of the wrapped stream for the copies [first, last): moved by `spacing` and to threads of their
// own.
class CopyStream final : public RecordStream {
 public:
  CopyStream(std::unique_ptr<RecordStream> from, std::uint64_t spacing, std::uint32_t threads,
             std::uint32_t first, std::uint32_t last)
      : from_(std::move(from)), spacing_(spacing), threads_(threads), first_(first), last_(last) {}

  std::span<const Record> next() override {
    const auto batch = from_->next();
    records_.clear();
    for (const Record& record : batch)
      for (std::uint32_t copy = first_; copy < last_; ++copy) records_.push_back(moved(record, copy));
    return records_;
  }

 private:
  Record moved(Record record, std::uint32_t copy) const {
    if (has_address(record.kind)) record.address += copy * spacing_;
    if (record.pc != 0) record.pc += copy * spacing_;
    record.thread = static_cast<std::uint16_t>(record.thread + copy * threads_);
    return record;
  }

  std::unique_ptr<RecordStream> from_;
  std::uint64_t spacing_;
  std::uint32_t threads_, first_, last_;
  std::vector<Record> records_;
};

class CopiedTrace final : public Trace {
 public:
  CopiedTrace(std::unique_ptr<Trace> trace, std::uint32_t copies)
      : trace_(std::move(trace)), info_(trace_->info()), copies_(copies), threads_(info_.threads) {
    find_spacing();
    info_.threads = threads_ * copies;
    if (info_.records) *info_.records *= copies;
    const std::vector<Symbol> symbols = info_.symbols;
    for (std::uint32_t copy = 1; copy < copies; ++copy)
      for (Symbol symbol : symbols) {
        symbol.address += copy * spacing_;
        info_.symbols.push_back(std::move(symbol));
      }
  }
  const TraceInfo& info() const override { return info_; }
  std::unique_ptr<RecordStream> merged() override {
    return std::make_unique<CopyStream>(trace_->merged(), spacing_, threads_, 0, copies_);
  }
  std::unique_ptr<RecordStream> thread(std::uint32_t index) override {
    check_thread(info_, index);
    const std::uint32_t copy = index / threads_;
    return std::make_unique<CopyStream>(trace_->thread(index % threads_), spacing_, threads_, copy, copy + 1);
  }

 private:
  void find_spacing() {
    std::uint64_t highest = 0;
    const auto stream = trace_->merged();
    for (auto batch = stream->next(); !batch.empty(); batch = stream->next())
      for (const Record& record : batch) {
        if (has_address(record.kind)) highest = std::max(highest, record.address + record.size);
        highest = std::max(highest, record.pc);
      }
    for (const Symbol& symbol : info_.symbols)
      highest = std::max(highest, symbol.address + symbol.size_bytes);
    const int bits = std::bit_width(highest);
    if (bits + std::bit_width(copies_ - 1) > 64)
      throw bad_input({info_.path},
                      fmt::format("{} copies at disjoint addresses do not fit into 64 bits: the trace "
                                  "itself reaches {:#x}",
                                  copies_, highest));
    spacing_ = 1ULL << bits;
  }

  std::unique_ptr<Trace> trace_;
  TraceInfo info_;
  std::uint32_t copies_;
  std::uint32_t threads_;  // of one copy
  std::uint64_t spacing_ = 0;
};

class SpreadStream final : public RecordStream {
 public:
  SpreadStream(std::unique_ptr<RecordStream> from, std::uint32_t threads, std::uint64_t chunk)
      : from_(std::move(from)), threads_(threads), chunk_(chunk), left_(chunk) {}

  std::span<const Record> next() override {
    const auto batch = from_->next();
    records_.assign(batch.begin(), batch.end());
    for (Record& record : records_) {
      if (left_ == 0) {
        thread_ = thread_ + 1 == threads_ ? 0 : thread_ + 1;
        left_ = chunk_;
      }
      record.thread = static_cast<std::uint16_t>(thread_);
      --left_;
    }
    return records_;
  }

 private:
  std::unique_ptr<RecordStream> from_;
  std::uint32_t threads_;
  std::uint64_t chunk_;
  std::uint32_t thread_ = 0;
  std::uint64_t left_;  // records of the chunk at hand
  std::vector<Record> records_;
};

class SpreadTrace final : public Trace {
 public:
  SpreadTrace(std::unique_ptr<Trace> trace, std::uint32_t threads, std::uint64_t chunk)
      : trace_(std::move(trace)), info_(trace_->info()), chunk_(chunk) {
    info_.threads = threads;
  }
  const TraceInfo& info() const override { return info_; }
  std::unique_ptr<RecordStream> merged() override {
    return std::make_unique<SpreadStream>(trace_->merged(), info_.threads, chunk_);
  }
  std::unique_ptr<RecordStream> thread(std::uint32_t index) override {
    check_thread(info_, index);
    return std::make_unique<FilterStream>(merged(), index);
  }

 private:
  std::unique_ptr<Trace> trace_;
  TraceInfo info_;
  std::uint64_t chunk_;
};

constexpr std::uint32_t most_threads = 1 << 16;

void check_count(const TraceInfo& info, const char* what, std::uint64_t threads) {
  if (threads == 0 || threads > most_threads)
    throw bad_input({info.path},
                    fmt::format("{} would give {} threads, expected 1 to {}", what, threads, most_threads));
}

}  // namespace

std::unique_ptr<Trace> limit_records(std::unique_ptr<Trace> trace, std::uint64_t records) {
  return std::make_unique<LimitedTrace>(std::move(trace), records);
}

std::unique_ptr<Trace> copy_trace(std::unique_ptr<Trace> trace, std::uint32_t copies) {
  check_count(trace->info(), "copies", std::uint64_t{trace->info().threads} * copies);
  return std::make_unique<CopiedTrace>(std::move(trace), copies);
}

std::unique_ptr<Trace> spread_trace(std::unique_ptr<Trace> trace, std::uint32_t threads,
                                    std::uint64_t chunk) {
  const TraceInfo& info = trace->info();
  check_count(info, "spread", threads);
  if (chunk == 0) throw bad_input({info.path}, "a spread chunk of 0 records, expected at least 1");
  if (info.threads != 1)
    throw bad_input({info.path},
                    fmt::format("spread deals out a trace of one thread, this one has {}", info.threads));
  return std::make_unique<SpreadTrace>(std::move(trace), threads, chunk);
}

std::unique_ptr<Trace> shape_trace(std::unique_ptr<Trace> trace, const TraceShape& shape) {
  if (shape.spread > 1) trace = spread_trace(std::move(trace), shape.spread, shape.spread_chunk);
  if (shape.limit != 0) trace = limit_records(std::move(trace), shape.limit);
  if (shape.copies > 1) trace = copy_trace(std::move(trace), shape.copies);
  return trace;
}

std::string shorter_than_asked(const std::string& path, std::uint64_t asked, std::uint64_t got) {
  if (asked == 0 || got >= asked) return {};
  return fmt::format("{}: the trace is shorter than asked: {} records of {}", path, got, asked);
}

}  // namespace mesim
