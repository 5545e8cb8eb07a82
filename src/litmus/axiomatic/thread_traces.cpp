#include "litmus/axiomatic/thread_traces.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "litmus/semantics.hpp"

namespace mesim::litmus {
namespace {

constexpr unsigned no_event = 0xff;

constexpr std::size_t max_paths_of_thread = 200'000;

// Where a path stands.
struct Path {
  std::uint32_t pc = 0;
  std::vector<Value> registers;
  std::vector<EventSet> carried;  // by register: the events its value depends on
  EventSet control = 0;
  unsigned reservation = no_event;  // the last lr that no sc has used
  std::vector<Event> events;
  std::vector<FenceInTrace> fences;
  std::vector<std::uint8_t> visits;  // by instruction, of threads with loops
};

class Enumeration {
 public:
  Enumeration(const Test& test, const Limits& limits) : test_(test), limits_(limits) {
    domain_.resize(test.locations.size());
    readable_.resize(domain_.size());
    for (std::size_t l = 0; l < domain_.size(); ++l) domain_[l] = {test.locations[l].initial};
  }

  ThreadTraces run() {
    ThreadTraces result;
    result.threads.resize(test_.threads.size());
    // A value passes through each load at most once, so so many rounds find all of them.
    std::size_t rounds = 2;
    for (const Thread& thread : test_.threads) {
      rounds += static_cast<std::size_t>(std::count_if(thread.code.begin(), thread.code.end(),
                                                       [](const Instruction& i) { return may_read(i.op); }));
    }
    for (std::size_t round = 0; round < rounds; ++round) {
      grew_ = false;
      limit_.clear();
      // stores of a round are read in the next, or they would breed values without end
      for (std::size_t l = 0; l < domain_.size(); ++l) readable_[l] = domain_[l].size();
      for (unsigned t = 0; t < test_.threads.size(); ++t) {
        // the paths of a thread that loads nothing new are known
        if (round != 0 && !reads_grown_domain(t)) continue;
        traces_ = &result.threads[t];
        traces_->clear();
        thread_ = t;
        follow_thread();
        if (!limit_.empty()) limits_met_[t] = limit_;
        limit_.clear();
      }
      if (!grew_) break;
    }
    for (auto& [thread, text] : limits_met_) result.limit = text;
    mark_values(result);
    return result;
  }

 private:
  bool reads_grown_domain(unsigned t) const {
    const auto& reads = reads_[t];
    return std::any_of(reads.begin(), reads.end(),
                       [&](const auto& r) { return readable_[r.first] != r.second; });
  }

  void follow_thread() {
    const Thread& thread = test_.threads[thread_];
    Path path;
    path.registers = thread.initial;
    path.carried.assign(thread.registers.size(), 0);
    const bool loops = std::any_of(thread.code.begin(), thread.code.end(), [&](const Instruction& i) {
      return i.op == Op::jump_register ||
             (is_control(i.op) && i.target <= static_cast<std::uint32_t>(&i - thread.code.data()));
    });
    if (loops) path.visits.assign(thread.code.size(), 0);
    reads_.resize(test_.threads.size());
    reads_[thread_].clear();
    limits_met_.erase(thread_);
    follow(std::move(path));
  }

  EventSet carried(const Path& path, Register r) const { return r == no_register ? 0 : path.carried[r]; }

  void follow(Path path) {
    const Thread& thread = test_.threads[thread_];
    while (path.pc < thread.code.size()) {
      const Instruction& i = thread.code[path.pc];
      if (!path.visits.empty() && ++path.visits[path.pc] > limits_.loop_rounds) {
        limit_ = fmt::format("loops are followed {} times", limits_.loop_rounds);
        return;
      }
      switch (i.op) {
        case Op::nothing:
          break;
        case Op::compute:
          if (i.dst != no_register) {
            const EventSet from = carried(path, i.a.reg) | carried(path, i.b.reg);
            path.registers[i.dst] = computed(i, path.registers.data());
            path.carried[i.dst] = from;
          }
          break;
        case Op::fence:
          path.fences.push_back({static_cast<unsigned>(path.events.size()), i.orders, path.pc});
          break;
        case Op::branch:
        case Op::jump:
        case Op::jump_register: {
          path.control |= carried(path, i.a.reg) | carried(path, i.b.reg);
          const std::uint32_t next = next_pc(thread, thread_, path.pc, path.registers.data());
          if (i.op == Op::jump_register && i.dst != no_register) {
            path.registers[i.dst] = code_address(thread_, path.pc + 1);
            path.carried[i.dst] = 0;
          }
          path.pc = next;
          continue;
        }
        default:
          if (!access(path, i)) return;
          break;
      }
      ++path.pc;
    }
    finish(std::move(path));
  }

  // An event of the instruction at the path's end; nothing if its address is no location's.
  Event* begin_event(Path& path, const Instruction& i) {
    const int location = test_.location_at(address_of(i, path.registers.data()));
    if (location < 0) {
      limit_ = fmt::format("P{}: '{}' may access an address that is no location's", thread_,
                           test_.threads[thread_].sources[i.source].text);
      return nullptr;
    }
    if (path.events.size() == max_events) {
      limit_ = fmt::format("a path of P{} has more than {} memory accesses", thread_, max_events);
      return nullptr;
    }
    Event e;
    e.acquire = i.acquire;
    e.release = i.release;
    e.locked = i.locked;
    e.rmw = i.op == Op::rmw;
    e.annotated_atomic = (i.acquire || i.release) && (e.rmw || i.reserve || i.op == Op::store_conditional);
    e.location = static_cast<std::uint8_t>(location);
    e.instruction = path.pc;
    e.address_from = carried(path, i.address.reg);
    e.control_from = path.control;
    path.events.push_back(e);
    return &path.events.back();
  }

