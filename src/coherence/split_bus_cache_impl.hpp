// The cache controller at work; included by split_bus_cache.hpp.
#pragma once
#include <fmt/format.h>

#include <algorithm>

#include "coherence/split_bus_cache.hpp"

namespace mesim {

// What the actions of the table act on. A line for a cache and its copy for memory are one transfer: memory
// takes it off the bus as it passes.
template <class Value>
class SplitBusCache<Value>::Environment {
 public:
  Environment(SplitBusCache& cache, std::uint64_t line, Mshr* mshr, const Net& cause, Cycles now)
      : cache_(cache), line_(line), mshr_(mshr), cause_(cause), now_(now) {}

  split_bus::NodeId self() const { return cache_.self_; }
  void request(split_bus::RequestKind kind) {
    Net net = cause_;
    net.data = {};
    net.request = {kind, cache_.self_};
    net.line = line_;
    net.has_copy = has_copy;
    cache_.post(net, now_, Segment::lookup);
  }
  void send(const split_bus::DataMessage<Value>& message) {
    const bool to_memory = message.to == split_bus::memory_node;
    if (to_memory && !message.for_put) {
      copied_ = true;
      if (!held_) answer_ = message;
    } else {
      answer_ = message;
    }
    held_ = true;
  }
  // After the actions of a row.
  void flush() {
    if (!held_) return;
    const bool to_saved = mshr_ != nullptr && answers_saved(answer_);
    Net net = to_saved ? mshr_->saved_request : cause_;
    net.request = {};
    net.data = answer_;
    net.line = line_;
    net.copy_to_memory = copied_ && answer_.to != split_bus::memory_node;
    cache_.post(net, now_, Segment::owner);
  }
  void load(Value& value) { complete_all(value); }
  void store(Value& value) { complete_all(value); }
  // The line may be older than others' writes by now. A load may still use it if no older load of this core
  // is unperformed, because then it can be ordered before them; everything else asks again.
  void load_once(Value& value) {
    if (mshr_->targets == 0 || mshr_->target[0].order != cache_.oldest_load()) return;
    ++cache_.counters_.loads_once;
    cache_.complete(*mshr_, 0, value, now_, true);
    for (unsigned i = 1; i < mshr_->targets; ++i) mshr_->target[i - 1] = mshr_->target[i];
    --mshr_->targets;
  }

  bool has_copy = false;
  bool gone = false;  // a later request has taken the line already: others may have written it

 private:
  bool answers_saved(const split_bus::DataMessage<Value>& m) const {
    return mshr_->saved != split_bus::no_node && m.requestor == mshr_->saved;
  }
  void complete_all(Value& value) {
    for (unsigned i = 0; i < mshr_->targets; ++i) cache_.complete(*mshr_, i, value, now_, gone);
    mshr_->targets = 0;
  }

