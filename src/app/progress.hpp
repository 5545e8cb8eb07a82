// Progress on stderr: a bar with the time left on a terminal, else a line every few seconds, else one JSON
// object a second (`--progress=json`), or nothing.
#pragma once
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "app/stop_signals.hpp"
#include "sim/run_watch.hpp"

namespace mesim {

enum class ProgressStyle { none, bar, lines, json };

// "auto" (a bar on a terminal, else lines), "bar", "lines", "json" or "none".
ProgressStyle progress_style(const std::string& name);
const std::vector<std::string>& progress_names();  // what it takes

class Progress final : public RunWatch {
 public:
  // `total` references (or other `units`) of the run called `name`, 0 if unknown.
  Progress(ProgressStyle style, std::string name, std::uint64_t total, const StopSignals& stop,
           std::string units = "references");
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() override;

  bool keep_going(std::uint64_t done) override;
  Timeline* timeline() override { return timeline_; }
  // The run also writes there.
  void write_to(Timeline* timeline) { timeline_ = timeline; }

 private:
  using Clock = std::chrono::steady_clock;
  void show(std::uint64_t done, double seconds);

  ProgressStyle style_;
  std::string name_;
  std::string units_;
  std::uint64_t total_;
  const StopSignals& stop_;
  Timeline* timeline_ = nullptr;
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_;
  bool bar_shown_ = false;
};

}  // namespace mesim
