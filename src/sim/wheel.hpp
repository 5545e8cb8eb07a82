// The cycles of one clock domain: a bitmap of slot (cycle modulo window) x part, so that a wake-up is one OR
// and a cycle's work is found by counting zeros. Wake-ups beyond the window wait in a heap.
// Calendar queues: Brown, CACM 1988; here a slot holds a bit a part instead of a list.
#pragma once
#include <bit>
#include <cstdint>
#include <vector>

#include "sim/clock_domain.hpp"

namespace mesim {

class Part;
class Digest;

class Wheel {
 public:
  static constexpr Cycles window = 256;

  explicit Wheel(ClockPeriod period) : clock_(period) {}
  virtual ~Wheel() = default;
  Wheel(const Wheel&) = delete;
  Wheel& operator=(const Wheel&) = delete;

  // Parts are added before the first wake-up; they stay where they are and outlive the wheel's use.
  void add(Part& part);
  // Gives all parts to another wheel.
  void hand_over(Wheel& to);
  // Forgets all wake-ups and messages and goes back to cycle 0.
  virtual void clear();
  // Resets every part; after `clear` of all wheels.
  void reset_parts(std::uint64_t seed);

  // Asked by a part (see there), which knows its place in the slots.
  void wake(std::uint64_t* slots, std::uint64_t bit, Cycles at, std::uint32_t part) {
    if (at - earliest_ >= window - 1) {
      wake_far(part, at);
      return;
    }
    slots[at % window] |= bit;
    busy_[at % window / 64] |= std::uint64_t{1} << (at % 64);
  }

  // The next cycle in which some part is awake, or `never`.
  Cycles next() const {
    const std::uint64_t soon = busy_[base_ % window / 64] >> (base_ % 64);
    return soon != 0 ? base_ + static_cast<unsigned>(std::countr_zero(soon)) : next_further();
  }
  // Steps every part that is awake in cycle `at`, which is `next()`.
  void advance(Cycles at);
  // Runs all cycles before `stop`.
  void run(Cycles stop);

  // All cycles before this one are done.
  Cycles now() const { return base_; }
  // The announced end of the run: parts that work ahead of the wheel do not pass it.
  Cycles stop() const { return stop_; }
  // `known`: the wheel comes to rest there. A guest does not know where its host will rest.
  void set_stop(Cycles stop, bool known = false) {
    stop_ = stop;
    known_stop_ = known ? stop : never;
  }
  Cycles known_stop() const { return known_stop_; }
  // Parts take back what they did ahead for cycles from `now` on.
  void settle(Cycles now);
  void digest(Digest& digest) const;

  const ClockDomain& clock() const { return clock_; }
  std::size_t parts() const { return parts_.size(); }

 protected:
  Part& part(std::size_t index) { return *parts_[index]; }
  // For a wheel that leaves time to another host: all wake-ups come to its `wake_far`, until it is cleared.
  void leave_wakes_to_host() { earliest_ = Cycles{1} << 63; }
  // Its cycle, in which a part is about to be stepped.
  void set_now(Cycles now) { base_ = now; }
  virtual void wake_far(std::uint32_t part, Cycles at);

 private:
  struct Far {
    Cycles at;
    std::uint32_t part;
    friend bool operator>(const Far& a, const Far& b) { return a.at > b.at; }
  };
  void move_near();
  Cycles next_further() const;

  ClockDomain clock_;
  std::vector<Part*> parts_;
  std::size_t words_ = 0;
  std::vector<std::uint64_t> slots_;  // [word of parts][slot]
  std::uint64_t busy_[window / 64] = {};
  std::vector<Far> far_;  // min-heap
  Cycles base_ = 0;       // slots hold [base_, base_ + window)
  Cycles earliest_ = 0;   // first cycle that may still be asked for
  Cycles stop_ = never;
  Cycles known_stop_ = never;
};

}  // namespace mesim
