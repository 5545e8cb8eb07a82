#include <fmt/format.h>
#include <tsl/robin_map.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "cores/marked_region.hpp"
#include "cores/untimed_order.hpp"
#include "cores/untimed_perform.hpp"
#include "sim/error.hpp"
#include "sim/mix_hash.hpp"

namespace mesim {
namespace {

enum class Turn { taken, waiting, finished };

struct Thread {
  std::unique_ptr<RecordStream> stream;
  const Record* at = nullptr;
  const Record* end = nullptr;
  std::uint64_t busy = 0;  // cycles of compute left
  unsigned number = 0;
  bool finished = false;
};

// A core and the threads it runs, one turn each in rotation, passing over those that wait.
struct Core {
  std::vector<Thread> threads;
  std::size_t next = 0;
};

class RoundRobin {
 public:
  RoundRobin(Trace& trace, FunctionalBus& machine, const UntimedOptions& options)
      : machine_(machine), options_(options), region_(options.marked_only, machine), cores_(machine.cores()) {
    run_.cores.resize(machine.cores());
    for (unsigned number = 0; number < trace.info().threads; ++number) {
      Thread thread;
      thread.stream = trace.thread(number);
      thread.number = number;
      cores_[number % cores_.size()].threads.push_back(std::move(thread));
    }
  }

  UntimedRun run() {
    while (round()) {
      ++run_.turns;
      if (options_.watch == nullptr || run_.turns % turns_between_questions != 0) continue;
      if (!options_.watch->keep_going(run_.references())) {
        run_.complete = false;
        break;
      }
    }
    run_.counted = region_.finish(machine_, run_.cores);
    return std::move(run_);
  }

 private:
  static constexpr std::uint64_t turns_between_questions = 4096;

  // One turn of every core; false when all threads have finished.
  bool round() {
    bool unfinished = false;
    bool moved = false;
    for (unsigned core = 0; core < cores_.size(); ++core) {
      const Turn turn = core_turn(core);
      moved |= turn == Turn::taken;
      unfinished |= turn != Turn::finished;
    }
    if (unfinished && !moved && !signalled_) deadlock();
    signalled_ = false;
    return unfinished;
  }

  Turn core_turn(unsigned number) {
    Core& core = cores_[number];
    Turn result = Turn::finished;
    for (std::size_t tried = 0; tried < core.threads.size(); ++tried) {
      Thread& thread = core.threads[core.next];
      if (++core.next == core.threads.size()) core.next = 0;
      const Turn turn = thread_turn(number, thread);
      if (turn == Turn::taken) return turn;
      if (turn == Turn::waiting) result = turn;
    }
    return result;
  }

  Turn thread_turn(unsigned core, Thread& thread) {
    if (thread.busy != 0) {
      --thread.busy;
      return Turn::taken;
    }
    while (thread.at != thread.end || refill(thread)) {
      const Record& record = *thread.at;
      if (record.kind == RecordKind::wait && signals_[record.address] < record.size) return Turn::waiting;
      ++thread.at;
      ReplayCounts& counts = run_.cores[core];
      ++counts.records[static_cast<std::size_t>(record.kind)];
      counts.gaps += record.gap;
      if (takes_turn(core, thread, record)) return Turn::taken;
    }
    return Turn::finished;
  }

  bool takes_turn(unsigned core, Thread& thread, const Record& record) {
    switch (record.kind) {
      case RecordKind::fetch:
        perform(machine_, core, record);
        return options_.fetch_takes_turn;
      case RecordKind::compute:
        if (record.address == 0) return false;
        thread.busy = record.address - 1;
        return true;
      case RecordKind::signal:
        ++signals_[record.address];
        signalled_ = true;
        return false;
      case RecordKind::region_begin:
      case RecordKind::region_end:
        region_.mark(record.kind, machine_, run_.cores);
        return false;
      case RecordKind::wait:
      case RecordKind::fence:
        return false;
      default:
        perform(machine_, core, record);
        return true;
    }
  }

  bool refill(Thread& thread) {
    if (thread.finished) return false;
    const auto batch = thread.stream->next();
    thread.at = batch.data();
    thread.end = batch.data() + batch.size();
    thread.finished = batch.empty();
    return !thread.finished;
  }

  [[noreturn]] void deadlock() {
    constexpr std::size_t shown = 8;
    std::string text;
    std::size_t waiting = 0;
    for (const Core& core : cores_) {
      for (const Thread& thread : core.threads) {
        if (thread.finished && thread.at == thread.end) continue;
        if (++waiting > shown) continue;
        text += fmt::format("{}thread {} waits for object {:#x} to be signalled {} times, signalled {}",
                            waiting == 1 ? "" : "; ", thread.number, thread.at->address, thread.at->size,
                            signals_[thread.at->address]);
      }
    }
    if (waiting > shown) text += fmt::format("; and {} more", waiting - shown);
    throw Error(Exit::limit, "deadlock: no thread can go on: " + text);
  }

  FunctionalBus& machine_;
  UntimedOptions options_;
  MarkedRegion region_;
  std::vector<Core> cores_;
  tsl::robin_map<std::uint64_t, std::uint64_t, MixHash> signals_;  // object -> times signalled
  bool signalled_ = false;                                         // in this round
  UntimedRun run_;
};

}  // namespace

UntimedRun run_round_robin(Trace& trace, FunctionalBus& machine, const UntimedOptions& options) {
  return RoundRobin(trace, machine, options).run();
}

}  // namespace mesim
