// Many small jobs, each in a process of its own, so that one that crashes, hangs or eats memory takes nothing
// else with it. Children are forks: they find everything planned in memory and start in a millisecond.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>

namespace mesim {

// Of each child; 0: none.
struct ProcessLimits {
  std::uint64_t cpu_seconds = 0;
  std::uint64_t memory_bytes = 0;  // of address space
};

// How a child ended: its exit status, or the signal that killed it.
struct ProcessEnd {
  int status = 0;
  int signal = 0;
};

struct ProcessPool {
  std::size_t jobs = 1;  // children at the same time
  ProcessLimits limits;
  std::function<int(std::size_t)> body;                // in the child; returns its exit status
  std::function<bool(std::size_t, ProcessEnd)> ended;  // in the parent; true: run this job once more
  std::function<bool()> keep_going;  // asked several times a second; false ends the children by SIGTERM

  // Runs jobs 0 to count - 1. Children die with the parent. True if all were run; throws file_error if no
  // process can be made.
  bool run(std::size_t count) const;
};

}  // namespace mesim
