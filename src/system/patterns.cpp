#include "system/patterns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <stdexcept>

namespace mesim {
namespace {

constexpr std::uint64_t code_base = 0x1000;
constexpr std::uint64_t data_base = 0x100000;
constexpr std::uint64_t sync_base = 0x10;  // synchronisation objects are names, not data
constexpr std::uint32_t word_bytes = 4;

Record access(RecordKind kind, std::uint64_t address) {
  Record r;
  r.kind = kind;
  r.address = address;
  r.size = word_bytes;
  return r;
}

Record sync(RecordKind kind, std::uint32_t core, std::uint64_t times) {
  Record r;
  r.kind = kind;
  r.address = sync_base + core;
  r.size = static_cast<std::uint32_t>(times);
  return r;
}

// A pattern: how many records a round of a core takes, and each of them.
struct Pattern {
  std::string name;
  std::uint32_t (*round_records)(const PatternShape&, std::uint32_t core);
  Record (*record)(const PatternShape&, std::uint32_t core, std::uint64_t round, std::uint32_t step);
  std::vector<Symbol> (*symbols)(const PatternShape&);
};

// An increment, the load and the store of one turn.
Record counters(const PatternShape& shape, std::uint32_t core, std::uint64_t, std::uint32_t) {
  return access(RecordKind::modify, data_base + std::uint64_t{core} * shape.stride_bytes);
}

// A store alone.
Record stores(const PatternShape& shape, std::uint32_t core, std::uint64_t, std::uint32_t) {
  return access(RecordKind::store, data_base + std::uint64_t{core} * shape.stride_bytes);
}

std::uint64_t private_region(const PatternShape& shape) { return shape.rounds * shape.line_bytes; }

Record private_lines(const PatternShape& shape, std::uint32_t core, std::uint64_t round, std::uint32_t step) {
  const std::uint64_t address = data_base + core * private_region(shape) + round * shape.line_bytes;
  return access(step == 0 ? RecordKind::load : RecordKind::store, address);
}

// A load each round, of lines in scattered order; its registers say whether it needs the one before.
Record scattered_load(const PatternShape& shape, std::uint32_t core, std::uint64_t round, std::uint32_t step,
                      bool needs_last) {
  if (step == 0) {
    Record r = access(RecordKind::fetch, code_base);
    r.pc = r.address;
    r.registers = {1, 0, static_cast<std::uint8_t>(needs_last ? 1 : 2)};
    return r;
  }
  std::uint64_t stride = shape.rounds * 5 / 8 | 1;
  while (std::gcd(stride, shape.rounds) != 1) stride += 2;  // every line once
  Record r = access(RecordKind::load, data_base + core * private_region(shape) +
                                          round * stride % shape.rounds * shape.line_bytes);
  r.pc = code_base;
  return r;
}
Record list(const PatternShape& shape, std::uint32_t core, std::uint64_t round, std::uint32_t step) {
  return scattered_load(shape, core, round, step, true);
}
Record table(const PatternShape& shape, std::uint32_t core, std::uint64_t round, std::uint32_t step) {
  return scattered_load(shape, core, round, step, false);
}

// Core c waits on object c, which the core before it signals.
Record migratory(const PatternShape& shape, std::uint32_t core, std::uint64_t round, std::uint32_t step) {
  switch (step) {
    case 0:
      return sync(RecordKind::wait, core, round + (core > 0 ? 1 : 0));
    case 1:
      return access(RecordKind::load, data_base);
    case 2:
      return access(RecordKind::store, data_base);
    default:
      return sync(RecordKind::signal, (core + 1) % shape.cores, 1);
  }
}

// Core 0 waits for all readers of the round before; reader c waits on object c.
Record producer_consumer(const PatternShape& shape, std::uint32_t core, std::uint64_t round,
                         std::uint32_t step) {
  if (core == 0) {
    if (step == 0) return sync(RecordKind::wait, 0, round * (shape.cores - 1));
    if (step == 1) return access(RecordKind::store, data_base);
    return sync(RecordKind::signal, step - 1, 1);
  }
  if (step == 0) return sync(RecordKind::wait, core, round + 1);
  if (step == 1) return access(RecordKind::load, data_base);
  return sync(RecordKind::signal, 0, 1);
}

std::vector<Symbol> one_word(const PatternShape&) { return {{data_base, word_bytes, "word", ""}}; }

std::vector<Symbol> each_core(const PatternShape& shape, const char* name, std::uint64_t distance,
                              std::uint64_t size) {
  std::vector<Symbol> symbols;
  for (std::uint32_t core = 0; core < shape.cores; ++core) {
    symbols.push_back({data_base + core * distance, size, fmt::format("{}[{}]", name, core), ""});
  }
  return symbols;
}

const std::array<Pattern, 7>& patterns() {
  static const std::array<Pattern, 7> all = {{
      {"counters", [](const PatternShape&, std::uint32_t) { return 1U; }, counters,
       [](const PatternShape& s) { return each_core(s, "counter", s.stride_bytes, word_bytes); }},
      {"stores", [](const PatternShape&, std::uint32_t) { return 1U; }, stores,
       [](const PatternShape& s) { return each_core(s, "counter", s.stride_bytes, word_bytes); }},
      {"private", [](const PatternShape&, std::uint32_t) { return 2U; }, private_lines,
       [](const PatternShape& s) { return each_core(s, "block", private_region(s), private_region(s)); }},
      {"list", [](const PatternShape&, std::uint32_t) { return 2U; }, list,
       [](const PatternShape& s) { return each_core(s, "list", private_region(s), private_region(s)); }},
      {"table", [](const PatternShape&, std::uint32_t) { return 2U; }, table,
       [](const PatternShape& s) { return each_core(s, "table", private_region(s), private_region(s)); }},
      {"migratory", [](const PatternShape&, std::uint32_t) { return 4U; }, migratory, one_word},
      {"producer_consumer",
       [](const PatternShape& s, std::uint32_t core) { return core == 0 ? s.cores + 1 : 3U; },
       producer_consumer, one_word},
  }};
  return all;
}

// The records of cores [first, last), one of each in turn. Among several cores a wait holds its core back
// until the signals are there, so that the order of the stream is one that could have happened; in a stream
// of one core whoever replays it does the waiting.
class PatternStream final : public RecordStream {
 public:
  PatternStream(const Pattern& pattern, const PatternShape& shape, std::uint32_t first, std::uint32_t last)
      : pattern_(pattern), shape_(shape), first_(first), position_(last - first), signalled_(shape.cores) {}

