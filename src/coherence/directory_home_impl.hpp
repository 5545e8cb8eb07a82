// The home at work; included by directory_home.hpp.
#pragma once
#include <fmt/format.h>

#include <bit>

#include "coherence/directory_home.hpp"

namespace mesim {

template <class Value, class Sharers>
class DirectoryHome<Value, Sharers>::Environment {
 public:
  Environment(DirectoryHome& home, const Entry* entry, const Origin& origin, Cycles begin, Cycles now)
      : home_(home), entry_(entry), origin_(origin), begin_(begin), now_(now) {}
  [[gnu::always_inline]] void send(const directory::Message<Value>& message) {
    home_.post(message.kind, message.to, message.requestor, message.acks, value_of(message), origin_, begin_,
               now_);
  }
  void write_dma(Value& value) { value = entry_->dma; }

 private:
  static const Value* value_of(const directory::Message<Value>& message) {
    return std::is_empty_v<Value> ? nullptr : &message.value;
  }

  DirectoryHome& home_;
  const Entry* entry_;
  const Origin& origin_;
  Cycles begin_, now_;
};

template <class Value, class Sharers>
DirectoryHome<Value, Sharers>::DirectoryHome(const HomeConfig& config, std::uint32_t line_bytes,
                                             const directory::Protocol& protocol, HomeMap homes,
                                             unsigned index)
    : config_(config),
      line_bits_(static_cast<unsigned>(std::countr_zero(line_bytes))),
      protocol_(protocol),
      homes_(homes),
      nobody_(empty_set<Sharers>(protocol.options().directory, homes.first_node)),
      home_bits_(std::has_single_bit(homes.homes) ? std::countr_zero(homes.homes) : -1),
      index_(index) {}

template <class Value, class Sharers>
void DirectoryHome<Value, Sharers>::step(Cycles now) {
  replies_.take(now, [&](unsigned, const MemoryReply& reply) { memory_answered(reply, now); });
  inbox_.take(now, [&](unsigned, const Net& net) { arrived(net, now); });
}

template <class Value, class Sharers>
void DirectoryHome<Value, Sharers>::arrived(const Net& net, Cycles now) {
  using namespace directory;
  const HomeEvent event = home_event(net.message.kind);
  const auto [found, fresh] = lines_.try_emplace(net.line);
  Entry& entry = found.value();
  if constexpr (!std::is_same_v<Sharers, FullMap>) {
    if (fresh) entry.line.sharers = nobody_;
  }
  count(event);
  if (event <= HomeEvent::GetM || event >= HomeEvent::DmaRead) {
    request(entry, event, net, now);
  } else {
    execute(entry, event, find_row(protocol_.home(), event, net.message, entry.line), net, 0, now, now);
    drain(entry, false, now);
  }
  if (forgettable(entry)) lines_.erase(found);
}

template <class Value, class Sharers>
void DirectoryHome<Value, Sharers>::request(Entry& entry, directory::HomeEvent event, const Net& net,
                                            Cycles now) {
  if (entry.first != none) {
    enqueue(entry, net, now);
    return;
  }
  const Row* row = find_row(protocol_.home(), event, net.message, entry.line);
  if (row != nullptr && protocol_.facts(*row).stalls) {
    enqueue(entry, net, now);
  } else if (row != nullptr && protocol_.facts(*row).needs_data && !read_llc(net.line, net.source)) {
    fetch(entry, enqueue(entry, net, now), now);
  } else {
    execute(entry, event, row, net, now - net.time.since, now, now);
  }
}

// The requests of a line that waited, as far as they can go now. Whose row sends the home's data needs it in
// the last level.
template <class Value, class Sharers>
void DirectoryHome<Value, Sharers>::drain(Entry& entry, bool have_data, Cycles now) {
  using namespace directory;
  while (entry.first != none && !entry.fetching) {
    const std::uint32_t at = entry.first;
    Net& net = waiting_[at].net;
    const HomeEvent event = home_event(net.message.kind);
    const Row* row = find_row(protocol_.home(), event, net.message, entry.line);
    if (row != nullptr && protocol_.facts(*row).stalls) return;
    if (row != nullptr && protocol_.facts(*row).needs_data && !have_data && !read_llc(net.line, net.source)) {
      fetch(entry, net, now);
      return;
    }
    execute(entry, event, row, net, 0, net.time.since, now);
    have_data = false;
    entry.first = waiting_[at].next;
    if (entry.first == none) entry.last = none;
    waiting_[at].next = free_waiting_;
    free_waiting_ = at;
  }
}

// The first waiting request needs the line from memory.
template <class Value, class Sharers>
void DirectoryHome<Value, Sharers>::fetch(Entry& entry, Net& net, Cycles now) {
  const Cycles begin = service(now);
  net.time.charge(Segment::home_queue, begin);
  net.time.charge(Segment::home, begin + config_.latency_cycles);
  to_memory(net.line, false, net.source, begin, now);
  entry.fetching = true;
}

template <class Value, class Sharers>
void DirectoryHome<Value, Sharers>::execute(Entry& entry, directory::HomeEvent event, const Row* row,
                                            const Net& net, Cycles link, Cycles since, Cycles now) {
  using namespace directory;
  const Cycles begin = service(now);
  const Origin origin{net.line, net.time.ledger, link, since};
  if constexpr (!std::is_empty_v<Value>) {
    if (event == HomeEvent::DmaWrite) entry.dma = net.message.value;
  }
  const HomeState before = entry.line.state;
  if (row == nullptr || protocol_.facts(*row).stalls) [[unlikely]] {
    throw Error(Exit::internal,
                fmt::format("{}: home in {} gets {} for line {:#x}, and the table has no row for it",
                            protocol_.name(), name(before), name(event), net.line));
  }
  Environment env(*this, &entry, origin, begin, now);
  directory::KnownHomeActions::perform_row(protocol_.facts(*row).usual_actions, *row, net.message, entry.line,
                                           env);
  if (entries_) keep_entry(net.line, before, entry.line.state, begin, now);
  if (!protocol_.facts(*row).writes_data) return;
  // a line that was recalled may have lost its place
  const bool recalled = before == HomeState::R_D || before == HomeState::R_AD;
  if ((recalled && (!llc_ || llc_->find(slice_line(net.line)) == no_slot)) || !llc_ ||
      (event != HomeEvent::Data && bypass_)) {
    to_memory(net.line, true, net.source, begin, now);
  } else {
    write_llc(net.line, net.source, begin, now);
  }
}

template <class Value, class Sharers>
void DirectoryHome<Value, Sharers>::count(directory::HomeEvent event) {
  using enum directory::HomeEvent;
  ++counters_.lookups;
  counters_.gets += event == GetS;
  counters_.getm += event == GetM;
  counters_.puts += event == PutS || event == PutE || event == PutM;
  counters_.dma_reads += event == DmaRead;
  counters_.dma_writes += event == DmaWrite;
}

// Puts a request that came in this cycle at the end of its line's queue.
template <class Value, class Sharers>
auto DirectoryHome<Value, Sharers>::enqueue(Entry& entry, const Net& net, Cycles now) -> Net& {
  std::uint32_t at = free_waiting_;
  if (at == none) {
    at = static_cast<std::uint32_t>(waiting_.size());
    waiting_.emplace_back();
  } else {
    free_waiting_ = waiting_[at].next;
  }
  waiting_[at].net = net;
  waiting_[at].next = none;
  waiting_[at].net.time.charge(Segment::request_link, now);
  (entry.first == none ? entry.first : waiting_[entry.last].next) = at;
  entry.last = at;
  return waiting_[at].net;
}

template <class Value, class Sharers>
void DirectoryHome<Value, Sharers>::memory_answered(const MemoryReply& reply, Cycles now) {
  const std::uint64_t line = reply.address >> line_bits_;
  const auto found = lines_.find(line);
  Entry& entry = found.value();
  entry.fetching = false;
  Net& net = waiting_[entry.first].net;
  net.time.charge(Segment::memory_queue, std::min<Cycles>(net.time.since + reply.queue_cycles, now));
  net.time.charge(Segment::memory, now);
  if (llc_) fill_llc(line, clean, net.source, service(now), now);
  drain(entry, true, now);
  if (forgettable(entry)) lines_.erase(found);
}

// ---- last level and memory ----

template <class Value, class Sharers>
bool DirectoryHome<Value, Sharers>::read_llc(std::uint64_t line, std::uint16_t by) {
  if (!llc_) return false;
  ++counters_.llc_reads;
  ++counters_.moved_by(by).read;
  const Slot slot = llc_->find(slice_line(line));
  if (slot == no_slot) {
    ++counters_.llc_read_misses;
    return false;
  }
  llc_->touch(slot);
  return true;
}

template <class Value, class Sharers>
void DirectoryHome<Value, Sharers>::write_llc(std::uint64_t line, std::uint16_t by, Cycles begin,
                                              Cycles now) {
  ++counters_.llc_writes;
  ++counters_.moved_by(by).written;
  const Slot slot = llc_->find(slice_line(line));
  if (slot == no_slot) {
    ++counters_.llc_write_misses;
    fill_llc(line, dirty, by, begin, now);
  } else {
    llc_->touch(slot);
    llc_->set_state(slot, dirty);
  }
}

template <class Value, class Sharers>
void DirectoryHome<Value, Sharers>::fill_llc(std::uint64_t line, LlcState state, std::uint16_t by,
                                             Cycles begin, Cycles now) {
  const Slot slot = replaceable(*llc_, slice_line(line));
  if (slot == no_slot) {
    ++counters_.unallocated_fills;
    if (state == dirty) to_memory(line, true, by, begin, now);
    return;
  }
  if (llc_->valid(slot)) give_up(slot, by, begin, now);
  llc_->fill(slot, slice_line(line), state);
  counters_.llc_fills += state == clean;
}

// The slot for a new line: free, or of a line that may go now; the policy's choice if it may. None if no line
// of the set may.
template <class Value, class Sharers>
Slot DirectoryHome<Value, Sharers>::replaceable(TagArray<>& array, std::uint64_t own) const {
  const std::uint32_t set = array.set_of(own);
  const Slot wanted = array.victim(set);
  const bool recalls = !llc_ || &array != &*llc_ || config_.inclusive;
  const auto may_go = [&](Slot slot) {
    return !array.valid(slot) || !recalls || can_recall(global_line(array.line_of(slot)));
  };
  if (may_go(wanted)) return wanted;
  for (std::uint32_t way = 0; way < array.geometry().ways; ++way) {
    const Slot slot = array.slot_of(set, way);
    if (may_go(slot)) return slot;
  }
  return no_slot;
}

// Only a line that is in no transition can be recalled at once.
template <class Value, class Sharers>
bool DirectoryHome<Value, Sharers>::can_recall(std::uint64_t line) const {
  const auto found = lines_.find(line);
  return found == lines_.end() || (stable(found->second.line.state) && !found->second.fetching);
}

template <class Value, class Sharers>
void DirectoryHome<Value, Sharers>::give_up(Slot slot, std::uint16_t by, Cycles begin, Cycles now) {
  using namespace directory;
  const std::uint64_t line = global_line(llc_->line_of(slot));
  ++counters_.llc_evictions;
  if (llc_->state(slot) == dirty) {
    ++counters_.llc_writebacks;
    to_memory(line, true, by, begin, now);
  }
  llc_->invalidate(slot);
  if (config_.inclusive) recall(line, begin, now);
}

// Takes a line back from all caches that have it. It is in a stable state, or nobody's.
template <class Value, class Sharers>
void DirectoryHome<Value, Sharers>::recall(std::uint64_t line, Cycles begin, Cycles now) {
  using namespace directory;
  const auto found = lines_.find(line);
  if (found == lines_.end() || found->second.line.state == HomeState::I) return;
  ++counters_.recalls;
  Message<Value> cause;
  cause.requestor = home_node;
  const Origin origin{line, nullptr, 0, now};
  Environment env(*this, nullptr, origin, begin, now);
  apply(protocol_.home(), HomeEvent::Recall, cause, found.value().line, env);
}

// A sparse directory has an entry for each line that is not in I: a new one makes room for itself by
// recalling another line. An entry whose line is being recalled is beside the array until the copies are
// back, as in an MSHR, and so is a new one when no line of its set can be recalled at once.
template <class Value, class Sharers>
void DirectoryHome<Value, Sharers>::keep_entry(std::uint64_t line, directory::HomeState before,
                                               directory::HomeState after, Cycles begin, Cycles now) {
  using directory::HomeState;
  const std::uint64_t own = slice_line(line);
  const Slot slot = entries_->find(own);
  if (after == HomeState::I) {
    if (slot != no_slot) entries_->invalidate(slot);
    return;
  }
  if (slot != no_slot) {
    entries_->touch(slot);
    return;
  }
  if (before != HomeState::I) return;  // beside the array
  const Slot place = replaceable(*entries_, own);
  if (place == no_slot) {
    ++counters_.entries_beside;
    return;
  }
  if (entries_->valid(place)) {
    const std::uint64_t victim = global_line(entries_->line_of(place));
    entries_->invalidate(place);
    ++counters_.directory_evictions;
    recall(victim, begin, now);
  }
  entries_->fill(place, own, 1);
}

template <class Value, class Sharers>
void DirectoryHome<Value, Sharers>::to_memory(std::uint64_t line, bool write, std::uint16_t by, Cycles begin,
                                              Cycles now) {
  ++(write ? counters_.memory_writes : counters_.memory_reads);
  const MemoryRequest request{
      .address = line << line_bits_, .bytes = 1u << line_bits_, .tag = 0, .unit = by, .write = write};
  to_memory_.send(now, request, begin - now + config_.latency_cycles);
}

template <class Value, class Sharers>
void DirectoryHome<Value, Sharers>::post(directory::MessageKind kind, directory::NodeId to,
                                         directory::NodeId requestor, std::int16_t acks, const Value* value,
                                         const Origin& origin, Cycles begin, Cycles now) {
  using enum directory::MessageKind;
  counters_.forwards += kind == FwdGetS || kind == FwdGetM;
  counters_.invalidations += kind == Inv;
  const Cycles latency = config_.latency_cycles;
  const auto& travels = protocol_.facts(kind);
  out_.send_made(now, begin - now + latency, [&](Net& net) {
    net.message.kind = kind;
    net.message.to = to;
    net.message.requestor = requestor;
    net.message.acks = acks;
    if constexpr (!std::is_empty_v<Value>) net.message.value = *value;
    net.line = origin.line;
    net.time = {begin + latency, nullptr};
    if (travels.time && origin.ledger != nullptr) {
      net.time.ledger = origin.ledger;
      origin.ledger->add(Segment::request_link, origin.link);
      origin.ledger->add(Segment::home_queue, begin - origin.since);
      origin.ledger->add(Segment::home, latency);
    }
    net.destination = to;
    net.source = static_cast<std::uint16_t>(homes_.first_node + index_);
    net.size_bytes = Net::size_of(travels.data, 1u << line_bits_);
    net.network = travels.network;
  });
}

// ---- looked at from outside ----

template <class Value, class Sharers>
auto DirectoryHome<Value, Sharers>::line(std::uint64_t line) const -> std::optional<Told> {
  const auto found = lines_.find(line);
  if (found == lines_.end()) return std::nullopt;
  const Line& known = found->second.line;
  Told told{known.state, known.owner, {}, known.value};
  known.sharers.for_each(directory::no_node, [&](std::uint16_t cache) { told.sharers.push_back(cache); });
  return told;
}

template <class Value, class Sharers>
bool DirectoryHome<Value, Sharers>::idle() const {
  for (const auto& [line, entry] : lines_) {
    if (!stable(entry.line.state) || entry.first != none) return false;
  }
  return true;
}

template <class Value, class Sharers>
void DirectoryHome<Value, Sharers>::reset(std::uint64_t seed) {
  lines_.clear();
  llc_.reset();
  if (config_.llc) llc_.emplace(config_.llc->tag_array(seed + 1000 + index_));
  entries_.reset();
  if (config_.sparse) entries_.emplace(config_.sparse->tag_array(seed + 2000 + index_));
  waiting_.clear();
  free_waiting_ = none;
  free_at_ = 0;
  counters_ = {};
  bypass_ = config_.writebacks == "bypass";
}

template <class Value, class Sharers>
void DirectoryHome<Value, Sharers>::digest(Digest& digest) const {
  std::uint64_t sum = 0;  // of the lines' digests: the order of a hash table is nobody's state
  for (const auto& [line, entry] : lines_) {
    Digest one;
    one.add(line);
    one.add(entry.line.state);
    one.add(entry.line.owner);
    one.add(static_cast<std::uint16_t>(entry.line.acks));
    entry.line.sharers.for_each(directory::no_node, [&](std::uint16_t cache) { one.add(cache); });
    entry.line.value.digest(one);
    if constexpr (!std::is_empty_v<Value>) entry.dma.digest(one);
    one.add(entry.fetching);
    for (std::uint32_t at = entry.first; at != none; at = waiting_[at].next) waiting_[at].net.digest(one);
    sum += one.value();
  }
  digest.add(sum);
  digest.add(free_at_);
  for (const auto* array : {&llc_, &entries_}) {
    if (*array) digest_array(digest, **array);
  }
}

template <class Value, class Sharers>
void DirectoryHome<Value, Sharers>::digest_array(Digest& digest, const TagArray<>& array) {
  for (std::uint32_t set = 0; set < array.geometry().sets; ++set) {
    for (std::uint32_t way = 0; way < array.geometry().ways; ++way) {
      const Slot slot = array.slot_of(set, way);
      digest.add(array.state(slot));
      if (!array.valid(slot)) continue;
      digest.add(array.line_of(slot));
      digest.add(array.replacement().word(slot));
    }
  }
}

}  // namespace mesim
