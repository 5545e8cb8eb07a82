// Records a program from its sources: builds, runs, writes the trace.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "traces/recording/program_build.hpp"
#include "traces/recording/trace_maker.hpp"

namespace mesim {

struct RecordRequest {
  ProgramSources program;
  std::vector<std::string> arguments;  // of the program
  std::string output_path;
  // Other instructions for each recorded access. About a third of the instructions of compiled programs are
  // loads and stores (Hennessy and Patterson, Computer Architecture: A Quantitative Approach, appendix A:
  // instruction mix of SPEC on RISC), so two others.
  std::uint64_t instructions_per_access = 2;
};

struct RecordResult {
  MadeTrace trace;
  int program_exit_status = 0;
};

// The program's standard output goes to standard error. Throws Error(bad_input) when the program does not
// compile or is ended by a signal; nothing is written then.
RecordResult record_program(const RecordRequest& request);

}  // namespace mesim
