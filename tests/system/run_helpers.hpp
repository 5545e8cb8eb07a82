// Short ways to run a config in a test.
#pragma once
#include <string>
#include <vector>

#include "sim/config_reader.hpp"
#include "system/run.hpp"

namespace mesim::test {

class RunToTheEnd final : public RunWatch {
 public:
  bool keep_going(std::uint64_t) override { return true; }
};

// Stops the run at the first question.
class StopAtOnce final : public RunWatch {
 public:
  bool keep_going(std::uint64_t) override { return false; }
};

inline SystemConfig config_with(std::vector<std::string> overrides) {
  return read_config<SystemConfig>({"", std::move(overrides), {}});
}

inline RunResult run_with(std::vector<std::string> overrides) {
  RunToTheEnd watch;
  return run_system(config_with(std::move(overrides)), "test", watch).result;
}

}  // namespace mesim::test
