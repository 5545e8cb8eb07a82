// The cache controller at work; included by directory_cache.hpp.
#pragma once
#include <algorithm>

#include "coherence/directory_cache.hpp"

namespace mesim {

// What the actions of the table act on.
template <class Value>
class DirectoryCache<Value>::Environment {
 public:
  // `time`: that of what happens to the line.
  Environment(DirectoryCache& cache, std::uint64_t line, Mshr* mshr, const MissTime& time, Cycles now)
      : cache_(cache), line_(line), mshr_(mshr), time_(time), now_(now) {}

  directory::NodeId self() const { return cache_.self_; }
  void send(const directory::Message<Value>& message) {
    using enum directory::MessageKind;
    const bool answers_saved = mshr_ != nullptr && message.kind == Data && message.to == mshr_->saved;
    const bool request = message.kind <= PutM;
    cache_.post(message, line_, answers_saved ? mshr_->saved_time : time_, now_,
                request ? Segment::lookup : Segment::owner);
  }
  void load(Value& value) { complete_all(value); }
  void store(Value& value) { complete_all(value); }
  // The line may be older than others' writes by now. A load may still use it if no older load of this core
  // is unperformed, because then it can be ordered before them; everything else asks again.
  void load_once(Value& value) {
    const std::uint64_t oldest = cache_.oldest_load();
    if (mshr_->targets == 0 || mshr_->target[0].order != oldest) return;
    ++cache_.counters_.loads_once;
    cache_.complete(*mshr_, 0, value, now_, true);
    for (unsigned i = 1; i < mshr_->targets; ++i) mshr_->target[i - 1] = mshr_->target[i];
    --mshr_->targets;
  }

 private:
  void complete_all(Value& value) {
    for (unsigned i = 0; i < mshr_->targets; ++i) cache_.complete(*mshr_, i, value, now_);
    mshr_->targets = 0;
  }

