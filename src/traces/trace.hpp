// An opened trace: what is known of it, and its records as streams.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "traces/record.hpp"

namespace mesim {

// A named range of data addresses: a variable of the program, or a block of heap with its allocation site.
struct Symbol {
  std::uint64_t address = 0;
  std::uint64_t size_bytes = 0;
  std::string name;    // "counters", "heap: new in make_grid"
  std::string origin;  // "solver.cpp:31", or empty
};

struct TraceInfo {
  std::string path;         // as the user wrote it
  std::string format;       // "lackey", "din", "champsim", "mtr", "proc-rw", "per-core-rw", "per-core-012"
  std::string compression;  // "none", "gzip", "xz", "zstd", "bzip2"
  std::uint32_t threads = 1;
  std::uint64_t stored_bytes = 0;        // of the file or files
  std::optional<std::uint64_t> records;  // when the format states it; else known after reading
  std::vector<Symbol> symbols;           // sorted by address, not overlapping
  std::vector<std::string> notes;        // what the recorder could not see, in its own words
  std::string program;                   // what was recorded, or empty
  std::vector<std::string> regions;      // names of the regions of interest, by region number
};

// Records in order. Errors in the input are thrown from `next` with file and line or byte offset.
class RecordStream {
 public:
  virtual ~RecordStream() = default;
  // The next batch, valid until the next call; empty at the end, and again at each later call.
  virtual std::span<const Record> next() = 0;
};

class Trace {
 public:
  virtual ~Trace() = default;
  virtual const TraceInfo& info() const = 0;
  // All threads in the order of the file; each call starts anew.
  virtual std::unique_ptr<RecordStream> merged() = 0;
  // The records of one thread in program order; each call starts anew.
  virtual std::unique_ptr<RecordStream> thread(std::uint32_t index) = 0;
};

// Opens a trace file, or a folder of per-core files. `format` "auto" detects by content and stops with an
// error when two formats fit; any other value is a name of `trace_formats()`.
std::unique_ptr<Trace> open_trace(const std::string& path, const std::string& format = "auto");
std::vector<std::string> trace_formats();

// A trace that is already in memory: tests and generated workloads.
std::unique_ptr<Trace> memory_trace(TraceInfo info, std::vector<Record> records);

}  // namespace mesim
