// mesim trace cachesim TRACE --I1=SIZE,WAYS,LINE --D1=... --LL=...
#include <algorithm>
#include <ctime>
#include <memory>

#include "app/commands/commands.hpp"
#include "app/progress.hpp"
#include "app/stop_signals.hpp"
#include "app/text_table.hpp"
#include "app/trace_format_option.hpp"
#include "cache/cache_argument.hpp"
#include "sim/config_writer.hpp"
#include "sim/result.hpp"
#include "system/cache_simulation.hpp"

namespace mesim {
namespace {

struct CachesimArguments {
  std::string trace, format = "auto", i1, d1, ll, progress = "auto";
  FunctionalConfig config;
  bool json = false;
};

using Kinds = std::array<AccessCounts, access_kinds>;

// A row of the table: the sum, then fetches, reads, writes.
template <class Cell>
void add_row(TextTable& table, const std::string& label, Cell cell, const Kinds& kinds) {
  const auto& [fetches, reads, writes] = kinds;
  table.row({label, cell(fetches + reads + writes), cell(fetches), cell(reads), cell(writes)});
}

void add_counts(TextTable& table, const std::string& label, const Kinds& kinds,
                std::uint64_t AccessCounts::*member) {
  add_row(
      table, label, [&](const AccessCounts& counts) { return with_commas(counts.*member); }, kinds);
}

void add_misses(TextTable& table, const std::string& cache, const Kinds& kinds, bool classified) {
  add_counts(table, cache + " misses", kinds, &AccessCounts::misses);
  if (!classified) return;
  add_counts(table, "  compulsory", kinds, &AccessCounts::compulsory);
  add_counts(table, "  capacity", kinds, &AccessCounts::capacity);
  add_counts(table, "  conflict", kinds, &AccessCounts::conflict);
}

// The misses of `kinds` in percent of `of`'s accesses.
void add_rates(TextTable& table, const std::string& label, Kinds kinds, const Kinds& of) {
  for (std::size_t kind = 0; kind < access_kinds; ++kind) kinds[kind].accesses = of[kind].accesses;
  const auto rate = [](const AccessCounts& counts) {
    const auto percent = 100 * static_cast<double>(counts.misses) / static_cast<double>(counts.accesses);
    return counts.accesses == 0 ? "-" : fmt::format("{:.2f} %", percent);
  };
  add_row(table, label, rate, kinds);
}

std::string cachesim_text(const CachesimArguments& arguments, const CacheSimulation& simulation) {
  const FunctionalConfig& config = arguments.config;
  const FunctionalCounts& counts = simulation.counts;
  TextTable table({"", "total", "instructions", "reads", "writes"});
  add_counts(table, "accesses", counts.first, &AccessCounts::accesses);
  add_misses(table, "I1, D1", counts.first, config.classify);
  add_rates(table, "  of accesses", counts.first, counts.first);
  add_misses(table, "LL", counts.last, config.classify);
  add_rates(table, "  of accesses", counts.last, counts.first);
  add_rates(table, "  of LL accesses", counts.last, counts.last);
  return fmt::format(
      "{}: {} records{}\n  I1 {}\n  D1 {}\n  LL {}\n\n{}\n{}", arguments.trace,
      with_commas(simulation.records), simulation.complete ? "" : ", stopped early",
      describe_cache(config.i1), describe_cache(config.d1), describe_cache(config.ll), table.text(),
      config.split_lines
          ? "An access that crosses lines counts once for each line.\n"
          : "An access that crosses lines counts once (cachegrind's rule; see --split-lines).\n");
}

nlohmann::ordered_json cachesim_document(const CachesimArguments& arguments, const TraceInfo& info,
                                         const CacheSimulation& simulation) {
  RunResult result;
  result.name = "cachesim";
  result.complete = simulation.complete;
  result.config = write_config(arguments.config);
  result.notes = info.notes;
  write_stats(simulation.counts, arguments.config.classify, result.stats);
  auto document = result_document(result);
  // Without the digest that other results give their inputs: it would take longer than the simulation.
  document["inputs"] = {
      {{"path", arguments.trace}, {"format", info.format}, {"records", simulation.records}}};
  return document;
}

// Interrupted, it prints what it has counted so far, marked incomplete.
Exit cachesim(CachesimArguments& arguments, Output& out) {
  arguments.config.i1 = parse_cache("--I1", arguments.i1);
  arguments.config.d1 = parse_cache("--D1", arguments.d1);
  arguments.config.ll = parse_cache("--LL", arguments.ll);
  const auto trace = open_trace(arguments.trace, arguments.format);
  const StopSignals stop;
  CacheSimulation simulation;
  const std::clock_t start = std::clock();
  {
    Progress progress(progress_style(arguments.progress), "cachesim", trace->info().records.value_or(0),
                      stop);
    simulation = simulate_caches(*trace, arguments.config, progress);
  }
  const double cpu_seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  out.write(arguments.json ? result_text(cachesim_document(arguments, trace->info(), simulation))
                           : cachesim_text(arguments, simulation));
  out.flush();
  if (!arguments.json) {
    fmt::print(stderr, "{} records in {:.2f} CPU s ({:.1f} M/s)\n", simulation.records, cpu_seconds,
               static_cast<double>(simulation.records) / 1e6 / std::max(cpu_seconds, 1e-6));
  }
  return simulation.complete ? Exit::ok : stop.status();
}

}  // namespace

Command trace_cachesim_command() {
  return {
      "trace cachesim",
      "count the misses of a trace in split first-level caches and a last level",
      {"mesim trace cachesim prog.mtr --I1=32K,8,64 --D1=32K,8,64 --LL=2M,16,64",
       "mesim trace cachesim prog.lackey.xz --D1=4K,2,64 --three-c --json"},
      [](Arguments& declare) {
        auto given = std::make_shared<CachesimArguments>();
        given->i1 = cache_argument(given->config.i1);
        given->d1 = cache_argument(given->config.d1);
        given->ll = cache_argument(given->config.ll);
        declare.positional("TRACE", given->trace, "a trace of any format that `trace info` knows");
        declare.option("--I1", given->i1, "SIZE,WAYS,LINE", "instruction cache, in bytes with K, M or G");
        declare.option("--D1", given->d1, "SIZE,WAYS,LINE", "data cache");
        declare.option("--LL", given->ll, "SIZE,WAYS,LINE", "last level");
        declare.flag("--split-lines", given->config.split_lines,
                     "count a line-crossing access once for each line (drcachesim, Dinero)");
        declare.flag("--split-modify", given->config.split_modify,
                     "count a modify as a read and a write (cache lab); otherwise it is one read");
        declare.flag("--three-c", given->config.classify,
                     "tell compulsory, capacity and conflict misses apart");
        trace_format_option(declare, given->format, "the trace's format, when its content fits several");
        declare.choice("--progress", given->progress, progress_names(), "progress on stderr");
        declare.flag("--json", given->json, "print the result document");
        return [given](Output& out) { return cachesim(*given, out); };
      },
      "SIZE,WAYS,LINE may be followed by a replacement policy: 32K,8,64,tree-plru. The rules are those of\n"
      "cachegrind: writes allocate, a modify is a read, an access that crosses lines is one access and one\n"
      "miss at most, LL is asked only after a miss, and nothing is written back to it.\n"};
}

}  // namespace mesim