  DirectoryCache& cache_;
  std::uint64_t line_;
  Mshr* mshr_;
  const MissTime& time_;
  Cycles now_;
};

template <class Value>
void DirectoryCache<Value>::let_go(std::uint64_t line, Cycles now) {
  Mshr* mshr = mshr_of(line);
  if (mshr == nullptr || !mshr->held) return;
  mshr->held = false;
  --held_;
  settle_mshr(*mshr, now);
}

template <class Value>
MissReply DirectoryCache<Value>::miss(const CoreRequest& request, Cycles now) {
  const std::uint64_t line = line_of(request);
  const bool fetch = request.kind == AccessKind::fetch;
  const auto kind = static_cast<std::size_t>(request.kind);
  Mshr* mshr = mshr_of(line);
  caches_.at(now);
  const bool fresh = mshr == nullptr;
  bool first_use = false;
  bool absent = false;
  if (!fresh) {
    if (mshr->prefetch) asked_early(*mshr);
    if (!may_merge(*mshr, request)) return MissReply::refused;
    ++counters_.merged;
    caches_.wait_for_access(line, fetch, false);
    first_use = mshr->prefetch && !std::exchange(mshr->joined, true);
  } else {
    if (active_ == all_of(mshrs_.size()) || eviction_of(line) != nullptr) return MissReply::refused;
    Place place = caches_.place_of(line, fetch);
    absent = !place;
    if (absent) {
      place = room_for(line, fetch, now);
      if (!place) return MissReply::refused;
      take_place(place, line, request.kind);
      ++counters_.misses[kind];
    } else {
      ++counters_.upgrades;
      caches_.touch_asked(line, fetch);
      first_use = prefetch_ && prefetch_->use(place.array, place.slot);
    }
    mshr = &claim(line, place);
    mshr->has_copy = !absent;
  }
  mshr->target[mshr->targets++] = {request, accepted_++};
  ++counters_.accesses[kind];
  counters_.bytes[kind] += request.size;
  if (fresh) start(*mshr, now, now);
  if (prefetch_) observe(request, absent, first_use, now);
  return MissReply::accepted;
}

// A slot for a new line, whose old line is sent on its way; none if there is no way to have one now.
template <class Value>
auto DirectoryCache<Value>::room_for(std::uint64_t line, bool fetch, Cycles now) -> Place {
  const bool can_evict = leaving_ != all_of(evictions_.size());
  const Place place = caches_.victim(line, fetch, [&](Place p) {
    return can_evict && directory::stable(state(caches_.state(p))) &&
           (held_ == 0 || mshr_of(caches_.line_of(p)) == nullptr);
  });
  if (place && caches_.valid(place)) evict(place, now);
  return place;
}

template <class Value>
void DirectoryCache<Value>::take_place(Place place, std::uint64_t line, std::optional<AccessKind> kind) {
  // the first action puts the right state
  const auto any = static_cast<std::uint8_t>(directory::CacheState::I);
  kind ? caches_.fill(place, line, any, *kind) : caches_.fill(place, line, any);
  caches_.value(place) = Value{};
}

template <class Value>
[[gnu::always_inline]] inline auto DirectoryCache<Value>::claim(std::uint64_t line, Place place) -> Mshr& {
  const auto free = static_cast<unsigned>(std::countr_one(active_));
  Mshr& mshr = mshrs_[free];
  mshr_lines_[free] = line;
  active_ |= std::uint64_t{1} << free;
  mshr.prefetch = mshr.joined = mshr.late = mshr.has_copy = false;
  mshr.line = line;
  mshr.place = place;
  ledgers_[free] = {};
  mshr.targets = 0;
  return mshr;
}

// ---- prefetching ----

// An access of the core, after it was counted; what the prefetcher makes of it leaves in the same cycle.
template <class Value>
void DirectoryCache<Value>::observe(const CoreRequest& request, bool miss, bool first_use, Cycles now) {
  if (request.kind == AccessKind::fetch || request.second_part) return;
  for (const std::uint64_t line : prefetch_->observe({request.address, request.pc, miss, first_use}))
    prefetch(line, now);
}

template <class Value>
void DirectoryCache<Value>::prefetch(std::uint64_t line, Cycles now) {
  PrefetchCounters& count = prefetch_->counters;
  if (mshr_of(line) != nullptr || eviction_of(line) != nullptr || caches_.find(line, false).place) {
    ++count.redundant;
    return;
  }
  const std::uint64_t free = all_of(mshrs_.size()) & ~active_;
  const bool another = (free & (free - 1)) != 0;  // the last MSHR is the core's
  const Place place = another ? room_for(line, false, now) : Place{};
  if (!place) {
    ++count.dropped;
    return;
  }
  ++count.issued;
  take_place(place, line, std::nullopt);
  Mshr& mshr = claim(line, place);
  mshr.prefetch = true;
  start(mshr, now, now);
}

template <class Value>
void DirectoryCache<Value>::asked_early(Mshr& mshr) {
  if (!std::exchange(mshr.late, true)) ++prefetch_->counters.late;
}

// Reads may join any miss whose line will come; writes only one that asked for permission to write. A line
// that has been promised to somebody else takes nobody more.
template <class Value>
bool DirectoryCache<Value>::may_merge(const Mshr& mshr, const CoreRequest& request) const {
  using enum directory::CacheState;
  if (mshr.targets == max_targets || !mshr.stalled.empty()) return false;
  switch (state(caches_.state(mshr.place))) {
    case IS_D:
      return !is_write(request.kind);
    case IM_AD:
    case IM_A:
    case SM_AD:
    case SM_A:
    case OM_AC:
    case OM_A:
      return true;
    default:
      return false;
  }
}

// The core's event of a miss: its request leaves. All cycles before `since` are in its ledger.
template <class Value>
void DirectoryCache<Value>::start(Mshr& mshr, Cycles since, Cycles now) {
  using directory::CacheEvent;
  mshr.acks = 0;
  const bool write = mshr.targets != 0 && is_write(mshr.target[0].request.kind);
  if (caches_.limited()) {
    const bool fetch = mshr.targets != 0 && mshr.target[0].request.kind == AccessKind::fetch;
    request_wait_ = mshr.targets == 0 ? caches_.wait_for_state(mshr.line)
                                      : caches_.wait_for_access(mshr.line, fetch, true);
  }
  apply_to(mshr, {}, write ? CacheEvent::Store : CacheEvent::Load, {since, &ledger(mshr)}, now);
}

template <class Value>
void DirectoryCache<Value>::evict(Place place, Cycles now) {
  using namespace directory;
  const int free = std::countr_one(leaving_);
  leaving_ |= std::uint64_t{1} << free;
  Eviction& out = evictions_[static_cast<std::size_t>(free)];
  out.line = caches_.line_of(place);
  out.context = {state(caches_.state(place)), 0, no_node, caches_.value(place)};
  const MissTime time{now};
  Environment env(*this, out.line, nullptr, time, now);
  const CacheState before = out.context.state;
  if (react(out.context, CacheEvent::Evict, Message<Value>{}, out.line, env) == nullptr)
    undefined(out.line, before, CacheEvent::Evict);
  lose(out.line);
  if (sharing_ != nullptr) sharing_->leaves(place, out.line, 2 * now + 1);
  ++counters_.evictions;
  counters_.writebacks += before == CacheState::M || before == CacheState::O;
  if (prefetch_) prefetch_->leaves(place.array, place.slot);
  caches_.hide(out.line);  // another line takes its place at once
}

// The row for an event on a line, performed; null if it stalls.
template <class Value>
auto DirectoryCache<Value>::react(Line& line, directory::CacheEvent event,
                                  const directory::Message<Value>& message, std::uint64_t number,
                                  Environment& env) -> const directory::CacheTable::Row* {
  using namespace directory;
  const auto* row = find_row(protocol_.cache(), event, message, line);
  if (row == nullptr) [[unlikely]]
    undefined(number, line.state, event);
  const auto& known = protocol_.facts(*row);
  if (known.stalls) return nullptr;
  KnownCacheActions::perform_row(known.usual_actions, *row, message, line, env);
  return row;
}

template <class Value>
std::span<const CoreCompletion> DirectoryCache<Value>::receive(Cycles now) {
  completions_.clear();
  misses_went_on_ = false;
  caches_.at(now);
  inbox_.take(
      now, [&](unsigned, const Net& net) __attribute__((always_inline)) { take(net, now); });
  return completions_;
}

template <class Value>
[[gnu::always_inline]] inline void DirectoryCache<Value>::take(const Net& net, Cycles now) {
  const auto& kind = protocol_.facts(net.message.kind);
  const bool forward = kind.network == 1;
  MissTime time = net.time;
  time.charge(Segment::reply_link, now);
  const bool with_line = net.size_bytes > Net::header_bytes;
  counters_.lines_received += with_line;
  if (with_line) caches_.wait_for_state(net.line);  // nobody waits for the line to be written
  counters_.snoops += forward;
  if (Mshr* mshr = mshr_for(net)) {
    misses_went_on_ = true;
    if (forward && (mshr->held || !mshr->stalled.empty())) {
      leave_in_queue(*mshr, net, time);
    } else if (apply_to(*mshr, net.message, directory::cache_event(net.message.kind), time, now)) {
      settle_mshr(*mshr, now);
    } else {
      ++counters_.stalled_forwards;
      leave_in_queue(*mshr, net, time);
    }
  } else {
    take_without_miss(net, time, now);
  }
}

template <class Value>
void DirectoryCache<Value>::take_without_miss(const Net& net, const MissTime& time, Cycles now) {
  if (Eviction* out = eviction_of(net.line)) {
    apply_to_eviction(*out, net, time, now);
  } else {
    apply_to_stable(caches_.place_of(net.line, false), net, time, now);
  }
}

// The MSHR that a message is about, or null. An answer knows the ledger of its miss.
template <class Value>
[[gnu::always_inline]] inline auto DirectoryCache<Value>::mshr_for(const Net& net) -> Mshr* {
  using enum directory::MessageKind;
  const directory::MessageKind kind = net.message.kind;
  if (kind == PutAck) return nullptr;  // a line that is on its way out has none
  if ((kind == Data || kind == DataE) && net.time.ledger != nullptr) {
    const auto i = static_cast<std::size_t>(net.time.ledger - ledgers_.data());
    if ((active_ >> i & 1) != 0 && mshr_lines_[i] == net.line) [[likely]]
      return &mshrs_[i];
  }
  return mshr_of(net.line);
}

template <class Value>
void DirectoryCache<Value>::leave_in_queue(Mshr& mshr, const Net& net, const MissTime& time) {
  Net& left = mshr.stalled.push();
  left = net;
  left.time = time;
}

template <class Value>
void DirectoryCache<Value>::apply_to_eviction(Eviction& out, const Net& net, const MissTime& time,
                                              Cycles now) {
  using namespace directory;
  Environment env(*this, net.line, nullptr, time, now);
  const CacheState before = out.context.state;
  const CacheEvent event = cache_event(net.message.kind);
  if (react(out.context, event, net.message, net.line, env) == nullptr) undefined(net.line, before, event);
  count_forward(net.message.kind);
  if (out.context.state == CacheState::I) leaving_ &= ~(std::uint64_t{1} << (&out - evictions_.data()));
}

template <class Value>
void DirectoryCache<Value>::apply_to_stable(Place place, const Net& net, const MissTime& time, Cycles now) {
  using namespace directory;
  const CacheEvent event = cache_event(net.message.kind);
  // a directory that over-approximates may take this cache for a sharer of a line that it has not
  const CacheState before = place ? state(caches_.state(place)) : CacheState::I;
  Line line{before, 0, no_node, place ? caches_.value(place) : Value{}};
  Environment env(*this, net.line, nullptr, time, now);
  if (react(line, event, net.message, net.line, env) == nullptr) undefined(net.line, before, event);
  if (!place) return;
  count_forward(net.message.kind);
  if (sharing_ != nullptr) log_change(place, net.line, before, line.state, net.message.requestor, now);
  if (line.state == CacheState::I) {
    if (prefetch_) prefetch_->leaves(place.array, place.slot);
    lose(net.line);
    caches_.remove(place);
  } else {
    caches_.set_state(place, static_cast<std::uint8_t>(line.state));
    caches_.value(place) = line.value;
  }
}

template <class Value>
void DirectoryCache<Value>::count_forward(directory::MessageKind kind) {
  using enum directory::MessageKind;
  counters_.invalidations += kind == Inv || kind == FwdGetM;
  counters_.interventions += kind == FwdGetS || kind == FwdGetM;
}

// One event on a line with an MSHR; false if the table stalls it.
template <class Value>
bool DirectoryCache<Value>::apply_to(Mshr& mshr, const directory::Message<Value>& message,
                                     directory::CacheEvent event, const MissTime& time, Cycles now) {
  using namespace directory;
  const CacheState before = state(caches_.state(mshr.place));
  if (event == CacheEvent::Data || event == CacheEvent::DataE || event == CacheEvent::AckCount) {
    mshr.answered = now;
    mshr.permission = event == CacheEvent::AckCount;
  }
  Line line{before, mshr.acks, mshr.saved, caches_.value(mshr.place)};
  Environment env(*this, mshr.line, &mshr, time, now);
  const auto* row = react(line, event, message, mshr.line, env);
  if (row == nullptr) return false;
  if (protocol_.facts(*row).saves_requestor) mshr.saved_time = time;
  if (event <= CacheEvent::AckCount && event > CacheEvent::Evict) count_forward(message.kind);
  mshr.acks = line.acks;
  mshr.saved = line.saved;
  caches_.value(mshr.place) = line.value;
  caches_.set_state(mshr.place, static_cast<std::uint8_t>(line.state));
  if (readable(before) && !readable(line.state)) {
    caches_.hide(mshr.line);
    lose(mshr.line);
  }
  if (sharing_ != nullptr) log_change(mshr.place, mshr.line, before, line.state, message.requestor, now);
  return true;
}

template <class Value>
void DirectoryCache<Value>::log_change(Place place, std::uint64_t line, directory::CacheState before,
                                       directory::CacheState after, directory::NodeId by, Cycles now) {
  if (hits_.store[static_cast<std::size_t>(after)] == 0) sharing_->leaves(place, line, 2 * now + 1);
  if (directory::readable(before) && !directory::readable(after)) sharing_->lost(line, by, 2 * now + 1);
}

// After an event: forwards that waited, and the end of the miss.
template <class Value>
void DirectoryCache<Value>::settle_mshr(Mshr& mshr, Cycles now) {
  using namespace directory;
  if (mshr.held) return;
  for (;;) {
    const CacheState s = state(caches_.state(mshr.place));
    if (mshr.stalled.empty()) {
      if (!stable(s)) return;
      break;
    }
    const Net forward = mshr.stalled.front();
    if (!apply_to(mshr, forward.message, cache_event(forward.message.kind), forward.time, now)) return;
    mshr.stalled.pop();
  }
  const bool kept = state(caches_.state(mshr.place)) != CacheState::I;
  if (std::exchange(mshr.prefetch, false)) {
    if (miss_watch_ != nullptr && !mshr.joined) show(mshr, AccessKind::load, now);
    if (kept) {
      prefetch_->came(mshr.place.array, mshr.place.slot, mshr.joined);
    } else {
      ++prefetch_->counters.lost;
    }
  }
  if (!kept) {
    if (mshr.targets != 0) {  // invalidated before it came, and not everybody could use it
      start(mshr, mshr.answered, now);
      return;
    }
    caches_.set_state(mshr.place, static_cast<std::uint8_t>(CacheState::IS_D));  // so that it counts as valid
    caches_.remove(mshr.place);
  }
  active_ &= ~(std::uint64_t{1} << (&mshr - mshrs_.data()));
}

template <class Value>
void DirectoryCache<Value>::complete(Mshr& mshr, unsigned target, Value& value, Cycles now, bool once) {
  const CoreRequest& request = mshr.target[target].request;
  CoreCompletion done;
  done.value = perform(request, value);
  if (is_write(request.kind)) caches_.stored(mshr.line, request.size);
  done.token = request.token;
  done.segments = segments(mshr, now);
  done.once = once;
  if (sharing_ != nullptr) {
    if (is_write(request.kind)) sharing_->stored(mshr.place, request);
    if (target == 0) sharing_->missed(request, mshr.has_copy, done.segments.total(), 2 * now);
  }
  if (request.hold && !mshr.held) {
    mshr.held = true;
    ++held_;
  }
  completions_.push_back(done);
  if (miss_watch_ != nullptr && target == 0) show(mshr, request.kind, now);
}

// Those that joined a miss are not shown beside it.
template <class Value>
void DirectoryCache<Value>::show(const Mshr& mshr, AccessKind kind, Cycles now) const {
  SeenMiss seen;
  seen.line = mshr.line;
  seen.segments = segments(mshr, now);
  seen.kind = kind;
  seen.prefetch = mshr.targets == 0;
  seen.permission = mshr.permission;
  seen.ends(now);
  miss_watch_->missed(self_, seen);
}

// `time`: what the message goes on from; its cycles up to the end of the lookup belong to `segment`.
template <class Value>
void DirectoryCache<Value>::post(const directory::Message<Value>& message, std::uint64_t line,
                                 const MissTime& time, Cycles now, Segment segment) {
  const auto& kind = protocol_.facts(message.kind);
  const bool put =
      message.kind >= directory::MessageKind::PutS && message.kind <= directory::MessageKind::PutM;
  const bool data = kind.data || (put && config_.victims_carry_lines);
  const bool to_home = message.to == directory::home_node;
  counters_.lines_sent += data;
  if (data) caches_.write_back(line);
  counters_.cache_to_cache += message.kind == directory::MessageKind::Data && !to_home;
  caches_.at(now);
  const Cycles looked_up = now + lookup_cycles_[data];
  const bool request = message.kind <= directory::MessageKind::GetM;
  const Cycles wait = request ? request_wait_ : caches_.wait_for_state(line);
  last_left_ = std::max(last_left_, looked_up + wait);
  const directory::NodeId destination = to_home ? homes_.node_of(line) : message.to;
  const std::uint16_t size_bytes = Net::size_of(kind.data, config_.l1d.line_bytes);
  out_.send_made(now, last_left_ - now, {destination, kind.network, size_bytes}, [&](Net& net) {
    net.message = message;
    net.line = line;
    net.time = {last_left_, nullptr};
    if (kind.time && !(to_home && kind.data)) {  // not the copy for the home
      time.add(segment, looked_up - time.since);
      time.add(Segment::bank_queue, last_left_ - looked_up);
      net.time.ledger = time.ledger;
    }
    net.destination = destination;
    net.source = self_;
    net.size_bytes = size_bytes;
    net.network = kind.network;
  });
}

template <class Value>
std::uint64_t DirectoryCache<Value>::oldest_load() const {
  std::uint64_t oldest = ~std::uint64_t{0};
  for (std::uint64_t left = active_; left != 0; left &= left - 1) {
    const Mshr& m = mshrs_[static_cast<unsigned>(std::countr_zero(left))];
    for (unsigned i = 0; i < m.targets; ++i) {
      if (!is_write(m.target[i].request.kind)) oldest = std::min(oldest, m.target[i].order);
    }
  }
  return oldest;
}

template <class Value>
auto DirectoryCache<Value>::mshr_of(std::uint64_t line) -> Mshr* {
  for (std::uint64_t left = active_; left != 0; left &= left - 1) {
    const auto i = static_cast<unsigned>(std::countr_zero(left));
    if (mshr_lines_[i] == line) return &mshrs_[i];
  }
  return nullptr;
}

template <class Value>
auto DirectoryCache<Value>::eviction_of(std::uint64_t line) -> Eviction* {
  for (std::uint64_t left = leaving_; left != 0; left &= left - 1) {
    Eviction& out = evictions_[static_cast<unsigned>(std::countr_zero(left))];
    if (out.line == line) return &out;
  }
  return nullptr;
}

template <class Value>
bool DirectoryCache<Value>::idle() const {
  return active_ == 0 && leaving_ == 0;
}

template <class Value>
directory::CacheState DirectoryCache<Value>::state_of(std::uint64_t line) const {
  for (std::uint64_t left = leaving_; left != 0; left &= left - 1) {
    const Eviction& out = evictions_[static_cast<unsigned>(std::countr_zero(left))];
    if (out.line == line) return out.context.state;
  }
  const Place place = caches_.find(line, false).place;
  return place ? state(caches_.state(place)) : directory::CacheState::I;
}

template <class Value>
void DirectoryCache<Value>::reset(std::uint64_t seed) {
  caches_.clear(seed + self_ * std::uint64_t{8});
  point_at_hits();
  for (std::uint64_t left = active_; left != 0; left &= left - 1)
    mshrs_[static_cast<unsigned>(std::countr_zero(left))] = Mshr{};
  active_ = 0;
  leaving_ = 0;
  completions_.clear();
  log_.end();
  if constexpr (std::is_empty_v<Value>) {
    hit_runs_ = (!config_.prefetcher.enabled() || config_.l2) && !caches_.limited() &&
                Hits::possible(caches_.first_level(), line_bits_);
  }
  accepted_ = 0;
  held_ = 0;
  last_left_ = 0;
  counters_ = {};
  if (config_.prefetcher.enabled()) prefetch_.emplace(config_.prefetcher, line_bits_, caches_.slots());
}

template <class Value>
void DirectoryCache<Value>::digest(Digest& digest) const {
  caches_.digest(digest);
  if (prefetch_) prefetch_->digest(digest);
  digest.add(last_left_);
  digest.add(active_);
  for (std::uint64_t left = active_; left != 0; left &= left - 1) {
    const Mshr& m = mshrs_[static_cast<unsigned>(std::countr_zero(left))];
    digest.add(m.prefetch);
    digest.add(m.joined);
    digest.add(m.line);
    digest.add(static_cast<std::uint16_t>(m.acks));
    digest.add(m.saved);
    digest.add(m.targets);
    for (unsigned i = 0; i < m.targets; ++i) {
      digest.add(m.target[i].request.address);
      digest.add(m.target[i].request.token);
    }
    for (std::size_t i = 0; i < m.stalled.size(); ++i) m.stalled[i].digest(digest);
  }
  digest.add(leaving_);
  for (std::uint64_t left = leaving_; left != 0; left &= left - 1) {
    const Eviction& e = evictions_[static_cast<unsigned>(std::countr_zero(left))];
    digest.add(e.line);
    digest.add(e.context.state);
    e.context.value.digest(digest);
  }
}

template <class Value>
void DirectoryCache<Value>::undefined(std::uint64_t line, directory::CacheState s,
                                      directory::CacheEvent event) const {
  throw Error(Exit::internal,
              fmt::format("{}: cache {} in {} gets {} for line {:#x}, and the table has no row for it",
                          protocol_.name(), self_, name(s), name(event), line));
}

}  // namespace mesim
