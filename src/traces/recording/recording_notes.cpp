#include "traces/recording/recording_notes.hpp"

namespace mesim {

std::vector<std::string> recording_notes(const RecordedRun& run, bool forked) {
  std::vector<std::string> notes = {
      "Recorded through the compiler's thread-sanitizer calls: code inside libraries (libc, libstdc++) is "
      "not seen, "
      "except mem*, str*, allocation and thread synchronisation called by the program.",
      "Local variables whose address does not escape give no records, nor do register spills and instruction "
      "fetches.",
      fmt::format("Instructions were not counted: each access stands for {} other instructions (gap).",
                  run.instructions_per_access),
      "Spins and waits of synchronisation are one look, made once what was waited for had happened.",
      "Atomics and lock words are real accesses; the merged order is a fair schedule that obeys the recorded "
      "waits.",
  };
  if (!run.addresses_fixed)
    notes.push_back(
        "Address randomisation could not be switched off on this system: another recording may place stacks "
        "and "
        "mapped memory at other offsets.");
  if (forked) notes.push_back("The program called fork; only its first process was recorded.");
  return notes;
}

}  // namespace mesim
