#include "system/cache_simulation.hpp"

#include <array>

namespace mesim {
namespace {

using KindTable = std::array<CountedAccess, 256>;

// cachegrind counts a modify, and so whatever reads and writes at once, as one read.
KindTable kind_table(bool split_modify) {
  KindTable table;
  table.fill(CountedAccess::none);
  for (int i = 0; i < 256; ++i) {
    const auto kind = static_cast<RecordKind>(i);
    CountedAccess& access = table[static_cast<std::size_t>(i)];
    if (kind == RecordKind::fetch) {
      access = CountedAccess::fetch;
    } else if (is_memory(kind) && is_read(kind)) {
      access = is_write(kind) && split_modify ? CountedAccess::read_write : CountedAccess::read;
    } else if (is_memory(kind)) {
      access = CountedAccess::write;
    }
  }
  return table;
}

}  // namespace

CacheSimulation simulate_caches(Trace& trace, const FunctionalConfig& config, RunWatch& watch) {
  const KindTable kinds = kind_table(config.split_modify);
  CacheSimulation result;
  const auto records = trace.merged();
  result.counts = with_functional_caches(config, 0, [&](auto& caches) {
    for (auto batch = records->next(); !batch.empty(); batch = records->next()) {
      caches.run(batch, [&](const Record& record) { return kinds[static_cast<std::size_t>(record.kind)]; });
      result.records += batch.size();
      if (!watch.keep_going(result.records)) {
        result.complete = false;
        break;
      }
    }
    return caches.counts();
  });
  return result;
}

}  // namespace mesim
