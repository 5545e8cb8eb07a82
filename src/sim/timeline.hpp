// What happened when, for people who look at it in a viewer: tracks, each of a unit, on which slices begin
// and end; counters; flows, arrows from slice to slice. Parts write what has happened for good, in any order
// of units; a format (perfetto_timeline.hpp, vcd_timeline.hpp) makes a file of it.
//
//   const auto bank = timeline.track("dram", "channel 0 bank 3");
//   const auto act = timeline.name("ACT");
//   if (timeline.wants(begin, end, row)) timeline.slice(bank, begin, end, act, {.address = row});
//
// On one track slices nest: one that begins inside another ends inside it, and is written between the other's
// begin and end. For slices that overlap there are Lanes. Without a timeline nothing of this is called, so
// that it costs nothing.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/clock_domain.hpp"

namespace mesim {

struct TimelineOptions {
  // Only slices that touch the cycles [from, until) of the base clock are kept, as a whole.
  Cycles from = 0;
  Cycles until = never;
  std::uint32_t one_in = 1;             // of the keys given to `wants`, about every how many-th is kept
  std::uint64_t max_bytes = 256 * MiB;  // of the file; what comes later is only counted
};

class Timeline {
 public:
  using Track = std::uint32_t;
  using Name = std::uint32_t;
  struct Detail {
    std::uint64_t address = no_address;
    std::uint64_t flow = 0;  // slices with the same number, not 0, are joined by arrows in order of time
  };
  static constexpr std::uint64_t no_address = ~std::uint64_t{0};

  explicit Timeline(const TimelineOptions& options) : options_(options) { base_clock(ClockDomain()); }
  Timeline(const Timeline&) = delete;
  Timeline& operator=(const Timeline&) = delete;
  virtual ~Timeline() = default;

  // The clock in whose cycles the options are, before anything is written; of a nanosecond if nobody says.
  void base_clock(const ClockDomain& clock) {
    from_ = clock.edge(options_.from);
    until_ = options_.until == never ? ~Tick{0} : clock.edge(options_.until);
  }

  // `group` is the kind of unit, `unit` one of them. Asked twice, the same.
  virtual Track track(const std::string& group, const std::string& unit) = 0;
  virtual Track counter(const std::string& group, const std::string& quantity) = 0;
  virtual Name name(const std::string& text) = 0;

  // Whether what happened from `begin` to `end` belongs into the file: window and sample. What belongs
  // together (a miss, its parts, what it caused) has one key, so that it is kept or left out together.
  bool wants(Tick begin, Tick end, std::uint64_t key) const {
    return begin < until_ && end >= from_ && (options_.one_in == 1 || sampled(key));
  }
  // A counter has a value at every moment, so no sample is taken of it.
  bool wants_count(Tick at) const { return at >= from_ && at < until_; }

  virtual void begin(Track track, Tick at, Name name, Detail detail) = 0;
  virtual void end(Track track, Tick at) = 0;
  void slice(Track track, Tick from, Tick until, Name name, Detail detail) {
    begin(track, from, name, detail);
    end(track, until);
  }
  virtual void count(Track counter, Tick at, std::int64_t value) = 0;

  // Completes the file and gives it its name; before that there is none. Throws file_error.
  virtual void close() = 0;

  std::uint64_t events() const { return events_; }    // written: begins, ends and counts
  std::uint64_t dropped() const { return dropped_; }  // slices and counts beyond the file's limit

 protected:
  bool sampled(std::uint64_t key) const;

  TimelineOptions options_;
  Tick from_ = 0;
  Tick until_ = ~Tick{0};
  std::uint64_t events_ = 0;
  std::uint64_t dropped_ = 0;
};

// A file ending in .pftrace (Perfetto) or .vcd (value change dump). Throws bad_input for another ending,
// file_error if it cannot be made.
std::unique_ptr<Timeline> open_timeline(const std::string& path, const TimelineOptions& options);

// Tracks of one unit whose slices may overlap: each slice gets the first lane that is free. Lanes come about
// as they are needed; slices are given in the order of their ends.
class Lanes {
 public:
  Lanes(Timeline& timeline, std::string group, std::string unit)
      : timeline_(timeline), group_(std::move(group)), unit_(std::move(unit)) {}
  Timeline::Track take(Tick begin, Tick end);

 private:
  struct Lane {
    Timeline::Track track;
    Tick free_from;
  };
  Timeline& timeline_;
  std::string group_;
  std::string unit_;
  std::vector<Lane> lanes_;
};

}  // namespace mesim
