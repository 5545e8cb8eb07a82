// The whole machine as a config describes it. `order` says how the cores' references are interleaved: without
// time (serial, round_robin) or by the cycle (timed); with `memory` there are no cores, and requests go
// straight to the memory; with `accelerator` there are none either, and an accelerator runs operators.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "accel/accelerator_config.hpp"
#include "accel/operator_config.hpp"
#include "cache/cache_config.hpp"
#include "coherence/coherence_config.hpp"
#include "coherence/directory_home.hpp"
#include "coherence/private_caches.hpp"
#include "cores/core_config.hpp"
#include "cores/dma_source.hpp"
#include "memory/memory_config.hpp"
#include "network/network_config.hpp"
#include "sim/expect.hpp"
#include "sim/fields.hpp"
#include "sim/technology.hpp"
#include "traces/operators/model_config.hpp"

namespace mesim {

// A cache that a machine may do without.
struct OptionalCacheConfig : CacheConfig {
  bool enabled = false;

  void fields(Fields& f);
};

// The last level: `inclusion` by name, "auto" for what the machine has by default.
struct LastLevelConfig : OptionalCacheConfig {
  std::string inclusion = "auto";

  void fields(Fields& f);
};

// The cores; what follows `clock_mhz` is used by timed runs with a directory.
struct CoresConfig : CoreConfig {
  std::uint32_t count = 4;
  double clock_mhz = 2000;
  std::uint32_t synchronisation_cycles = 20;

  void fields(Fields& f);
};

// What the cores do: a recorded trace, a program, or a small pattern whose counts are known by hand.
struct WorkloadConfig : accel::OperatorConfig {
  InputPath path;
  std::string format = "auto";
  std::uint64_t limit = 0;
  std::uint32_t copies = 1;
  std::uint32_t spread = 1;
  std::uint64_t spread_chunk = 100;
  std::string region = "whole";
  std::uint64_t warm_up = 0;

  InputPath program;
  std::vector<std::string> code;
  std::vector<std::string> parameters;

  std::string pattern = "counters";
  std::uint64_t rounds = 1000;
  std::uint32_t stride_bytes = 4;

  // Of order=memory, and of its patterns.
  std::uint64_t requests = 1'000'000;
  std::uint32_t request_bytes = 64;
  std::uint64_t request_stride_bytes = 0;
  std::uint32_t outstanding = 0;
  std::uint64_t span_bytes = GiB;
  double interval_ns = 0;
  std::uint32_t write_every = 0;

  void fields(Fields& f);
};

// The homes of a directory, each with a slice of the last level.
struct HomesConfig : HomeConfig {
  std::uint32_t count = 4;

  void fields(Fields& f);
};

struct ReportConfig {
  std::uint32_t top_lines = 10;
  bool traffic = true;
  bool misses = true;
  std::uint32_t first_events = 100;

  void fields(Fields& f);
};

struct SystemConfig {
  SystemConfig();

  std::string name = "run";
  std::uint64_t seed = 1;
  std::string order = "round_robin";
  std::string ideal = "none";
  CoresConfig cores;
  CacheConfig l1d;
  OptionalCacheConfig l1i;
  OptionalCacheConfig l2;
  LastLevelConfig llc;
  PrivateCachesConfig private_caches;  // their latencies and buffers
  HomesConfig homes;
  DmaConfig dma;
  NetworkConfig network;
  MemoryConfig memory;
  accel::AcceleratorConfig accel;
  CoherenceConfig coherence;
  ModelConfig model;
  WorkloadConfig workload;
  TechnologyConfig technology;
  ReportConfig report;
  std::vector<Expectation> expect;

  // Of the last level: "inclusive", "non_inclusive" or "exclusive"; the latter two also for a machine
  // without.
  std::string inclusion() const;

  void fields(Fields& f);
};

}  // namespace mesim
