// Accesses of a timed machine's caches one after the other, each with all that it causes finished before the
// next: what an untimed warm-up does. The caches and whatever is behind them are the run's own, so they are
// left as a run would leave them; the cores sleep.
#pragma once
#include <algorithm>
#include <memory>

#include "cores/warm_up.hpp"
#include "sim/core_port.hpp"
#include "sim/engine.hpp"
#include "traces/record.hpp"

namespace mesim {

template <class Cache>
void warm_access(Engine& engine, Cache& cache, std::uint32_t line_bytes, const Record& record) {
  const auto touch = [&](AccessKind kind) {
    std::uint64_t address = record.address;
    for (std::uint32_t left = std::max(record.size, 1u); left != 0;) {
      const auto room = line_bytes - static_cast<std::uint32_t>(address & (line_bytes - 1));
      const std::uint32_t piece = std::min(left, room);
      CoreRequest request;
      request.address = address;
      request.size = static_cast<std::uint16_t>(piece);
      request.kind = kind;
      // what a prefetcher has under way may refuse it
      for (bool done = false; !done;) {
        const Cycles now = engine.wheel(0).now();
        if (cache.try_hit(request, now).done) break;
        done = cache.miss(request, now) == MissReply::accepted;
        engine.run(Engine::forever);
      }
      address += piece;
      left -= piece;
    }
  };
  switch (record.kind) {
    case RecordKind::fetch:
      return touch(AccessKind::fetch);
    case RecordKind::load:
    case RecordKind::atomic_load:
      return touch(AccessKind::load);
    case RecordKind::modify:
      touch(AccessKind::load);
      return touch(AccessKind::store);
    case RecordKind::store:
      return touch(AccessKind::store);
    default:
      return touch(AccessKind::atomic);
  }
}

// Warms a machine up and resets it so that it runs the rest, which it returns: counters and time begin there.
template <class Machine>
std::unique_ptr<RestOfTrace> warm_up_machine(Machine& machine, Trace& trace, const WarmUpOptions& options,
                                             std::uint64_t seed) {
  machine.reset(seed);
  machine.sleep(true);
  auto rest = warm_up(trace, options, [&](unsigned thread, const Record& record) {
    warm_access(machine.engine(), machine.tile(thread).cache(), machine.line_bytes(), record);
  });
  machine.engine().run(Engine::forever);
  const auto contents = machine.contents();
  machine.sleep(false);
  machine.load(*rest);
  machine.reset(seed);
  machine.put(contents, rest->signals());
  return rest;
}

}  // namespace mesim
