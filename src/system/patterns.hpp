// Small workloads without a trace, whose counts follow from a few lines of arithmetic. They are the standard
// cases of a coherence lecture (Culler, Singh, Gupta, "Parallel Computer Architecture", 1998, chapter 5).
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "traces/trace.hpp"

namespace mesim {

// counters            each core increments (load and store in one turn) its own counter `rounds` times, the
//                     counters `stride_bytes` apart. Round-robin on an atomic bus, n cores in one line: MSI
//                     2 n rounds transactions, MESI one less; a line each: MSI 2 n, MESI n.
// stores              the same with stores alone: in one line n rounds transactions, a line each n, whatever
// the
//                     protocol.
// private             each core loads, then stores `rounds` lines of its own: MSI 2 n rounds, MESI n rounds.
// list                each core loads `rounds` lines of its own, each once in scattered order; every load
// needs
//                     the value of the one before, as the registers of its instruction say.
// table               the same loads, none of which needs another.
// migratory           the cores take turns to load and store one word: MSI 2 n rounds, MESI one less.
// producer_consumer   core 0 stores one word, then the others load it; n rounds transactions in all.
const std::vector<std::string>& pattern_names();

struct PatternShape {
  std::uint32_t cores = 4;
  std::uint64_t rounds = 1000;
  std::uint32_t stride_bytes = 4;
  std::uint32_t line_bytes = 64;
};

std::unique_ptr<Trace> pattern_trace(const std::string& pattern, const PatternShape& shape);

}  // namespace mesim
