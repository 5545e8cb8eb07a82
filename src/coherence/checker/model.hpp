// What the model checker explores: a protocol with a few caches, one line and every order of events. A model
// packs a state into bytes and lists the steps that are possible in it; the explorer knows nothing else.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mesim::checker {

// A packed state. States of one model may differ in length (a multiset of messages grows and shrinks).
class Packed {
 public:
  void push(std::uint8_t byte);
  std::span<const std::uint8_t> bytes() const { return {bytes_.data(), size_}; }
  void clear() { size_ = 0; }

 private:
  std::array<std::uint8_t, 254> bytes_;
  std::uint8_t size_ = 0;
};

// One step in words, for counterexamples. `sent` and `received` name messages by a text that is the same at
// both ends ("FwdGetS(P1) to P0"), which is how the chart finds the two ends of an arrow.
struct StepText {
  std::string actor;   // a participant of the model
  std::string event;   // "store", "receives Inv(P1)"
  std::string before;  // the actor's controller state
  std::string after;
  std::string received;  // empty for a spontaneous step
  std::vector<std::string> sent;
};

struct Successor {
  Packed state;             // not canonical
  bool delivery = false;    // takes a message out of a queue
  std::string_view broken;  // name of the invariant that this very step breaks; empty if none
  std::string detail;       // and what exactly is wrong
  StepText text;            // filled on request
};

// A list that keeps its elements, so that a hundred million steps allocate nothing.
class Successors {
 public:
  Successor& add();
  void clear() { size_ = 0; }
  std::size_t size() const { return size_; }
  const Successor& operator[](std::size_t i) const { return items_[i]; }
  const Successor* begin() const { return items_.data(); }
  const Successor* end() const { return items_.data() + size_; }

 private:
  std::vector<Successor> items_;
  std::size_t size_ = 0;
};

// A table cell that was never reached and why; or, for one that the table leaves out, why it cannot happen.
struct UnreachedCell {
  std::string cell;  // "cache: IS_D x FwdGetS"
  std::string reason;
  bool has_row = false;
};

struct Coverage {
  std::uint64_t reached = 0;  // (state, event) cells seen, those that stall included
  std::vector<UnreachedCell> unreached;
};

class Model {
 public:
  virtual ~Model() = default;

  virtual std::string name() const = 0;
  virtual std::vector<std::string> participants() const = 0;  // from left to right in a chart
  virtual bool symmetric() const = 0;

  virtual Packed initial() const = 0;
  // The representative of all states that differ only in the names of the caches.
  virtual Packed canonical(const Packed& state) const = 0;
  // Every possible step, always in the same order for the same bytes. `explain` fills the texts.
  virtual void successors(std::span<const std::uint8_t> state, bool explain, Successors& out) = 0;
  // Invariants of a state by itself: the name of the first that is broken, or empty; `detail` says more.
  virtual std::string_view broken_invariant(std::span<const std::uint8_t> state,
                                            std::string& detail) const = 0;
  // No message is under way and no controller waits.
  virtual bool quiescent(std::span<const std::uint8_t> state) const = 0;
  // The cells met by all calls of `successors` so far.
  virtual Coverage coverage() const = 0;
};

inline void Packed::push(std::uint8_t byte) {
  bytes_.at(size_) = byte;  // throws rather than truncates
  ++size_;
}

inline Successor& Successors::add() {
  if (size_ == items_.size()) items_.emplace_back();
  Successor& s = items_[size_++];
  s.state.clear();
  s.delivery = false;
  s.broken = {};
  return s;
}

}  // namespace mesim::checker
