#include "cores/timed_bus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "cores/untimed_perform.hpp"
#include "sim/engine.hpp"
#include "sim/error.hpp"

namespace mesim {

TimedBus::TimedBus(Trace& trace, const FunctionalBusConfig& machine, const TimedBusOptions& options)
    : trace_(trace),
      config_(machine),
      timing_(machine.coherence.bus),
      machine_(machine),
      options_(options),
      region_(options.marked_only, machine_) {
  if (trace.info().threads > machine.cores) {
    throw bad_input(
        {}, "/cores/count",
        fmt::format("{} cores for a trace of {} threads, expected one core per thread on the timed bus",
                    machine.cores, trace.info().threads));
  }
  if (machine.l1i) {
    throw bad_input({}, "/l1i",
                    "the cores of the timed bus take no time to fetch instructions; expected no l1i");
  }
}

void TimedBus::reset(std::uint64_t seed) {
  config_.seed = seed;
  machine_ = FunctionalBus(config_);
  processors_.clear();
  processors_.resize(config_.cores);
  counts_.assign(config_.cores, {});
  signals_.clear();
  if (options_.warm_up != 0) {
    machine_.count(false);
    rest_ = mesim::warm_up(
        trace_, {.records = options_.warm_up},
        [this](unsigned core, const Record& record) { mesim::perform(machine_, core, record); });
    machine_.count(true);
    signals_.insert(rest_->signals().begin(), rest_->signals().end());
  }
  region_ = MarkedRegion(options_.marked_only, machine_);
  counted_.clear();
  marks_.clear();
  if (!options_.marked_only) marks_.push_back(0);
  for (unsigned core = 0; core < config_.cores; ++core) {
    if (core < trace_.info().threads) {
      processors_[core].stream = rest_ ? rest_->thread(core) : trace_.thread(core);
    } else {
      processors_[core].phase = Phase::finished;
    }
  }
  queue_.clear();
  queue_front_ = 0;
  bus_free_ = end_ = 0;
  wake(0);
}

void TimedBus::step(Cycles now) {
  if (config_.observer != nullptr) config_.observer->cycle(now);
  for (unsigned core = 0; core < processors_.size(); ++core) act(core, now);
  if (queue_front_ < queue_.size() && now >= bus_free_ &&
      now >= processors_[queue_[queue_front_]].since + timing_.grant_cycles) {
    grant(now);
  }
  const Cycles at = next();
  if (at != never) {
    wake(std::max(at, now + 1));
  } else if (std::any_of(processors_.begin(), processors_.end(),
                         [](const Processor& p) { return p.phase == Phase::waiting; })) {
    deadlock();
  }
}

// The next cycle in which a core or the bus has something to do.
Cycles TimedBus::next() const {
  Cycles at = never;
  for (const Processor& p : processors_) {
    if (p.phase == Phase::fetch || p.phase == Phase::lookup) at = std::min(at, p.due);
  }
  if (queue_front_ < queue_.size()) {
    at = std::min(at, std::max(bus_free_, processors_[queue_[queue_front_]].since + timing_.grant_cycles));
  }
  return at;
}

void TimedBus::act(unsigned core, Cycles now) {
  Processor& p = processors_[core];
  while (p.due == now && (p.phase == Phase::fetch || p.phase == Phase::lookup)) {
    p.phase == Phase::fetch ? fetch(core, now) : look_up(core, now);
  }
}

void TimedBus::spend(Processor& p, Owner owner, Cycles until) {
  p.spent[owner] += counting_cycles(p.accounted, until);
  p.last[p.next_last++ % p.last.size()] = {owner, p.accounted, until};
  p.accounted = until;
}

// Those of the cycles [from, until) that count, as far as is known: marks may still come.
Cycles TimedBus::counting_cycles(Cycles from, Cycles until) const {
  Cycles sum = 0;
  for (std::size_t mark = marks_.size(); mark-- > 0 && from < until;) {
    if (marks_[mark] >= until) continue;
    const Cycles begin = std::max(from, marks_[mark]);
    if (mark % 2 == 0) sum += until - begin;
    until = begin;
  }
  return sum;
}

// Counting begins or ends in cycle `now`: cycles after it that already have their owner are put right.
void TimedBus::mark(RecordKind kind, Cycles now) {
  if (!region_.mark(kind, machine_, counts_)) return;
  marks_.push_back(now);
  for (Processor& p : processors_) {
    for (const Span& span : p.last) {
      if (span.until <= now) continue;
      const Cycles ahead = span.until - std::max(span.from, now);
      region_.counting() ? p.spent[span.owner] += ahead : p.spent[span.owner] -= ahead;
    }
  }
}

bool TimedBus::refill(Processor& p) {
  if (p.at != p.end) return true;
  const auto batch = p.stream->next();
  p.at = batch.data();
  p.end = batch.data() + batch.size();
  return !batch.empty();
}

bool TimedBus::satisfied(const Record& wait) const {
  const auto found = signals_.find(wait.address);
  return (found == signals_.end() ? 0 : found->second) >= wait.size;
}

// Takes the core's next records up to one that costs time.
void TimedBus::fetch(unsigned core, Cycles now) {
  Processor& p = processors_[core];
  while (true) {
    if (!refill(p)) {
      p.phase = Phase::finished;
      return;
    }
    const Record& record = *p.at;
    if (record.kind == RecordKind::wait && !satisfied(record)) {
      p.phase = Phase::waiting;
      return;
    }
    ++p.at;
    ++counts_[core].records[static_cast<std::size_t>(record.kind)];
    counts_[core].gaps += record.gap;
    if (record.kind == RecordKind::signal) {
      ++signals_[record.address];
      for (Processor& other : processors_) {
        if (other.phase != Phase::waiting || !satisfied(*other.at)) continue;
        other.phase = Phase::fetch;
        other.due = now + 1;
        spend(other, synchronisation, now + 1);
      }
    }
    if (record.kind >= RecordKind::region_begin) mark(record.kind, now);
    const Cycles busy = record.gap + (record.kind == RecordKind::compute ? record.address : 0);
    if (is_memory(record.kind)) {
      p.address = record.address;
      p.size = std::max(record.size, 1u);
      p.store_follows = record.kind == RecordKind::modify;
      p.is_store = is_write(record.kind) && !p.store_follows;
      p.phase = Phase::lookup;
      p.due = now + busy + timing_.lookup_cycles;
      spend(p, compute, now + busy);
      spend(p, l1_lookup, p.due);
      return;
    }
    if (busy != 0) {
      p.due = now + busy;
      spend(p, compute, p.due);
      end_ = std::max(end_, p.due);
      return;
    }
  }
}

void TimedBus::look_up(unsigned core, Cycles now) {
  Processor& p = processors_[core];
  if (machine_.hits(core, p.is_store, p.address)) {
    perform(core);
    spend(p, l1_lookup, now + timing_.hit_cycles);
    complete(core, now + timing_.hit_cycles);
    return;
  }
  p.phase = Phase::queued;
  p.since = now;
  queue_.push_back(core);
  if (p.is_store) machine_.ownership_queued(core, p.address);
}

// The part of the access at hand that lies within its line.
void TimedBus::perform(unsigned core) {
  Processor& p = processors_[core];
  const std::uint32_t line = machine_.line_bytes();
  const auto room = line - static_cast<std::uint32_t>(p.address & (line - 1));
  const std::uint32_t piece = std::min(p.size, room);
  p.is_store ? machine_.store(core, p.address, piece) : machine_.load(core, p.address, piece);
  if (p.size > piece) {
    p.address += piece;
    p.size -= piece;
  } else {
    p.size = 0;
  }
}

// In cycle `at` the core goes on: with the rest of the access, its store, or the next fetch.
void TimedBus::complete(unsigned core, Cycles at) {
  Processor& p = processors_[core];
  end_ = std::max(end_, at + 1);
  p.phase = Phase::fetch;
  p.due = at;
  if (p.size == 0 && p.store_follows) {
    const Record& record = p.at[-1];
    p.address = record.address;
    p.size = std::max(record.size, 1u);
    p.store_follows = false;
    p.is_store = true;
  }
  if (p.size == 0) return;
  p.phase = Phase::lookup;
  p.due = at + timing_.lookup_cycles;
  spend(p, l1_lookup, p.due);
}

void TimedBus::grant(Cycles now) {
  const unsigned core = queue_[queue_front_++];
  if (queue_front_ == queue_.size()) {
    queue_.clear();
    queue_front_ = 0;
  }
  Processor& p = processors_[core];
  SeenMiss seen;
  seen.line = p.address / machine_.line_bytes();
  seen.kind = p.is_store ? AccessKind::store : AccessKind::load;
  seen.segments.add(Segment::request_queue, now - p.since);
  spend(p, bus_queue, now);
  machine_.ownership_granted(core);
  perform(core);
  const FunctionalBus::Served& served = machine_.served();
  const bool from_memory = served.line && !served.from_cache;
  const Cycles data = now + timing_.transfer_cycles + (from_memory ? timing_.memory_cycles : 0);
  spend(p, !served.line ? bus_address : from_memory ? memory : other_cache, data);
  spend(p, reply, data + timing_.reply_cycles);
  machine_.waited(data + timing_.reply_cycles - p.since);
  bus_free_ = data + 1 + (served.wrote_back ? timing_.write_back_cycles : 0);
  complete(core, data + timing_.reply_cycles);
  if (miss_watch_ == nullptr || !region_.counting()) return;
  seen.segments.add(!served.line  ? Segment::request_link
                    : from_memory ? Segment::memory
                                  : Segment::owner,
                    data - now);
  seen.segments.add(Segment::reply_link, timing_.reply_cycles);
  seen.permission = !served.line;
  seen.ends(data + timing_.reply_cycles);
  miss_watch_->missed(core, seen);
}

std::uint64_t TimedBus::references() const {
  std::uint64_t sum = 0;
  for (const ReplayCounts& core : counts_) sum += core.references();
  return sum;
}

void TimedBus::account(TimeLedger& out) const {
  static constexpr std::array<std::string_view, owners> names = {"compute",     "l1_lookup",      "bus_queue",
                                                                 "bus_address", "cache_to_cache", "memory",
                                                                 "reply",       "synchronisation"};
  for (unsigned core = 0; core < processors_.size(); ++core) {
    const Processor& p = processors_[core];
    const std::string unit = fmt::format("core{}", core);
    const Cycles end = std::max(end_, p.accounted);
    out.unit(unit, counting_cycles(0, end));
    for (std::size_t o = 0; o < owners; ++o) out.owner(unit, names[o], p.spent[o]);
    out.owner(unit, "idle", counting_cycles(p.accounted, end));
  }
}

void TimedBus::digest(Digest& digest) const {
  for (const Processor& p : processors_) {
    digest.add(p.phase);
    digest.add(p.due);
    digest.add(p.since);
    digest.add(p.address);
    digest.add(p.size);
    for (const Cycles spent : p.spent) digest.add(spent);
  }
  for (std::size_t i = queue_front_; i < queue_.size(); ++i) digest.add(queue_[i]);
  digest.add(bus_free_);
  machine_.digest(digest);
}

void TimedBus::deadlock() const {
  std::string text;
  for (unsigned core = 0; core < processors_.size(); ++core) {
    const Processor& p = processors_[core];
    if (p.phase != Phase::waiting) continue;
    const auto found = signals_.find(p.at->address);
    text += fmt::format("{}thread {} waits for object {:#x} to be signalled {} times, signalled {}",
                        text.empty() ? "" : "; ", core, p.at->address, p.at->size,
                        found == signals_.end() ? 0 : found->second);
  }
  throw Error(Exit::limit, "deadlock: no thread can go on: " + text);
}

TimedBusRun run_timed_bus(TimedBus& bus, std::uint64_t seed, RunWatch* watch) {
  constexpr Cycles between_questions = 1 << 16;
  Engine engine;
  engine.add_domain({});
  engine.add(bus);
  engine.reset(seed);
  TimedBusRun run;
  const ClockDomain& clock = engine.wheel(0).clock();
  while (engine.next() != Engine::forever) {
    engine.run_cycles(clock.first_edge_from(engine.next()) + between_questions);
    if (watch != nullptr && !watch->keep_going(bus.references())) {
      run.complete = engine.next() == Engine::forever;
      break;
    }
  }
  bus.finish();
  run.cycles = bus.cycles();
  return run;
}

}  // namespace mesim
