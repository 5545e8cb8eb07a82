// Records a program of tests/traces/programs and looks at its trace.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "tests/app/mesim_process.hpp"
#include "traces/trace.hpp"

namespace mesim::test {

struct RecordedProgram {
  TraceInfo info;
  std::vector<Record> merged;
  std::vector<std::vector<Record>> threads;

  // Accesses of a kind to a variable, by its symbol.
  std::uint64_t count(RecordKind kind, const std::string& symbol) const;
  std::uint64_t count(RecordKind kind) const;
  const Symbol& symbol(const std::string& name) const;  // whose name begins so; fails the test if none does
};

// Fails the test if the program does not record or ends with another status than `exit_status`.
RecordedProgram record(const std::string& program, int exit_status = 0,
                       const std::vector<std::string>& further = {});

// The records in an order in which every thread takes `turn` records, or fewer where it must wait. Empty if the
// waits leave it stuck. `seed` 0: threads in turn; else the next thread is drawn.
std::vector<Record> replay(const std::vector<std::vector<Record>>& threads, std::size_t turn, unsigned seed = 0);

// Whether a replay in each of several orders ends.
bool never_stuck(const RecordedProgram& program);

}  // namespace mesim::test
