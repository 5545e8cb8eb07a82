#include "cache/functional_caches.hpp"

#include <fmt/format.h>

namespace mesim {

AccessCounts operator+(const AccessCounts& a, const AccessCounts& b) {
  return {.accesses = a.accesses + b.accesses,
          .misses = a.misses + b.misses,
          .compulsory = a.compulsory + b.compulsory,
          .capacity = a.capacity + b.capacity,
          .conflict = a.conflict + b.conflict};
}

void FunctionalConfig::fields(Fields& f) {
  f.object("I1", i1, "instruction cache");
  f.object("D1", d1, "data cache");
  f.object("LL", ll, "last level, behind both");
  f.flag("split_lines", split_lines, "count each line of a line-crossing access as an access of its own");
  f.flag("split_modify", split_modify, "count a modify as a read and a write; otherwise it is one read");
  f.flag("three_c", classify, "tell compulsory, capacity and conflict misses apart");
}

namespace {

// `name` is "read", "write" or "instruction".
void write_kind(std::string_view name, const AccessCounts& counts, StatWriter& out) {
  out.count(fmt::format("{}s", name), counts.accesses);
  out.count(fmt::format("{}_misses", name), counts.misses);
}

void write_sum(const AccessCounts& sum, std::uint64_t evictions, bool classified, StatWriter& out) {
  out.count("accesses", sum.accesses);
  out.count("hits", sum.accesses - sum.misses);
  out.count("misses", sum.misses);
  out.count("evictions", evictions);
  if (!classified) return;
  out.count("compulsory_misses", sum.compulsory);
  out.count("capacity_misses", sum.capacity);
  out.count("conflict_misses", sum.conflict);
}

}  // namespace

void write_stats(const FunctionalCounts& counts, bool classified, StatWriter& out) {
  const auto& [fetches, reads, writes] = counts.first;
  out.begin("I1");
  write_sum(fetches, counts.i1_evictions, classified, out);
  out.end();
  out.begin("D1");
  write_kind("read", reads, out);
  write_kind("write", writes, out);
  write_sum(reads + writes, counts.d1_evictions, classified, out);
  out.end();
  const auto& [ll_fetches, ll_reads, ll_writes] = counts.last;
  out.begin("LL");
  write_kind("instruction", ll_fetches, out);
  write_kind("read", ll_reads, out);
  write_kind("write", ll_writes, out);
  write_sum(ll_fetches + ll_reads + ll_writes, counts.ll_evictions, classified, out);
  out.end();
}

}  // namespace mesim
