// A program as a source of records for cores that wait for every access: the next record of a thread is
// computed when the core asks for it, that is when the access before is over. Values are read and written at
// that moment, in the order in which accesses end; on a bus that carries one transaction at a time this is
// the order in which the caches served them.
#pragma once
#include <memory>

#include "cores/program/data_memory.hpp"
#include "cores/program/program.hpp"
#include "cores/program/reservations.hpp"
#include "traces/trace.hpp"

namespace mesim {

// What the threads of a program share.
struct ProgramWorld {
  DataMemory memory;
  Reservations reservations;
  std::uint64_t failed_store_conditionals = 0;
};

class ProgramTrace final : public Trace {
 public:
  // `program` outlives the trace and its streams. Lines of `line_bytes` are what a load-linked reserves.
  ProgramTrace(const Program& program, std::uint32_t threads, std::uint32_t line_bytes);

  const TraceInfo& info() const override { return info_; }
  // Throws std::logic_error: a program has no order of its own.
  std::unique_ptr<RecordStream> merged() override;
  // Threads are asked for in order; thread 0 begins the program anew. Streams throw what ProgramThread
  // throws.
  std::unique_ptr<RecordStream> thread(std::uint32_t index) override;

  const ProgramWorld& world() const { return *world_; }  // as the accesses so far left it

 private:
  const Program& program_;
  TraceInfo info_;
  std::uint32_t line_bytes_;
  std::shared_ptr<ProgramWorld> world_;
};

}  // namespace mesim
