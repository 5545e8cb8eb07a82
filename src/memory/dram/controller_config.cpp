#include "memory/dram/controller_config.hpp"

#include <fmt/format.h>

namespace mesim {

void DramControllerConfig::fields(Fields& f) {
  f.choice(
      "scheduler", scheduler, {"fr-fcfs", "fr-fcfs-cap", "fcfs", "fcfs-lookahead"},
      "fr-fcfs: in a bank row hits first, of all commands that are ready the oldest request's (Rixner et "
      "al., "
      "ISCA 2000); fr-fcfs-cap: the same, but so many row hits pass an older request of their bank at most "
      "(Mutlu and Moscibroda, MICRO 2007); fcfs: the oldest request's alone; fcfs-lookahead: data and "
      "activations each in the order of the requests, rows closed ahead");
  f.integer("row_hit_cap", row_hit_cap,
            {.min = 1, .max = 1024, .help = "row hits that pass an older request"});
  f.integer(
      "decision_cycles", decision_cycles,
      {.max = 1, .unit = "clocks", .help = "from a request's arrival until it is scheduled at the earliest"});
  f.integer("read_queue", read_queue, {.min = 1, .max = 64, .unit = "bursts", .help = "of each controller"});
  f.integer("write_queue", write_queue,
            {.min = 1, .max = 64, .unit = "bursts", .help = "of each controller"});
  f.choice("grouping", grouping, {"watermarks", "none"},
           "watermarks: writes are drained in groups; none: reads and writes by age");
  f.integer("write_high_percent", write_high_percent,
            {.min = 1,
             .max = 100,
             .unit = "%",
             .help = "of the write queue, at which draining begins; it also begins "
                     "when no read waits"});
  f.integer(
      "write_low_percent", write_low_percent,
      {.max = 99, .unit = "%", .help = "of the write queue, below which draining ends when a read waits"});
  f.choice(
      "rows", rows, {"open", "closed", "adaptive", "timeout"},
      "open: a row stays until another is wanted; closed: it closes with the last access that waits for it; "
      "adaptive: so only when another row of its bank is waited for; timeout: as open, and after a time "
      "without "
      "use");
  f.integer("row_timeout_cycles", row_timeout_cycles,
            {.min = 1, .max = 1'000'000, .unit = "clocks", .help = "rows=timeout: without use"});
  f.choice(
      "refresh", refresh, {"all_bank", "per_bank", "same_bank", "none"},
      "all_bank: REF of a rank; per_bank: REFpb, bank after bank; same_bank: REFsb, one bank of each group");
  f.integer("postponed_refreshes", postponed_refreshes,
            {.max = 8, .help = "refreshes that may be owed while requests wait"});
  f.integer("pulled_in_refreshes", pulled_in_refreshes,
            {.max = 8, .help = "refreshes done ahead while a rank is idle"});
  f.integer("power_down_after_cycles", power_down_after_cycles,
            {.max = 1'000'000'000, .unit = "clocks", .help = "of a rank without requests; 0: never"});
  f.integer("self_refresh_after_cycles", self_refresh_after_cycles,
            {.max = 1'000'000'000, .unit = "clocks", .help = "of a rank without requests; 0: never"});
  f.integer_list("priorities", priorities,
                 {.max = 255, .help = "of requester 0, 1, ...: higher goes first; 0 where the list ends"});
  f.require("write_low_percent", write_low_percent < write_high_percent, [this] {
    return fmt::format("{} is not less than write_high_percent {}", write_low_percent, write_high_percent);
  });
}

}  // namespace mesim
