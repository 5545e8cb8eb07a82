// One thread of the machine of RMO, Ztso and RVWMO. Accesses are performed one at a time, in the order in
// which they appear in the global memory order, which need not be that of the program: a thread offers those
// that every rule lets through, runs ahead of branches by guessing, and dies when a guess was wrong. Threads
// share nothing but memory, so the states of a thread are numbered and what it offers is worked out once for
// each. Source: the global memory order of RVWMO (RISC-V unprivileged ISA 20191213, chapter 14 and appendix
// A), read as a machine.
#pragma once
#include <tsl/robin_map.h>

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "litmus/operational/buffer_program.hpp"
#include "litmus/operational/weak_rules.hpp"
#include "litmus/semantics.hpp"

namespace mesim::litmus::operational {

// Names a store: 0 is the initial value, else thread and place in its window.
using WriteName = std::uint16_t;

// An instruction that the thread has reached.
struct Reached {
  std::uint16_t pc = 0;
  bool performed = false;  // of memory accesses
  bool fails = false;      // sc: guessed
  bool broken = false;     // lr: another thread has stored to the word since
  Cell read = 0;           // what a load or atomic read
  WriteName source = 0;    // and from which store
};

// An access that may be performed now.
struct Offer {
  std::uint16_t at = 0;  // place in the window
  bool reads = false;
  bool writes = false;
  bool forwarded = false;  // the value comes from an own store that is not yet in memory
  bool conditional = false;
  std::uint16_t word = 0;
  Cell value = 0;        // forwarded, or stored (of an atomic: depends on what it reads)
  WriteName source = 0;  // of a forwarded value
};

struct ThreadState {
  std::vector<Reached> window;
  std::vector<Offer> offers;
  bool done = false;
  WordSet loads_later = 0;
  WordSet stores_later = 0;
  WordSet reserved = 0;          // words whose reservation another thread's store would break
  std::vector<Value> registers;  // when done
};

class WeakThread {
 public:
  using State = std::uint32_t;
  static constexpr State dead = ~State{0};  // a guess that cannot come true

  WeakThread(const Test& test, std::size_t index, const WeakRules& rules, const BufferThread& flow,
             Values& values, unsigned longest_path);

  const std::vector<State>& initial() const { return initial_; }
  const ThreadState& operator[](State state) const { return states_[state]; }
  std::size_t states() const { return states_.size(); }

  // The states after an offer is taken; `read` and `source` are what memory holds, for offers that read it.
  // Empty when that was a wrong guess. `written` is the value that comes into memory, if the offer writes
  // and `wrote` says so.
  struct Step {
    std::vector<State> next;
    Cell written = 0;
    bool wrote = false;
  };
  const Step& take(State state, std::size_t offer, Cell read, WriteName source);
  // After another thread's store to `word`.
  State disturbed(State state, unsigned word);
  WriteName write_name(std::size_t at) const { return static_cast<WriteName>(1 + index_ * 256 + at); }

  bool cut() const { return cut_; }          // a path was longer than the longest, or guessed too far
  bool strayed() const { return strayed_; }  // an access to an address that is no location

 private:
  // What is known at a place of the window, from the accesses performed so far.
  struct Place {
    int word = -1;  // -1: not known yet
    bool data_known = false;
    bool after_open_branch = false;
    Value data = 0;      // what is stored; of an atomic once it is performed
    bool stores = true;  // false: a comparison that failed
  };
  struct View {
    std::vector<Place> places;
    std::vector<Value> registers;
    std::vector<char> known;  // registers whose value is known
    bool open_branch = false;
    unsigned guesses_in_loops = 0;
  };
  using Window = std::vector<Reached>;

  void find_indirect_targets();
  View first_view() const;
  // Extends the view by the next place; false: an earlier guess turns out wrong here.
  bool look(const Window& window, View& view);
  void look_at_memory(const Reached& r, const Instruction& i, View& view, Place& place);
  bool look_at_branch(const Window& window, std::size_t at, View& view) const;
  bool known(const Operand& o, const View& view) const { return !o.is_register() || view.known[o.reg] != 0; }
  static void set(View& view, Register r, Value value, bool is_known);
  // Whether loads that ran ahead of stores whose address has become known still read what they must.
  bool consistent(const Window& window, const View& view) const;
  bool loads_in_order(const Window& window, const View& view, std::size_t at) const;
  // Fetches on as far as possible; every way to guess becomes a state of `out`.
  void fetch(Window window, View view, std::vector<State>& out);
  bool next_places(const Window& window, const View& view, std::vector<std::uint32_t>& next);
  bool too_long(const Window& window, std::uint32_t next) const;
  void finish(Window window, const View& view, bool at_end, std::vector<State>& out);
  void make_offers(const ThreadState& s, const View& view, std::vector<Offer>& offers) const;
  bool overtaken(const Window& window, const View& view, std::size_t at) const;
  bool offer_load(const Window& window, const View& view, Offer& offer) const;
  bool offer_store(const Window& window, const View& view, Offer& offer) const;
  void note_later_words(const View& view, bool at_end, ThreadState& s) const;
  int pair_of(const Window& window, std::size_t conditional) const;
  State number(ThreadState&& state);
  const Instruction& code(const Reached& r) const { return thread_.code[r.pc]; }
  // A failing sc is no access.
  bool is_event(const Reached& r) const { return is_memory(code(r).op) && !r.fails; }

  const Test& test_;
  const Thread& thread_;
  std::size_t index_;
  WeakRules rules_;
  const BufferThread& flow_;
  Values& values_;
  unsigned longest_path_;
  std::vector<std::uint32_t> indirect_targets_;
  bool cut_ = false;
  bool strayed_ = false;
  std::deque<ThreadState> states_;
  tsl::robin_map<std::string, State> numbers_;
  std::deque<Step> steps_;
  tsl::robin_map<std::uint64_t, std::uint32_t> step_numbers_;
  tsl::robin_map<std::uint64_t, State> disturbed_;
  std::vector<State> initial_;
};

}  // namespace mesim::litmus::operational
