// How a replay wants a trace reshaped. Each function wraps a trace in another one; records are read from the
// wrapped trace as they are asked for.
#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "traces/trace.hpp"

namespace mesim {

// The first `records` records of each thread; the merged order loses the others. A thread ends earlier at a
// wait whose signal the limit has cut off, and the notes say so. A trace of several threads is read once for
// that.
std::unique_ptr<Trace> limit_records(std::unique_ptr<Trace> trace, std::uint64_t records);

// `copies` copies of the trace, each with threads of its own and at addresses that no other copy touches:
// copy c lies `c * spacing` higher, where `spacing` is the power of two above the highest address of the
// trace (found by reading it once). Synchronisation objects move too, so copies do not wait for each other.
// The merged order takes the copies' records in turn.
std::unique_ptr<Trace> copy_trace(std::unique_ptr<Trace> trace, std::uint32_t copies);

// A trace of one thread dealt out to `threads` threads, `chunk` records at a time: record i goes to thread
// (i / chunk) % threads, in the merged order of the trace.
std::unique_ptr<Trace> spread_trace(std::unique_ptr<Trace> trace, std::uint32_t threads, std::uint64_t chunk);

// The wanted shape as config gives it; zero or one leaves the trace as it is. Applied in the order: spread,
// limit, copies.
struct TraceShape {
  std::uint64_t limit = 0;  // records of each thread, 0 = all
  std::uint32_t copies = 1;
  std::uint32_t spread = 1;          // threads
  std::uint64_t spread_chunk = 100;  // records
};
std::unique_ptr<Trace> shape_trace(std::unique_ptr<Trace> trace, const TraceShape& shape);

// For the report: empty if `got` reaches `asked` (0 = everything), else a sentence that says so.
std::string shorter_than_asked(const std::string& path, std::uint64_t asked, std::uint64_t got);

}  // namespace mesim