  // Carries out a memory access on the path; false if the path ends or has been continued in copies.
  bool access(Path& path, const Instruction& i) {
    if (i.op == Op::store_conditional) return conditional(path, i);
    Event* e = begin_event(path, i);
    if (e == nullptr) return false;
    const EventSet me = EventSet{1} << (path.events.size() - 1);
    if (i.op == Op::store) {
      write(*e, stored(i, path.registers.data()), carried(path, i.a.reg));
      return true;
    }
    // a load or rmw: one copy of the path for each value, the last value on the path itself
    const std::size_t location = e->location;
    const std::size_t values = readable_[location];
    remember_read(location, values);
    for (std::size_t v = 0; v + 1 < values; ++v) {
      Path copy = path;
      take(copy, i, domain_[location][v], me);
      ++copy.pc;
      follow(std::move(copy));
      if (traces_->size() > max_paths_of_thread) {
        limit_ = fmt::format("P{} has more than {} paths", thread_, max_paths_of_thread);
        return false;
      }
    }
    take(path, i, domain_[location][values - 1], me);
    return true;
  }

  void write(Event& e, Value value, EventSet data_from) {
    e.writes = true;
    e.written = value;
    e.data_from = data_from;
    auto& values = domain_[e.location];
    if (std::find(values.begin(), values.end(), value) == values.end()) {
      values.push_back(value);
      grew_ = true;
    }
  }

  void take(Path& path, const Instruction& i, Value word, EventSet me) {
    Event& e = path.events.back();
    e.reads = true;
    e.read = word;
    const Value old = loaded(i, word);
    if (i.op == Op::rmw) {
      const auto word_stored = modified(i, path.registers.data(), old);
      const EventSet data = carried(path, i.a.reg) | (i.compares ? carried(path, i.compare.reg) : 0);
      if (word_stored) write(e, *word_stored, data);
      finish_rmw(i, path.registers.data(), old, word_stored);
      if (i.flags != no_register) path.carried[i.flags] = me;
    } else {
      if (i.dst != no_register) path.registers[i.dst] = old;
      if (i.reserve) path.reservation = static_cast<unsigned>(path.events.size() - 1);
    }
    if (i.dst != no_register) path.carried[i.dst] = me;
  }

  bool conditional(Path& path, const Instruction& i) {
    const unsigned lr = path.reservation;
    path.reservation = no_event;
    const int location = test_.location_at(address_of(i, path.registers.data()));
    if (lr != no_event && location == path.events[lr].location) {
      Path copy = path;
      Event* e = begin_event(copy, i);
      if (e != nullptr) {
        write(*e, stored(i, copy.registers.data()), carried(copy, i.a.reg));
        e->conditional = true;
        e->reserved_by = static_cast<std::int8_t>(lr);
        succeed(copy, i, conditional_succeeded, EventSet{1} << (copy.events.size() - 1));
        ++copy.pc;
        follow(std::move(copy));
      }
    }
    succeed(path, i, conditional_failed, 0);
    return true;
  }
  static void succeed(Path& path, const Instruction& i, Value result, EventSet from) {
    if (i.dst == no_register) return;
    path.registers[i.dst] = result;
    path.carried[i.dst] = from;
  }

  void remember_read(std::size_t location, std::size_t values) {
    for (auto& r : reads_[thread_]) {
      if (r.first == location) {
        r.second = std::min(r.second, values);
        return;
      }
    }
    reads_[thread_].emplace_back(location, values);
  }

  void finish(Path path) {
    Trace trace;
    trace.events = std::move(path.events);
    trace.fences = std::move(path.fences);
    for (const Observable& o : test_.observables) {
      if (o.is_register && o.thread == thread_) trace.observed.push_back(path.registers[o.index]);
    }
    traces_->push_back(std::move(trace));
  }

  // A bit for each pair of location and value, as long as they suffice.
  std::uint64_t bit_of(std::size_t location, Value value) const {
    std::size_t bit = 0;
    for (std::size_t l = 0; l < location; ++l) bit += domain_[l].size();
    const auto& values = domain_[location];
    bit += static_cast<std::size_t>(std::find(values.begin(), values.end(), value) - values.begin());
    return bit < 64 ? std::uint64_t{1} << bit : 0;
  }
  void mark_values(ThreadTraces& result) const {
    for (auto& traces : result.threads) {
      for (Trace& trace : traces) mark_values(trace);
    }
  }
  void mark_values(Trace& trace) const {
    for (std::size_t e = 0; e < trace.events.size(); ++e) {
      const Event& event = trace.events[e];
      if (event.writes) trace.provides |= bit_of(event.location, event.written);
      if (!event.reads) continue;
      // a read takes its own thread's last store, or another thread's, or before any own store the initial
      // value
      const Event* own = nullptr;
      for (std::size_t f = 0; f < e; ++f) {
        if (trace.events[f].writes && trace.events[f].location == event.location) own = &trace.events[f];
      }
      const Value here = own != nullptr ? own->written : test_.locations[event.location].initial;
      if (here != event.read) trace.needs |= bit_of(event.location, event.read);
    }
  }

  const Test& test_;
  const Limits& limits_;
  std::vector<std::vector<Value>> domain_;  // by location
  std::vector<std::size_t> readable_;       // by location: the values that loads of this round may take
  std::vector<std::vector<std::pair<std::size_t, std::size_t>>>
      reads_;  // by thread: location, values it knew
  std::vector<Trace>* traces_ = nullptr;
  unsigned thread_ = 0;
  bool grew_ = false;
  std::string limit_;
  std::map<unsigned, std::string> limits_met_;
};

}  // namespace

ThreadTraces thread_traces(const Test& test, const Limits& limits) { return Enumeration(test, limits).run(); }

}  // namespace mesim::litmus
