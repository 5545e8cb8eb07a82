// Writes a trace in mesim's own format (.mtr, described in mtr_format.hpp).
#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "traces/record.hpp"
#include "traces/trace.hpp"

namespace mesim {

// What a trace says of itself beside its records.
struct TraceHeader {
  std::string program;               // what was recorded: a command line, or empty
  std::uint32_t threads = 0;         // at least this many; threads seen in the records raise it
  std::vector<Symbol> symbols;       // any order; sorted when written
  std::vector<std::string> notes;    // what the recorder could not see
  std::vector<std::string> regions;  // names of the regions of interest, by region number
};

// The file appears under `path` only when `close` has returned: the records go to a temporary file beside it,
// which is renamed at the end and removed if the writer is destroyed before. Errors: Exit::io with the path.
class TraceWriter {
 public:
  TraceWriter(const std::string& path, TraceHeader header);
  TraceWriter(const TraceWriter&) = delete;
  TraceWriter& operator=(const TraceWriter&) = delete;
  ~TraceWriter();

  // The header may still be completed (symbols, notes) until `close`.
  TraceHeader& header();
  // Records in merged order; each thread's records in its program order.
  void append(const Record& record) { append(std::span<const Record>(&record, 1)); }
  void append(std::span<const Record> records);
  void close();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace mesim
