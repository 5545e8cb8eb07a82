#include "cores/program/untimed_program.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cores/program/record_kind.hpp"
#include "cores/program/reservations.hpp"
#include "cores/program/thread.hpp"
#include "sim/error.hpp"

namespace mesim {
namespace {

enum class Turn { taken, waiting, finished };

class RoundRobinProgram {
 public:
  RoundRobinProgram(const Program& program, FunctionalBus& machine)
      : program_(program),
        machine_(machine),
        reservations_(machine.cores(), machine.line_bytes()),
        signalled_(program.events.size()),
        busy_(machine.cores()),
        out_{{}, DataMemory(program.data), std::vector<std::uint64_t>(machine.cores())} {
    out_.run.cores.resize(machine.cores());
    for (unsigned core = 0; core < machine.cores(); ++core) threads_.emplace_back(program, core);
  }

  ProgramRun run(RunWatch* watch) {
    while (round()) {
      ++out_.run.turns;
      if (comes_back()) stuck("spins");
      if (watch == nullptr || out_.run.turns % turns_between_questions != 0) continue;
      if (watch->keep_going(out_.run.references())) continue;
      out_.run.complete = false;
      break;
    }
    for (unsigned core = 0; core < threads_.size(); ++core)
      out_.run.cores[core].gaps = threads_[core].computed();
    return std::move(out_);
  }

 private:
  static constexpr std::uint64_t turns_between_questions = 4096;

  // One turn of every core; false when all threads have finished.
  bool round() {
    bool unfinished = false;
    bool moved = false;
    const std::uint64_t signals = signals_;
    for (unsigned core = 0; core < threads_.size(); ++core) {
      const Turn turn = core_turn(core);
      moved |= turn == Turn::taken;
      unfinished |= turn != Turn::finished;
    }
    if (unfinished && !moved && signals == signals_) stuck("waits");
    return unfinished;
  }

  Turn core_turn(unsigned core) {
    using Kind = ProgramThread::Action::Kind;
    if (busy_[core] != 0) {
      --busy_[core];
      return Turn::taken;
    }
    ProgramThread& thread = threads_[core];
    while (true) {
      const ProgramThread::Action& action = thread.next();
      switch (action.kind) {
        case Kind::memory:
          thread.done(access(core, action.memory));
          return Turn::taken;
        case Kind::delay:
          busy_[core] = std::max<std::uint64_t>(action.amount, 1) - 1;
          thread.done();
          if (action.amount != 0) return Turn::taken;
          break;
        case Kind::fence:
          ++out_.run.cores[core].records[static_cast<std::size_t>(RecordKind::fence)];
          thread.done();
          break;
        case Kind::signal:
          ++signalled_[action.event];
          ++signals_;
          thread.done();
          break;
        case Kind::await:
          if (signalled_[action.event] < action.amount) return Turn::waiting;
          thread.done();
          break;
        case Kind::finished:
          return Turn::finished;
      }
    }
  }

  std::uint64_t access(unsigned core, const MemoryAction& action) {
    ++out_.run.cores[core].records[static_cast<std::size_t>(record_kind(action.op))];
    if (action.op == Opcode::sc && !reservations_.take(core, action.address, machine_)) {
      ++out_.failed_stores[core];
      return 0;
    }
    if (is_store(action.op)) {
      machine_.store(core, action.address, action.size_bytes);
      reservations_.written(core, action.address);
    } else {
      machine_.load(core, action.address, action.size_bytes);
    }
    if (action.op == Opcode::ll) reservations_.reserve(core, action.address);
    return out_.memory.perform(action);
  }

  // Whether all threads came back to where they were while no value changed: then they do so forever. (A
  // reservation lost to an eviction counts as a change, since what the caches hold is not compared.) Brent's
  // search for a cycle: the state kept is compared with 1, 2, 4, 8, ... rounds behind it.
  bool comes_back() {
    const std::uint64_t changes = out_.memory.changes() + signals_ + reservations_.evicted();
    if (changes == kept_changes_ && same_place()) return true;
    if (changes == kept_changes_ && --patience_ != 0) return false;
    span_ = changes == kept_changes_ ? span_ * 2 : 1;
    patience_ = span_;
    kept_changes_ = changes;
    kept_busy_ = busy_;
    kept_reservations_ = reservations_.lines();
    kept_.clear();
    for (const ProgramThread& thread : threads_) kept_.push_back(thread.place());
    return false;
  }

  bool same_place() const {
    for (std::size_t i = 0; i < threads_.size(); ++i) {
      if (!(threads_[i].place() == kept_[i])) return false;
    }
    return busy_ == kept_busy_ && reservations_.lines() == kept_reservations_;
  }

  [[noreturn]] void stuck(const char* what) {
    constexpr std::size_t shown = 8;
    std::string text;
    std::size_t waiting = 0;
    for (std::size_t i = 0; i < threads_.size(); ++i) {
      const ProgramThread::Action& action = threads_[i].next();
      if (action.kind == ProgramThread::Action::Kind::finished || ++waiting > shown) continue;
      text += fmt::format("{}thread {} at line {}", waiting == 1 ? "" : "; ", i, threads_[i].line());
      if (action.kind == ProgramThread::Action::Kind::await) {
        text += fmt::format(" waits for event '{}' to happen {} times, it happened {}",
                            program_.events[action.event], action.amount, signalled_[action.event]);
      } else {
        text += fmt::format(" {}", what);
      }
    }
    if (waiting > shown) text += fmt::format("; and {} more", waiting - shown);
    throw Error(Exit::limit, fmt::format("{}: deadlock: no value changes any more: {}", program_.file, text));
  }

  const Program& program_;
  FunctionalBus& machine_;
  Reservations reservations_;
  std::vector<ProgramThread> threads_;
  std::vector<std::uint64_t> signalled_;  // by event
  std::uint64_t signals_ = 0;
  std::vector<std::uint64_t> busy_;  // turns of a delay left, by core
  ProgramRun out_;

  std::vector<ProgramThread::Place> kept_;
  std::vector<std::uint64_t> kept_busy_;
  std::vector<std::uint64_t> kept_reservations_;
  std::uint64_t kept_changes_ = ~0ULL;
  std::uint64_t span_ = 1;
  std::uint64_t patience_ = 0;
};

}  // namespace

ProgramRun run_program(const Program& program, FunctionalBus& machine, RunWatch* watch) {
  return RoundRobinProgram(program, machine).run(watch);
}

}  // namespace mesim