  std::span<const Record> next() override {
    buffer_.clear();
    while (buffer_.size() < batch && turn()) {
    }
    return buffer_;
  }

 private:
  struct Position {
    std::uint64_t round = 0;
    std::uint32_t step = 0;
  };
  static constexpr std::size_t batch = 4096;

  // One record of each core that has any left and need not wait.
  bool turn() {
    const std::size_t before = buffer_.size();
    for (std::uint32_t i = 0; i < position_.size(); ++i) {
      Position& at = position_[i];
      if (at.round == shape_.rounds) continue;
      const std::uint32_t core = first_ + i;
      Record record = pattern_.record(shape_, core, at.round, at.step);
      if (must_wait(record)) continue;
      record.thread = static_cast<std::uint16_t>(core);
      buffer_.push_back(record);
      if (++at.step == pattern_.round_records(shape_, core)) at = {at.round + 1, 0};
    }
    return buffer_.size() > before;
  }

  bool must_wait(const Record& record) {
    if (position_.size() == 1) return false;
    if (record.kind == RecordKind::signal) ++signalled_[record.address - sync_base];
    return record.kind == RecordKind::wait && signalled_[record.address - sync_base] < record.size;
  }

  const Pattern& pattern_;
  PatternShape shape_;
  std::uint32_t first_;
  std::vector<Position> position_;
  std::vector<std::uint64_t> signalled_;  // by object
  std::vector<Record> buffer_;
};

class PatternTrace final : public Trace {
 public:
  PatternTrace(const Pattern& pattern, const PatternShape& shape) : pattern_(pattern), shape_(shape) {
    info_.path = "pattern:" + pattern.name;
    info_.format = "pattern";
    info_.compression = "none";
    info_.threads = shape.cores;
    info_.symbols = pattern.symbols(shape);
    std::uint64_t records = 0;
    for (std::uint32_t core = 0; core < shape.cores; ++core)
      records += shape.rounds * pattern.round_records(shape, core);
    info_.records = records;
  }

  const TraceInfo& info() const override { return info_; }
  std::unique_ptr<RecordStream> merged() override {
    return std::make_unique<PatternStream>(pattern_, shape_, 0, shape_.cores);
  }
  std::unique_ptr<RecordStream> thread(std::uint32_t index) override {
    return std::make_unique<PatternStream>(pattern_, shape_, index, index + 1);
  }

 private:
  const Pattern& pattern_;
  PatternShape shape_;
  TraceInfo info_;
};

}  // namespace

const std::vector<std::string>& pattern_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const Pattern& p : patterns()) list.push_back(p.name);
    return list;
  }();
  return names;
}

std::unique_ptr<Trace> pattern_trace(const std::string& pattern, const PatternShape& shape) {
  for (const Pattern& p : patterns()) {
    if (p.name == pattern) return std::make_unique<PatternTrace>(p, shape);
  }
  throw std::invalid_argument("no workload pattern '" + pattern + "'");
}

}  // namespace mesim
