// Makes the trace of a finished recording: orders the threads' logs, turns addresses into reproducible ones,
// finds names, writes the .mtr file.
//
// The merged order is a schedule of its own: threads take turns of `turn_records` records and obey the waits
// that the recording implies. It depends on the logs alone, so a program whose threads do the same in each
// run gives the same trace each time.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace mesim {

struct RecordedRun {
  std::string raw_folder;        // with the threads' logs
  std::string program;           // the executable
  std::string temporary_folder;  // for intermediate files
  std::string command_line;      // for the header
  bool addresses_fixed = false;  // it ran without address-space randomisation
  std::uint64_t instructions_per_access = 0;
};

struct MadeTrace {
  std::uint64_t threads = 0;
  std::uint64_t records = 0;
  std::uint64_t loads = 0, stores = 0, atomics = 0, waits = 0, signals = 0;
  std::vector<std::string> notes;
};

inline constexpr int turn_records = 64;

MadeTrace make_trace(const RecordedRun& run, const std::string& output_path);

}  // namespace mesim