  SplitBusCache& cache_;
  std::uint64_t line_;
  Mshr* mshr_;
  const Net& cause_;
  Cycles now_;
  split_bus::DataMessage<Value> answer_{};
  bool held_ = false, copied_ = false;
};

template <class Value>
void SplitBusCache<Value>::read_hits() {
  using namespace split_bus;
  for (std::size_t s = 0; s < cache_state_count; ++s) {
    for (const auto& row : protocol_.cache().cell(static_cast<CacheState>(s), CacheEvent::Load)) {
      load_hits_[s] = row.actions.has(CacheAction::load);
    }
    for (const auto& row : protocol_.cache().cell(static_cast<CacheState>(s), CacheEvent::Store)) {
      if (row.actions.has(CacheAction::store)) store_hits_[s] = static_cast<std::uint8_t>(row.next);
    }
  }
}

template <class Value>
CoreHit SplitBusCache<Value>::try_hit(const CoreRequest& request, Cycles now) {
  const std::uint64_t line = line_of(request);
  const bool fetch = request.kind == AccessKind::fetch;
  const auto found = caches_.find(line, fetch);
  if (!found.place) return {};
  const std::uint8_t s = caches_.state(found.place);
  if (is_write(request)) {
    if (store_hits_[s] == 0) return {};
    if (sharing_ != nullptr) sharing_->stored(found.place, request);
    if (store_hits_[s] != s) {
      ++counters_.silent_upgrades;
      caches_.set_state(found.place, store_hits_[s]);
    }
  } else {
    if (!load_hits_[s]) return {};
  }
  const auto kind = static_cast<std::size_t>(request.kind);
  ++counters_.accesses[kind];
  counters_.bytes[kind] += request.size;
  caches_.at(now);
  const Cycles wait = caches_.wait_for_access(line, fetch, !found.in_l1);
  counters_.l2_hits[kind] += caches_.touch(line, found, request.kind, request.size);
  return {true, static_cast<std::uint16_t>(wait), found.latency + static_cast<std::uint32_t>(wait),
          perform(request, caches_.value(found.place))};
}

template <class Value>
MissReply SplitBusCache<Value>::miss(const CoreRequest& request, Cycles now) {
  using namespace split_bus;
  const std::uint64_t line = line_of(request);
  const bool fetch = request.kind == AccessKind::fetch;
  const auto kind = static_cast<std::size_t>(request.kind);
  Mshr* mshr = mshr_of(line);
  bool has_copy = false;
  if (mshr != nullptr) {
    if (!may_merge(*mshr, request)) return MissReply::refused;
    ++counters_.merged;
  } else {
    const auto free = std::find_if(mshrs_.begin(), mshrs_.end(), [](const Mshr& m) { return !m.active; });
    if (free == mshrs_.end() || eviction_of(line) != nullptr) return MissReply::refused;
    Place place = caches_.find(line, fetch).place;
    if (!place) {
      const bool buffer =
          std::any_of(evictions_.begin(), evictions_.end(), [](const Eviction& e) { return !e.active; });
      place = caches_.victim(line, fetch, [&](Place p) {
        const CacheState s = state(caches_.state(p));
        // what nobody owns goes silently
        return stable(s) && (buffer || !owns(s)) && (held_ == 0 || mshr_of(caches_.line_of(p)) == nullptr);
      });
      if (!place) return MissReply::refused;
      if (caches_.valid(place)) evict(place, now);
      // any transient state will do for the moment: the first action puts the right one
      caches_.fill(place, line, static_cast<std::uint8_t>(CacheState::IS_D), request.kind);
      caches_.set_state(place, static_cast<std::uint8_t>(CacheState::I));
      caches_.value(place) = Value{};
      ++counters_.misses[kind];
    } else {
      ++counters_.upgrades;
      caches_.touch_asked(line, fetch);
      has_copy = true;
    }
    mshr = &*free;
    *mshr = Mshr{};
    mshr->has_copy = has_copy;
    mshr->active = true;
    mshr->line = line;
    mshr->place = place;
  }
  mshr->target[mshr->targets++] = {request, accepted_++};
  mshr->to_hold = mshr->to_hold || request.hold;
  ++counters_.accesses[kind];
  counters_.bytes[kind] += request.size;
  if (mshr->targets == 1) {
    Net cause;
    cause.since = now;
    start(*mshr, cause, now);
  }
  return MissReply::accepted;
}

// Reads may join any miss whose line will come; writes only one that asked for permission to write. A line
// that has been promised to somebody else takes nobody more.
template <class Value>
bool SplitBusCache<Value>::may_merge(const Mshr& mshr, const CoreRequest& request) const {
  using enum split_bus::CacheState;
  if (mshr.targets == max_targets) return false;
  switch (state(caches_.state(mshr.place))) {
    case IS_AD:
    case IS_D:
    case IS_A:
    case IE_A:
      return !is_write(request);
    case IM_AD:
    case IM_D:
    case IM_A:
    case SM_AD:
    case SM_D:
    case SM_A:
    case OM_A:
      return true;
    default:
      return false;
  }
}

// The core's event of a miss: its request leaves. `cause` holds the miss's time so far.
template <class Value>
void SplitBusCache<Value>::start(Mshr& mshr, Net cause, Cycles now) {
  cause.request = {};
  cause.data = {};
  cause.copy_to_memory = false;
  mshr.answered = false;
  mshr.position = 0;
  const bool write = is_write(mshr.target[0].request);
  apply_to(mshr, write ? split_bus::CacheEvent::Store : split_bus::CacheEvent::Load, cause, now);
}

template <class Value>
void SplitBusCache<Value>::evict(Place place, Cycles now) {
  using namespace split_bus;
  const std::uint64_t line = caches_.line_of(place);
  const CacheState before = state(caches_.state(place));
  Line context{before, no_node, caches_.value(place)};
  Net cause;
  cause.since = now;
  Environment env(*this, line, nullptr, cause, now);
  const Incoming<Value> nothing{};
  if (apply(protocol_.cache(), CacheEvent::Evict, nothing, context, env) != Outcome::done)
    undefined(line, before, CacheEvent::Evict);
  ++counters_.evictions;
  counters_.writebacks += before == CacheState::M || before == CacheState::O;
  lose(line);
  if (sharing_ != nullptr) sharing_->leaves(place, line, 4 * snooped_ + 2);
  caches_.remove(place);
  if (context.state == CacheState::I) return;
  Eviction& out =
      *std::find_if(evictions_.begin(), evictions_.end(), [](const Eviction& e) { return !e.active; });
  out = {true, line, context};
}

template <class Value>
std::span<const CoreCompletion> SplitBusCache<Value>::receive(Cycles now) {
  completions_.clear();
  positions_.clear();
  bool arrived = false;
  inbox_.take(now, [&](unsigned port, const Net& net) {
    if (port == 0) {
      Net request = net;
      request.charge(Segment::home, now);
      snoops_.push(request);
      arrived = true;
      if (snoops_.size() == 1) next_snoop_ = now;
    } else {
      take_data(net, now);
      if (!snoops_.empty()) next_snoop_ = std::min(next_snoop_, now);  // what was stalled may go on
    }
  });
  bool taken = false;
  if (!snoops_.empty() && next_snoop_ <= now) {
    taken = take_request(snoops_.front(), now);
    if (taken) snoops_.pop();
    next_snoop_ = taken && !snoops_.empty() ? now + 1 : never;
    if (next_snoop_ != never) owner_.wake(next_snoop_);
  }
  const auto waiting = static_cast<std::uint32_t>(snoops_.size());
  if (arrived || taken) {
    if (waiting != told_) backlog_.send(now, {static_cast<std::int32_t>(waiting - told_)});
    told_ = waiting;
  }
  return completions_;
}

template <class Value>
void SplitBusCache<Value>::take_data(Net net, Cycles now) {
  using namespace split_bus;
  net.charge(Segment::reply_link, now);
  ++counters_.lines_received;
  const CacheEvent event = net.data.kind == DataKind::DataE ? CacheEvent::DataE : CacheEvent::Data;
  Mshr* mshr = mshr_of(net.line);
  if (mshr == nullptr) undefined(net.line, state_of(net.line), event);
  mshr->answer = net;
  mshr->answered = true;
  if (!apply_to(*mshr, event, net, now)) undefined(net.line, state(caches_.state(mshr->place)), event);
  settle_mshr(*mshr, now);
}

// The first request of the snoop queue; false if the table stalls it.
template <class Value>
bool SplitBusCache<Value>::take_request(Net& net, Cycles now) {
  using namespace split_bus;
  const bool own = net.request.requestor == self_;
  const CacheEvent event = cache_event(net.request.kind, own);
  Net cause = net;
  cause.charge(Segment::home_queue, now);
  if (Mshr* mshr = mshr_of(net.line)) {
    if (own) {
      mshr->position = snooped_ + 1;
      if (!mshr->answered) mshr->answer = cause;
    }
    if ((!own && kept(*mshr)) || !apply_to(*mshr, event, cause, now)) {
      ++counters_.stalled_forwards;
      return false;
    }
    settle_mshr(*mshr, now);
  } else if (Eviction* out = eviction_of(net.line)) {
    apply_to_eviction(*out, event, cause, now);
  } else {
    apply_to_stable(caches_.find(net.line, false).place, event, cause, now);
  }
  ++snooped_;
  counters_.snoops += !own;
  return true;
}

template <class Value>
void SplitBusCache<Value>::count_snoop(split_bus::CacheState before, split_bus::CacheState after,
                                       split_bus::CacheEvent event) {
  counters_.invalidations += event == split_bus::CacheEvent::OtherGetM && before != after;
}

template <class Value>
void SplitBusCache<Value>::apply_to_eviction(Eviction& out, split_bus::CacheEvent event, const Net& cause,
                                             Cycles now) {
  using namespace split_bus;
  Environment env(*this, out.line, nullptr, cause, now);
  const CacheState before = out.context.state;
  const Incoming<Value> in{cause.request, {}};
  if (apply(protocol_.cache(), event, in, out.context, env) != Outcome::done)
    undefined(out.line, before, event);
  env.flush();
  count_snoop(before, out.context.state, event);
  out.active = out.context.state != CacheState::I;
}

template <class Value>
void SplitBusCache<Value>::apply_to_stable(Place place, split_bus::CacheEvent event, const Net& cause,
                                           Cycles now) {
  using namespace split_bus;
  Line line;
  if (place) line = {state(caches_.state(place)), no_node, caches_.value(place)};
  const CacheState before = line.state;
  Environment env(*this, cause.line, nullptr, cause, now);
  const Incoming<Value> in{cause.request, {}};
  if (apply(protocol_.cache(), event, in, line, env) != Outcome::done) undefined(cause.line, before, event);
  env.flush();
  count_snoop(before, line.state, event);
  if (!place || line.state == before) return;
  if (sharing_ != nullptr) log_change(place, before, line.state, event, cause, 4 * (snooped_ + 1));
  if (line.state == CacheState::I) {
    lose(cause.line);
    caches_.remove(place);
  } else {
    caches_.set_state(place, static_cast<std::uint8_t>(line.state));
  }
}

// One event on a line with an MSHR; false if the table stalls it.
template <class Value>
bool SplitBusCache<Value>::apply_to(Mshr& mshr, split_bus::CacheEvent event, const Net& cause, Cycles now) {
  using namespace split_bus;
  const CacheState before = state(caches_.state(mshr.place));
  Line line{before, mshr.saved, caches_.value(mshr.place)};
  Environment env(*this, mshr.line, &mshr, cause, now);
  env.has_copy = before != CacheState::I;
  const auto rows = protocol_.cache().cell(before, event);
  env.gone = !rows.empty() && rows.front().next == CacheState::I;
  const Incoming<Value> in{cause.request, cause.data};
  const Outcome outcome = apply(protocol_.cache(), event, in, line, env);
  if (outcome == Outcome::stalled) return false;
  if (outcome == Outcome::undefined) undefined(mshr.line, before, event);
  env.flush();
  if (line.saved != no_node && mshr.saved == no_node) mshr.saved_request = cause;
  mshr.saved = line.saved;
  caches_.value(mshr.place) = line.value;
  caches_.set_state(mshr.place, static_cast<std::uint8_t>(line.state));
  if (readable(before) && !readable(line.state)) {
    caches_.hide(mshr.line);
    lose(mshr.line);
  }
  count_snoop(before, line.state, event);
  if (sharing_ != nullptr) {
    const bool snooped = event <= CacheEvent::OtherPutM;
    log_change(mshr.place, before, line.state, event, cause,
               snooped ? 4 * (snooped_ + 1) : 4 * mshr.position + 2);
  }
  return true;
}

template <class Value>
void SplitBusCache<Value>::log_change(Place place, split_bus::CacheState before, split_bus::CacheState after,
                                      split_bus::CacheEvent event, const Net& cause, std::uint64_t order) {
  if (store_hits_[static_cast<std::size_t>(after)] == 0) sharing_->leaves(place, cause.line, order);
  if (event == split_bus::CacheEvent::OtherGetM && before != after)
    sharing_->lost(cause.line, cause.request.requestor, order);
}

template <class Value>
std::uint64_t SplitBusCache<Value>::sharing_bound(Cycles) const {
  std::uint64_t bound = 4 * snooped_ + 2;
  for (const Mshr& m : mshrs_) {
    if (m.active && m.position != 0) bound = std::min(bound, 4 * m.position + 1);
  }
  return bound;
}

// After an event: the end of the miss.
template <class Value>
void SplitBusCache<Value>::settle_mshr(Mshr& mshr, Cycles now) {
  using namespace split_bus;
  const CacheState s = state(caches_.state(mshr.place));
  if (mshr.held || !stable(s)) return;
  if (s == CacheState::I) {
    if (mshr.targets != 0) {  // invalidated before it came, and not everybody could use it
      start(mshr, mshr.answer, now);
      return;
    }
    caches_.set_state(mshr.place, static_cast<std::uint8_t>(CacheState::IS_D));  // so that it counts as valid
    caches_.remove(mshr.place);
  }
  mshr.active = false;
}

template <class Value>
void SplitBusCache<Value>::complete(Mshr& mshr, unsigned target, Value& value, Cycles now, bool once) {
  const CoreRequest& request = mshr.target[target].request;
  CoreCompletion done;
  done.value = perform(request, value);
  if (is_write(request)) caches_.stored(mshr.line, request.size);
  done.token = request.token;
  done.segments = mshr.answer.segments;
  done.segments.add(Segment::invalidation_wait, now - mshr.answer.since);
  done.once = once;
  if (sharing_ != nullptr) {
    if (is_write(request)) sharing_->stored(mshr.place, request);
    if (target == 0) sharing_->missed(request, mshr.has_copy, done.segments.total(), 4 * mshr.position + 1);
  }
  if (request.hold && !mshr.held) {
    mshr.held = true;
    ++held_;
  }
  completions_.push_back(done);
  positions_.push_back(mshr.position);
  if (miss_watch_ == nullptr || target != 0) return;
  SeenMiss seen;
  seen.line = mshr.line;
  seen.segments = done.segments;
  seen.kind = request.kind;
  seen.permission = !mshr.answered;
  seen.ends(now);
  miss_watch_->missed(self_, seen);
}

template <class Value>
void SplitBusCache<Value>::let_go(std::uint64_t line, Cycles now) {
  Mshr* mshr = mshr_of(line);
  if (mshr == nullptr || !mshr->held) return;
  mshr->held = mshr->to_hold = false;
  --held_;
  settle_mshr(*mshr, now);
  if (snoops_.empty() || next_snoop_ != never) return;
  next_snoop_ = now + 1;
  owner_.wake(next_snoop_);
}

// The message goes on from the time of its cause; its cycles up to the end of the lookup belong to `segment`.
template <class Value>
void SplitBusCache<Value>::post(Net net, Cycles now, Segment segment) {
  caches_.at(now);
  const Cycles looked_up = now + caches_.lookup_cycles(net.carries_line());
  last_left_ = std::max(last_left_, looked_up + caches_.wait_for_state(net.line));
  net.charge(segment, looked_up);
  net.charge(Segment::bank_queue, last_left_);
  net.source = self_;
  counters_.lines_sent += net.carries_line();
  if (net.carries_line()) caches_.write_back(net.line);
  if (net.carries_line() && net.data.to != split_bus::memory_node) {
    ++counters_.cache_to_cache;
    ++counters_.interventions;
  }
  out_.send(now, net, last_left_ - now);
}

template <class Value>
std::uint64_t SplitBusCache<Value>::oldest_load() const {
  std::uint64_t oldest = ~std::uint64_t{0};
  for (const Mshr& m : mshrs_) {
    for (unsigned i = 0; m.active && i < m.targets; ++i) {
      if (!is_write(m.target[i].request)) oldest = std::min(oldest, m.target[i].order);
    }
  }
  return oldest;
}

template <class Value>
auto SplitBusCache<Value>::mshr_of(std::uint64_t line) -> Mshr* {
  for (Mshr& m : mshrs_) {
    if (m.active && m.line == line) return &m;
  }
  return nullptr;
}

template <class Value>
auto SplitBusCache<Value>::eviction_of(std::uint64_t line) -> Eviction* {
  for (Eviction& e : evictions_) {
    if (e.active && e.line == line) return &e;
  }
  return nullptr;
}

template <class Value>
bool SplitBusCache<Value>::idle() const {
  return snoops_.empty() &&
         std::none_of(mshrs_.begin(), mshrs_.end(), [](const Mshr& m) { return m.active; }) &&
         std::none_of(evictions_.begin(), evictions_.end(), [](const Eviction& e) { return e.active; });
}

template <class Value>
split_bus::CacheState SplitBusCache<Value>::state_of(std::uint64_t line) const {
  for (const Eviction& e : evictions_) {
    if (e.active && e.line == line) return e.context.state;
  }
  const Place place = caches_.find(line, false).place;
  return place ? state(caches_.state(place)) : split_bus::CacheState::I;
}

template <class Value>
void SplitBusCache<Value>::reset(std::uint64_t seed) {
  caches_.clear(seed + self_ * std::uint64_t{8});
  for (Mshr& m : mshrs_)
    if (m.active) m = Mshr{};
  for (Eviction& e : evictions_)
    if (e.active) e = Eviction{};
  snoops_.clear();
  told_ = 0;
  next_snoop_ = never;
  last_left_ = 0;
  snooped_ = 0;
  completions_.clear();
  positions_.clear();
  accepted_ = 0;
  held_ = 0;
  counters_ = {};
}

template <class Value>
void SplitBusCache<Value>::digest(Digest& digest) const {
  caches_.digest(digest);
  digest.add(last_left_);
  for (const Mshr& m : mshrs_) {
    digest.add(m.active);
    if (!m.active) continue;
    digest.add(m.line);
    digest.add(m.held * 2u + m.to_hold);
    digest.add(m.saved);
    digest.add(m.position);
    digest.add(m.targets);
    for (unsigned i = 0; i < m.targets; ++i) {
      digest.add(m.target[i].request.address);
      digest.add(m.target[i].request.token);
    }
  }
  for (const Eviction& e : evictions_) {
    digest.add(e.active);
    if (!e.active) continue;
    digest.add(e.line);
    digest.add(e.context.state);
    e.context.value.digest(digest);
  }
  digest.add(snoops_.size());
  for (std::size_t i = 0; i < snoops_.size(); ++i) snoops_[i].digest(digest);
  digest.add(snooped_);
  digest.add(next_snoop_);
}

template <class Value>
void SplitBusCache<Value>::undefined(std::uint64_t line, split_bus::CacheState s,
                                     split_bus::CacheEvent event) const {
  throw Error(Exit::internal,
              fmt::format("{}: cache {} in {} gets {} for line {:#x}, and the table has no row for it",
                          protocol_.name(), self_, name(s), name(event), line));
}

}  // namespace mesim
