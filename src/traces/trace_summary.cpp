#include "traces/trace_summary.hpp"

#include <tsl/robin_map.h>

#include <bit>
#include <map>

namespace mesim {
namespace {

constexpr unsigned line_bits = 6;

// The bytes touched of each line, as a mask. The last line is kept at hand: most references stay in it.
class Touched {
 public:
  void touch(std::uint64_t address, std::uint32_t size) {
    for (std::uint64_t left = size; left != 0;) {
      const std::uint64_t offset = address & 63;
      const std::uint64_t part = left < 64 - offset ? left : 64 - offset;
      mask_of(address >> line_bits) |= (part == 64 ? ~0ULL : (1ULL << part) - 1) << offset;
      address += part;
      left -= part;
    }
  }

  Footprint footprint() const {
    Footprint result;
    result.lines = masks_.size();
    for (const auto& [line, mask] : masks_) result.bytes += static_cast<std::uint64_t>(std::popcount(mask));
    return result;
  }

 private:
  std::uint64_t& mask_of(std::uint64_t line) {
    if (last_ == nullptr || line != last_line_) {
      last_ = &masks_[line];
      last_line_ = line;
    }
    return *last_;
  }

  struct Hash {
    std::size_t operator()(std::uint64_t line) const { return (line * 0x9e3779b97f4a7c15ULL) >> 20; }
  };
  tsl::robin_map<std::uint64_t, std::uint64_t, Hash> masks_;
  std::uint64_t* last_ = nullptr;
  std::uint64_t last_line_ = 0;
};

// Ranges longer than this are clipped in the footprint: a size field that is garbage must not take minutes.
constexpr std::uint32_t most_touched_bytes = 16 << 20;

}  // namespace

const char* kind_name(RecordKind kind) {
  static constexpr const char* names[record_kinds] = {
      "fetch", "load",    "store", "modify", "atomic_load",  "atomic_store", "atomic_rmw",
      "fence", "compute", "wait",  "signal", "region_begin", "region_end"};
  return names[static_cast<std::size_t>(kind)];
}

std::uint64_t TraceSummary::references() const {
  std::uint64_t sum = 0;
  for (std::size_t k = 0; k <= static_cast<std::size_t>(RecordKind::atomic_rmw); ++k) sum += by_kind[k];
  return sum;
}

TraceSummary summarize(Trace& trace, RunWatch& watch) {
  const TraceInfo& info = trace.info();
  TraceSummary summary;
  summary.by_thread.resize(info.threads);
  Touched code, data;
  std::map<std::uint64_t, RegionUse> regions;
  const auto stream = trace.merged();
  for (auto batch = stream->next(); !batch.empty(); batch = stream->next()) {
    for (const Record& record : batch) {
      ++summary.by_kind[static_cast<std::size_t>(record.kind)];
      ++summary.by_thread[record.thread];
      summary.instructions += record.gap;
      const std::uint32_t size = record.size < most_touched_bytes ? record.size : most_touched_bytes;
      if (record.kind == RecordKind::fetch) {
        ++summary.instructions;
        code.touch(record.address, size);
      } else if (is_memory(record.kind)) {
        data.touch(record.address, size);
      } else if (record.kind == RecordKind::region_begin) {
        ++regions[record.address].begins;
      } else if (record.kind == RecordKind::region_end) {
        ++regions[record.address].ends;
      }
    }
    summary.records += batch.size();
    if (!watch.keep_going(summary.records)) {
      summary.complete = false;
      break;
    }
  }
  summary.code = code.footprint();
  summary.data = data.footprint();
  for (auto& [number, use] : regions) {
    use.name = number < info.regions.size() ? info.regions[number] : std::to_string(number);
    summary.regions.push_back(use);
  }
  if (summary.records != 0)
    summary.bits_per_record =
        8.0 * static_cast<double>(info.stored_bytes) / static_cast<double>(summary.records);
  return summary;
}

}  // namespace mesim
