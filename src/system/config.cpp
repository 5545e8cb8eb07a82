#include "system/config.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "coherence/functional_bus.hpp"
#include "memory/dram/request_source.hpp"
#include "system/ideal.hpp"
#include "system/patterns.hpp"
#include "traces/trace.hpp"

namespace mesim {
namespace {

std::string lines_differ(const char* cache, std::uint32_t found, std::uint32_t l1d) {
  return fmt::format("{}.line_bytes is {}, l1d.line_bytes is {}: all caches have lines of one size", cache,
                     found, l1d);
}

bool is_request_pattern(const std::string& name) {
  const auto& names = dram::request_pattern_names();
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

void OptionalCacheConfig::fields(Fields& f) {
  f.flag("enabled", enabled, "whether the machine has this cache");
  CacheConfig::fields(f);
}

void LastLevelConfig::fields(Fields& f) {
  OptionalCacheConfig::fields(f);
  f.choice(
      "inclusion", inclusion, {"auto", "inclusive", "non_inclusive", "exclusive"},
      "of what the private caches hold: all of it (what the last level evicts is taken back from them), no "
      "matter what, or nothing (it holds what they gave up, and a line that they get leaves it). auto: "
      "inclusive "
      "with a directory, non_inclusive on a bus");
}

std::string SystemConfig::inclusion() const {
  if (!llc.enabled) return "non_inclusive";
  if (llc.inclusion != "auto") return llc.inclusion;
  return coherence.interconnect == "directory" ? "inclusive" : "non_inclusive";
}

SystemConfig::SystemConfig() {
  l2.size_bytes = 256 * KiB;
  llc.size_bytes = 2 * MiB;
  llc.ways = 16;
}

void CoresConfig::fields(Fields& f) {
  f.integer("count", count,
            {.min = 1,
             .max = FunctionalBus::max_cores,
             .unit = "cores",
             .help = "cores, each with its own first-level caches"});
  f.number(
      "clock_mhz", clock_mhz,
      {.min = 1, .max = 100'000, .unit = "MHz", .help = "the cores' clock, in which a timed run counts"});
  CoreConfig::fields(f);
  f.integer("synchronisation_cycles", synchronisation_cycles,
            {.min = 1,
             .max = 10'000,
             .unit = "cycles",
             .help = "from a core to the part through which threads wait for each other, and back"});
}

void HomesConfig::fields(Fields& f) {
  f.integer("count", count,
            {.min = 1,
             .max = 64,
             .power_of_two = true,
             .unit = "homes",
             .help = "lines are dealt out to them in turn"});
  HomeConfig::fields(f);
}

void WorkloadConfig::fields(Fields& f) {
  std::vector<std::string> formats = trace_formats();
  formats.insert(formats.begin(), "auto");
  f.path("path", path,
         "a trace file, or a folder of per-core files; without it the pattern below runs. Relative to the "
         "working "
         "directory when given on the command line, else to the config file");
  f.choice("format", format, formats, "the trace's format; auto looks at its content");
  f.integer("limit", limit, {.unit = "records", .help = "records of each thread, 0 for all"});
  f.integer(
      "copies", copies,
      {.min = 1, .max = 64, .help = "copies of the trace at disjoint addresses, each with its own threads"});
  f.integer("spread", spread,
            {.min = 1,
             .max = 64,
             .unit = "threads",
             .help = "threads to which a trace of one thread is dealt out"});
  f.integer("spread_chunk", spread_chunk,
            {.min = 1, .unit = "records", .help = "records dealt to a thread at a time"});
  f.choice(
      "region", region, {"whole", "marked"},
      "what counts: the whole workload, or only the regions of interest that the program marks with "
      "mesim_region_begin and mesim_region_end; the caches are warm from what comes before. With a directory "
      "or a split bus: the first region, and what comes before takes no time");
  f.integer(
      "warm_up", warm_up,
      {.unit = "records",
       .help = "timed runs: records of each thread that are performed without time first, so that caches "
               "are warm; what is counted begins behind them"});
  f.path("program", program,
         "a program that every core runs: the name of one in configs/programs, or the path of a file "
         "(docs/programs.md)");
  f.text_list("code", code, "the lines of a program that stands in the config itself");
  f.text_list("parameters", parameters,
              "parameters of the program with other values than its text gives: "
              "\"rounds=100\"");
  f.require("warm_up", warm_up == 0 || (program.empty() && code.empty()),
            [] { return std::string("a program computes what it does as it goes; expected no warm_up"); });
  const int sources = !path.empty() + !program.empty() + !code.empty();
  f.require(program.empty() ? "code" : "program", sources < 2,
            [] { return std::string("found two workloads, expected one of path, program and code"); });
  std::vector<std::string> patterns = pattern_names();
  const auto& requests_of_memory = dram::request_pattern_names();
  patterns.insert(patterns.end(), requests_of_memory.begin(), requests_of_memory.end());
  f.choice(
      "pattern", pattern, patterns,
      "what each core does when no path or program is given; with order=memory what is asked of the memory: "
      "stream: sequential reads; mixed: the same, every third a write; random: reads anywhere; sparse: "
      "random, "
      "one per interval; chase: random, each after the answer to the last");
  f.integer("rounds", rounds, {.min = 1, .max = 10'000'000, .help = "how often the pattern repeats"});
  f.integer("stride_bytes", stride_bytes,
            {.min = 4,
             .max = 1 << 20,
             .unit = "bytes",
             .help = "patterns counters and stores: distance between the cores' counters; a line or more "
                     "keeps them apart"});
  f.integer("requests", requests,
            {.min = 1,
             .max = 100'000'000'000,
             .unit = "requests",
             .help = "order=memory: how many the pattern makes"});
  f.integer("request_bytes", request_bytes,
            {.min = 1, .max = 1 << 20, .unit = "bytes", .help = "order=memory: of one request"});
  f.integer("request_stride_bytes", request_stride_bytes,
            {.max = std::uint64_t{1} << 40,
             .unit = "bytes",
             .help = "stream, mixed: from the begin of one request to the next; 0: request_bytes"});
  f.integer(
      "outstanding", outstanding,
      {.max = 65536,
       .unit = "requests",
       .help = "order=memory: a request begins when all but so many less one before it are answered; 0: "
               "when a queue has room"});
  f.integer("span_bytes", span_bytes,
            {.min = 64,
             .max = std::uint64_t{1} << 48,
             .unit = "bytes",
             .help = "random, sparse, chase: addresses below"});
  f.number(
      "interval_ns", interval_ns,
      {.max = 1e9, .unit = "ns", .help = "order=memory: between two requests at least; 0: none, sparse 200"});
  f.integer(
      "write_every", write_every,
      {.max = 1'000'000, .help = "order=memory: every so manieth request is a write; 0: none, mixed 3"});
  OperatorConfig::fields(f);
  f.require("span_bytes", span_bytes >= request_bytes, [this] {
    return fmt::format("found {}, expected at least request_bytes {}", span_bytes, request_bytes);
  });
}

void ReportConfig::fields(Fields& f) {
  f.integer("top_lines", top_lines,
            {.max = 1000, .unit = "lines", .help = "shared lines listed in the result"});
  f.flag("traffic", traffic,
         "timed runs with a directory: who sent how much to whom, and how full each link was, in the result");
  f.flag("misses", misses, "timed runs: how long misses took, by where they were answered, in the result");
  f.integer("first_events", first_events,
            {.max = 10'000,
             .help = "misses of a timed run, or commands of a memory by itself, drawn from its beginning"});
}

void SystemConfig::fields(Fields& f) {
  f.text("name", name, "the run's name, also of its folder under results/runs");
  f.require("name", !name.starts_with('.') && name.find('/') == std::string::npos, [this] {
    return fmt::format("found '{}', expected a name for a folder: no '/', no '.' in front", name);
  });
  f.integer("seed", seed, {.help = "of every random choice"});
  f.choice(
      "order", order, {"serial", "round_robin", "timed", "memory", "accelerator"},
      "serial: records in the order of the trace; round_robin: one reference per core per turn; timed: "
      "by the cycle; memory: no cores and no caches, requests go straight to memory; accelerator: no cores "
      "and no caches, an accelerator runs operators");
  f.choice("ideal", ideal, ideal_names(),
           "a component that costs no time, to see what it costs otherwise; timed runs only");
  f.require("ideal", ideal == "none" || order == "timed", [this] {
    return "found '" + ideal + "' with order " + order + ", which has no time; expected order timed";
  });
  f.object("cores", cores, "the cores");
  f.object("l1d", l1d, "each core's first-level data cache");
  f.object("l1i", l1i, "each core's first-level instruction cache");
  f.object("l2", l2, "each core's private second-level cache; timed runs with a directory only");
  f.object("llc", llc, "the last-level cache that all cores share; with a directory dealt out to the homes");
  f.object("private_caches", private_caches,
           "latencies and buffers of the private caches in timed runs with a directory");
  f.object("homes", homes, "the homes of a directory");
  f.object("dma", dma, "devices that read and write memory beside the cores; timed directory only");
  f.object("network", network, "what carries messages between cores and homes of a directory");
  f.object("memory", memory, "the memory behind the homes, or by itself with order=memory");
  f.object("accel", accel, "the accelerator of order=accelerator: systolic arrays with buffers and DMA");
  f.object("coherence", coherence, "how the caches agree");
  f.object("model", model, "order=accelerator: a network, whose operators it runs one after another");
  f.object("workload", workload, "what the cores do");
  f.object("technology", technology, "energy of one event");
  f.object("report", report, "what the report lists");
  f.require("l1i", !l1i.enabled || l1i.line_bytes == l1d.line_bytes,
            [this] { return lines_differ("l1i", l1i.line_bytes, l1d.line_bytes); });
  f.require("llc", !llc.enabled || llc.line_bytes == l1d.line_bytes,
            [this] { return lines_differ("llc", llc.line_bytes, l1d.line_bytes); });
  f.require("l2", !l2.enabled || l2.line_bytes == l1d.line_bytes,
            [this] { return lines_differ("l2", l2.line_bytes, l1d.line_bytes); });
  f.require("workload/warm_up", workload.warm_up == 0 || order == "timed", [this] {
    return fmt::format("{} with order {}, in which nothing has time; expected order timed", workload.warm_up,
                       order);
  });
  f.require("workload", (order == "memory") == is_request_pattern(workload.pattern) || !workload.path.empty(),
            [this] {
              return fmt::format(
                  "the pattern is '{}' with order '{}', expected one of {}", workload.pattern, order,
                  fmt::join(order == "memory" ? dram::request_pattern_names() : pattern_names(), ", "));
            });
  f.require("memory", order != "memory" || memory.is_dram(), [] {
    return std::string("the model is 'fixed' with order 'memory', expected a DRAM: memory.preset=ddr4-3200");
  });
  const bool tiles = order == "accelerator" && accel.dma.memory == "dram";
  const bool has_memory_port =
      tiles || order == "memory" || (order == "timed" && coherence.interconnect != "bus");
  f.require("memory", has_memory_port || !memory.is_dram(), [this] {
    return fmt::format(
        "the memory is DRAM with order '{}' and interconnect '{}', expected order timed with a "
        "directory or a split bus, order memory, or an accelerator with accel.dma.memory=dram",
        order, coherence.interconnect);
  });
  f.require("memory", order != "timed" || memory.model != "stream", [] {
    return std::string(
        "the model 'stream' moves tiles, not lines; expected 'cycle' or 'fixed' behind caches");
  });
  f.require("llc", coherence.interconnect != "split_bus" || inclusion() == "non_inclusive", [this] {
    return fmt::format("inclusion is '{}' on a split bus, expected 'non_inclusive'", llc.inclusion);
  });
  f.require("llc", inclusion() != "exclusive" || homes.writebacks == "allocate", [] {
    return std::string(
        "an exclusive last level is filled by what is written back; expected homes.writebacks 'allocate'");
  });
  const bool homes_in_time = order == "timed" && coherence.interconnect == "directory";
  const bool program = !workload.program.empty() || !workload.code.empty();
  f.require("network", network.memory_routers.empty() || homes_in_time, [] {
    return std::string(
        "memory controllers are nodes of the network only of a timed directory; expected no memory_routers");
  });
  f.require("dma", dma.count == 0 || (homes_in_time && !program), [this] {
    return fmt::format("{} devices need a timed directory that replays a trace or a pattern", dma.count);
  });
  const bool untimed = order == "serial" || order == "round_robin";
  f.require("private_caches", !private_caches.prefetcher.enabled() || homes_in_time || untimed, [this] {
    return fmt::format(
        "prefetcher.kind is '{}' on a bus in time, expected 'none' but on a timed directory or in an "
        "order without time",
        private_caches.prefetcher.kind);
  });
  f.require("private_caches", !private_caches.prefetcher.enabled() || !untimed || workload.region == "whole",
            [] {
              return std::string(
                  "a prefetcher without time counts the whole workload; expected workload.region 'whole'");
            });
  f.require("private_caches", private_caches.l1_writes == "back" || l2.enabled, [this] {
    return fmt::format("l1_writes is '{}' without a private L2 to write to, expected 'back'",
                       private_caches.l1_writes);
  });
  f.require("model", model.empty() || (order == "accelerator" && workload.path.empty()), [this] {
    return workload.path.empty()
               ? fmt::format("a network with order '{}', expected order 'accelerator'", order)
               : std::string("a network beside workload.path, expected one of them");
  });
  f.list("expect", expect, "what the result must be; a miss gives exit status 1");
}

}  // namespace mesim
