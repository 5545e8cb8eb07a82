// A part is a piece of the machine that the engine steps: a core with its private caches, a home, a memory
// controller. Its rules, on which exactness rests:
//  - it sees its own state, its inboxes and the cycle, nothing else;
//  - whatever it does in a cycle reaches another part a cycle later at the earliest (see link.hpp), so the
//    order of parts inside a cycle cannot matter;
//  - `step` takes all arrivals of the cycle in (inbox, port, order of sending), then acts, then asks for its
//    next wake-up. A wake-up that turns out to be needless does nothing, and none is ever cancelled.
#pragma once
#include <cstdint>
#include <vector>

#include "sim/units.hpp"
#include "sim/wheel.hpp"

namespace mesim {

class Digest;

class InboxBase {
 public:
  virtual ~InboxBase() = default;
  virtual void clear() = 0;
  virtual void digest(Digest& digest) const = 0;
};

class Part {
 public:
  Part() = default;
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;
  virtual ~Part() = default;

  // All work of cycle `now`.
  virtual void step(Cycles now) = 0;
  // Back to the state after construction, with the random streams of `seed`; asks for the first wake-up.
  virtual void reset(std::uint64_t seed) = 0;
  // Brings the state to the beginning of cycle `now`: a part that leaves cycles for later, because nobody can
  // see them, goes through those before `now`. Called before anybody looks at the part.
  virtual void settle(Cycles now) { (void)now; }
  // Adds the whole state to the digest by which two runs are compared.
  virtual void digest(Digest& digest) const = 0;
  // The same with what is on its way to the part.
  void digest_all(Digest& sum) const {
    for (const InboxBase* inbox : inboxes_) inbox->digest(sum);
    digest(sum);
  }

  // Steps this part in cycle `at`, not before the current one; at most once a cycle however often it is
  // asked.
  void wake(Cycles at) { wheel_->wake(slots_, bit_, at, index_); }
  const ClockDomain& clock() const { return *clock_; }
  // The cycle before which the engine stops to be looked at: no work may be shown or sent beyond it.
  Cycles stop() const { return wheel_->stop(); }
  // The cycle before which it is known to be looked at next, or `never`: going beyond would be undone.
  Cycles known_stop() const { return wheel_->known_stop(); }
  // All cycles before this one are done.
  Cycles now() const { return wheel_->now(); }

 private:
  friend class Wheel;
  template <class Message>
  friend class Inbox;

  Wheel* wheel_ = nullptr;
  std::uint64_t* slots_ = nullptr;  // its word of the wheel's slots, and its bit there
  std::uint64_t bit_ = 0;
  const ClockDomain* clock_ = nullptr;
  std::uint32_t index_ = 0;
  std::vector<InboxBase*> inboxes_;
};

}  // namespace mesim
