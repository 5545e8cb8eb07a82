#include "app/timeline_choice.hpp"

#include <fmt/format.h>

#include <charconv>

#include "sim/error.hpp"

namespace mesim {
namespace {

[[noreturn]] void window_error(const std::string& window) {
  throw bad_input(
      {"--timeline-window"},
      fmt::format("found '{}', expected two cycles as 1000:2000, the first below the second; either "
                  "may be left out",
                  window));
}

void read_window(const std::string& text, TimelineOptions& options) {
  if (text.empty()) return;
  const auto colon = text.find(':');
  if (colon == std::string::npos) window_error(text);
  const auto number = [&](std::string_view part, Cycles otherwise) {
    if (part.empty()) return otherwise;
    Cycles value = 0;
    const auto [end, fault] = std::from_chars(part.data(), part.data() + part.size(), value);
    if (fault != std::errc() || end != part.data() + part.size()) window_error(text);
    return value;
  };
  options.from = number(std::string_view(text).substr(0, colon), 0);
  options.until = number(std::string_view(text).substr(colon + 1), never);
  if (options.from >= options.until) window_error(text);
}

}  // namespace

void declare_timeline(Arguments& arguments, TimelineChoice& choice) {
  arguments.option("--timeline", choice.file, "FILE",
                   "write what happened when: FILE.pftrace for ui.perfetto.dev, FILE.vcd for GTKWave");
  arguments.option("--timeline-window", choice.window, "A:B",
                   "only what touches the cycles from A up to B; either may be left out");
  arguments.integer("--timeline-sample", choice.sample,
                    {.min = 1, .max = 1'000'000, .help = "one in about how many misses goes into it"});
  arguments.integer(
      "--timeline-limit", choice.limit_mib,
      {.min = 1, .max = 65536, .unit = "MiB", .help = "MiB that its file may have; what follows is only counted"});
}

std::unique_ptr<Timeline> timeline_of(const TimelineChoice& choice, const SystemConfig& config,
                                      const std::string& source) {
  if (choice.file.empty()) return nullptr;
  if (config.order == "serial" || config.order == "round_robin") {
    throw bad_input(
        {source}, "/order",
        fmt::format("--timeline shows what happened when: found the order '{}', which has no time, "
                    "expected 'timed'",
                    config.order));
  }
  TimelineOptions options;
  read_window(choice.window, options);
  options.one_in = static_cast<std::uint32_t>(choice.sample);
  options.max_bytes = choice.limit_mib * MiB;
  return open_timeline(choice.file, options);
}

void keep_timeline(const TimelineChoice& choice, Timeline& timeline) {
  timeline.close();
  std::string text = fmt::format("timeline of {} events in {}", timeline.events(), choice.file);
  if (timeline.dropped() != 0) {
    text += fmt::format("; {} more did not fit into {} MiB, see --timeline-window and --timeline-limit",
                        timeline.dropped(), choice.limit_mib);
  }
  fmt::print(stderr, "{}\n", text);
}

}  // namespace mesim
