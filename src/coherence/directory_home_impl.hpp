// The home at work; included by directory_home.hpp.
#pragma once
#include <fmt/format.h>

#include <bit>
#include <utility>

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
      index_(index),
      llc_ports_(config.llc_array),
      least_latency_(config.least_latency()),
      llc_hit_cycles_(config.llc_array.hit(config.latency_cycles)),
      llc_tags_first_cycles_(
          config.llc_array.lookup == "sequential" ? config.llc_array.tags(config.latency_cycles) : 0) {}

template <class Value, class Sharers>
void DirectoryHome<Value, Sharers>::step(Cycles now) {
  replies_.take(now, [&](unsigned, const MemoryReply& reply) { memory_answered(reply, now); });
  inbox_.take(now, [&](unsigned, const Net& net) {
    if (memories_.has(net.source)) [[unlikely]] {
      memory_answered(
          {.address = net.line << line_bits_, .queue_cycles = static_cast<std::uint32_t>(net.time.since)},
          now);
    } else {
      arrived(net, now);
    }
  });
}

template <class Value, class Sharers>
void DirectoryHome<Value, Sharers>::arrived(const Net& net, Cycles now) {
  using namespace directory;
  const HomeEvent event = home_event(net.message.kind);
  const auto [entry, fresh] = lines_.find_or_add(net.line);
  if constexpr (!std::is_same_v<Sharers, FullMap>) {
    if (fresh) entry.line.sharers = nobody_;
  }
  ++counters_.taken[static_cast<std::size_t>(event)];
  if (event <= HomeEvent::GetM || event >= HomeEvent::DmaRead) {
    request(entry, event, net, now);
  } else {
    execute(entry, event, find_row(protocol_.home(), event, net.message, entry.line), net, 0, now, now);
    drain(entry, false, now);
  }
  if (forgettable(entry)) lines_.erase(net.line);
}

template <class Value, class Sharers>
[[gnu::always_inline]] inline void DirectoryHome<Value, Sharers>::request(Entry& entry,
                                                                          directory::HomeEvent event,
                                                                          const Net& net, Cycles now) {
  if (entry.first != none) {
    enqueue(entry, net, now);
    return;
  }
  const Row* row = find_row(protocol_.home(), event, net.message, entry.line);
  if (row != nullptr && protocol_.facts(*row).stalls) {
    enqueue(entry, net, now);
    return;
  }
  const bool has_it = exclusive_ && at_hand(entry, event, net);
  const bool reads = row != nullptr && protocol_.facts(*row).needs_data && !has_it;
  if (reads && !read_llc(net.line, net.source)) {
    fetch(entry, enqueue(entry, net, now), now);
  } else {
    execute(entry, event, row, net, now - net.time.since, now, now, {has_it, reads});
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
    const bool has_it = exclusive_ && at_hand(entry, event, net);
    const bool reads = row != nullptr && protocol_.facts(*row).needs_data && !have_data && !has_it;
    if (reads && !read_llc(net.line, net.source)) {
      fetch(entry, net, now);
      return;
    }
    execute(entry, event, row, net, 0, net.time.since, now, {has_it && !have_data, reads});
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
  net.time.charge(Segment::home, begin + least_latency_);
  net.time.charge(Segment::home_queue, to_memory(net.line, false, net.source, begin, now));
  entry.fetching = true;
}

template <class Value, class Sharers>
void DirectoryHome<Value, Sharers>::execute(Entry& entry, directory::HomeEvent event, const Row* row,
                                            const Net& net, Cycles link, Cycles since, Cycles now,
                                            Found found) {
  using namespace directory;
  const Cycles begin = service(now);
  const Origin origin{net.line, net.time.ledger, link, since, found};
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
  look_up_line(*row, origin, begin);
  directory::KnownHomeActions::perform_row(protocol_.facts(*row).usual_actions, *row, net.message, entry.line,
                                           env);
  if (entries_) keep_entry(net.line, before, entry.line.state, begin, now);
  const bool writes = protocol_.facts(*row).writes_data;
  if (exclusive_) {
    if (protocol_.facts(*row).needs_data && event != HomeEvent::DmaRead)
      move_up(entry, event, net, begin, now);
    const bool left = before != entry.line.state || row->actions.has(HomeAction::clear_owner);
    const bool put = event >= HomeEvent::PutS && event <= HomeEvent::PutM;
    if (writes || (put && left)) take_victim(entry, net, writes, begin, now);
    return;
  }
  if (!writes) return;
  // a line that was recalled may have lost its place
  const bool recalled = before == HomeState::R_D || before == HomeState::R_AD;
  if ((recalled && (!llc_ || llc_->find(slice_line(net.line)) == no_slot)) || !llc_ ||
      (event != HomeEvent::Data && bypass_)) {
    to_memory(net.line, true, net.source, begin, now);
  } else {
    write_llc(net.line, dirty, net.source, begin, now);
  }
}

template <class Value, class Sharers>
void DirectoryHome<Value, Sharers>::look_up_line(const Row& row, const Origin& origin, Cycles begin) {
  const std::uint32_t data = config_.latency_cycles;
  const std::uint64_t own = slice_line(origin.line);
  if (!origin.found.from_llc) {  // memory has just brought it, or nobody waits for it to be written
    if (llc_ && protocol_.facts(row).writes_data) llc_ports_.begin(own, begin);
    line_cycles_ = data;
    line_at_ = begin + data;
    return;
  }
  line_cycles_ = llc_hit_cycles_;
  const Cycles tags = llc_tags_first_cycles_;
  line_at_ = llc_ports_.begin(own, begin + tags) - tags + line_cycles_;
}

// Whether who asks to write has the line, and the directory knows it for certain.
template <class Value, class Sharers>
bool DirectoryHome<Value, Sharers>::at_hand(const Entry& entry, directory::HomeEvent event,
                                            const Net& net) const {
  return event == directory::HomeEvent::GetM && entry.line.state == directory::HomeState::S &&
         !protocol_.options().directory.over_approximates() &&
         entry.line.sharers.contains(net.message.requestor);
}

// An exclusive last level has given the line to a cache, and keeps it no longer. An owner takes over that
// memory has an old copy; a reader that will not own it cannot.
template <class Value, class Sharers>
void DirectoryHome<Value, Sharers>::move_up(Entry& entry, directory::HomeEvent event, const Net& net,
                                            Cycles begin, Cycles now) {
  const Slot slot = llc_->find(slice_line(net.line));
  if (slot == no_slot) return;
  const bool was_dirty = llc_->state(slot) == dirty;
  llc_->invalidate(slot);
  ++counters_.llc_moved_up;
  if (!was_dirty || event == directory::HomeEvent::GetM) return;
  if (entry.line.state == directory::HomeState::E) {
    entry.owed = true;
  } else {
    ++counters_.llc_writebacks;
    to_memory(net.line, true, net.source, begin, now);
  }
}

// After an event that brought the line home, or the last copy of it: an exclusive last level takes what no
// cache has any more; of a line that caches go on sharing memory gets the newest.
template <class Value, class Sharers>
void DirectoryHome<Value, Sharers>::take_victim(Entry& entry, const Net& net, bool newer, Cycles begin,
                                                Cycles now) {
  newer = std::exchange(entry.owed, false) || newer;
  if (entry.line.state == directory::HomeState::I) {
    write_llc(net.line, newer ? dirty : clean, net.source, begin, now);
  } else if (newer) {
    to_memory(net.line, true, net.source, begin, now);
  }
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
  Entry& entry = *lines_.find(line);
  entry.fetching = false;
  Net& net = waiting_[entry.first].net;
  net.time.charge(Segment::memory_queue, std::min<Cycles>(net.time.since + reply.queue_cycles, now));
  net.time.charge(Segment::memory, now);
  if (llc_ && !exclusive_) {
    const Cycles begin = service(now);
    llc_ports_.begin(slice_line(line), begin);
    counters_.llc_fills += fill_llc(line, clean, net.source, begin, now);
  }
  drain(entry, true, now);
  if (forgettable(entry)) lines_.erase(line);
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
void DirectoryHome<Value, Sharers>::write_llc(std::uint64_t line, LlcState state, std::uint16_t by,
                                              Cycles begin, Cycles now) {
  ++counters_.llc_writes;
  ++counters_.moved_by(by).written;
  const Slot slot = llc_->find(slice_line(line));
  if (slot == no_slot) {
    ++counters_.llc_write_misses;
    fill_llc(line, state, by, begin, now);
  } else {
    llc_->touch(slot);
    llc_->set_state(slot, state);
  }
}

template <class Value, class Sharers>
bool DirectoryHome<Value, Sharers>::fill_llc(std::uint64_t line, LlcState state, std::uint16_t by,
                                             Cycles begin, Cycles now) {
  const Slot slot = replaceable(*llc_, slice_line(line));
  if (slot == no_slot) {
    ++counters_.unallocated_fills;
    if (state == dirty) to_memory(line, true, by, begin, now);
    return false;
  }
  if (llc_->valid(slot)) give_up(slot, by, begin, now);
  llc_->fill(slot, slice_line(line), state);
  return true;
}

// The slot for a new line: free, or of a line that may go now; the policy's choice if it may. None if no line
// of the set may.
template <class Value, class Sharers>
Slot DirectoryHome<Value, Sharers>::replaceable(TagArray<>& array, std::uint64_t own) const {
  const std::uint32_t set = array.set_of(own);
  const Slot wanted = array.victim(set);
  const bool recalls = !llc_ || &array != &*llc_ || inclusive_;
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
  const Entry* entry = lines_.find(line);
  return entry == nullptr || (stable(entry->line.state) && !entry->fetching);
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
  if (inclusive_) recall(line, begin, now);
}

// Takes a line back from all caches that have it. It is in a stable state, or nobody's.
template <class Value, class Sharers>
void DirectoryHome<Value, Sharers>::recall(std::uint64_t line, Cycles begin, Cycles now) {
  using namespace directory;
  Entry* entry = lines_.find(line);
  if (entry == nullptr || entry->line.state == HomeState::I) return;
  ++counters_.recalls;
  Message<Value> cause;
  cause.requestor = home_node;
  const Origin origin{line, nullptr, 0, now};
  Environment env(*this, nullptr, origin, begin, now);
  apply(protocol_.home(), HomeEvent::Recall, cause, entry->line, env);
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
Cycles DirectoryHome<Value, Sharers>::to_memory(std::uint64_t line, bool write, std::uint16_t by,
                                                Cycles begin, Cycles now) {
  ++(write ? counters_.memory_writes : counters_.memory_reads);
  if (memories_.count != 0) return to_memory_node(line, write, by, begin, now);
  const MemoryRequest request{
      .address = line << line_bits_, .bytes = 1u << line_bits_, .tag = 0, .unit = by, .write = write};
  const Cycles ready = begin + (write ? config_.latency_cycles : least_latency_);
  last_to_memory_ = std::max(last_to_memory_, ready);
  to_memory_.send(now, request, last_to_memory_ - now);
  return last_to_memory_;
}

template <class Value, class Sharers>
Cycles DirectoryHome<Value, Sharers>::to_memory_node(std::uint64_t line, bool write, std::uint16_t by,
                                                     Cycles begin, Cycles now) {
  last_sent_ = std::max(last_sent_, begin + (write ? config_.latency_cycles : least_latency_));
  Net net;
  net.message.kind = write ? directory::MessageKind::DmaWrite : directory::MessageKind::DmaRead;
  net.message.requestor = by;
  net.line = line;
  net.destination = net.message.to = memories_.node_of(line);
  net.source = static_cast<std::uint16_t>(homes_.first_node + index_);
  net.size_bytes = Net::size_of(write, 1u << line_bits_);
  net.network = 1;
  out_.send(now, net, last_sent_ - now);
  return last_sent_;
}

template <class Value, class Sharers>
void DirectoryHome<Value, Sharers>::post(directory::MessageKind kind, directory::NodeId to,
                                         directory::NodeId requestor, std::int16_t acks, const Value* value,
                                         const Origin& origin, Cycles begin, Cycles now) {
  ++counters_.sent[static_cast<std::size_t>(kind)];
  const auto& travels = protocol_.facts(kind);
  const std::uint16_t size_bytes = Net::size_of(travels.data && !origin.found.at_hand, 1u << line_bits_);
  const bool with_line = size_bytes > Net::header_bytes;
  const Cycles latency = with_line ? line_cycles_ : least_latency_;
  last_sent_ = std::max(last_sent_, with_line ? line_at_ : begin + latency);
  out_.send_made(now, last_sent_ - now, {to, travels.network, size_bytes}, [&](Net& net) {
    net.message.kind = kind;
    net.message.to = to;
    net.message.requestor = requestor;
    net.message.acks = acks;
    if constexpr (!std::is_empty_v<Value>) net.message.value = *value;
    net.line = origin.line;
    net.time = {last_sent_, nullptr};
    if (travels.time && origin.ledger != nullptr) {
      net.time.ledger = origin.ledger;
      origin.ledger->add(Segment::request_link, origin.link);
      origin.ledger->add(Segment::home_queue, last_sent_ - latency - origin.since);
      origin.ledger->add(Segment::home, latency);
    }
    net.destination = to;
    net.source = static_cast<std::uint16_t>(homes_.first_node + index_);
    net.size_bytes = size_bytes;
    net.network = travels.network;
  });
}

// ---- looked at from outside ----

template <class Value, class Sharers>
auto DirectoryHome<Value, Sharers>::line(std::uint64_t line) const -> std::optional<Told> {
  const Entry* entry = lines_.find(line);
  if (entry == nullptr) return std::nullopt;
  const Line& known = entry->line;
  Told told{known.state, known.owner, {}, known.value};
  known.sharers.for_each(directory::no_node, [&](std::uint16_t cache) { told.sharers.push_back(cache); });
  return told;
}

template <class Value, class Sharers>
bool DirectoryHome<Value, Sharers>::idle() const {
  bool idle = true;
  lines_.for_each([&](std::uint64_t, const Entry& entry) {
    idle = idle && stable(entry.line.state) && entry.first == none;
  });
  return idle;
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
  llc_ports_ = ArrayPorts(config_.llc_array);
  last_sent_ = last_to_memory_ = 0;
  counters_ = {};
  bypass_ = config_.writebacks == "bypass";
  inclusive_ = config_.inclusion == "inclusive";
  exclusive_ = config_.inclusion == "exclusive" && llc_.has_value();
}

template <class Value, class Sharers>
void DirectoryHome<Value, Sharers>::digest(Digest& digest) const {
  std::uint64_t sum = 0;  // of the lines' digests: the order of a hash table is nobody's state
  lines_.for_each([&](std::uint64_t line, const Entry& entry) {
    Digest one;
    one.add(line);
    one.add(entry.line.state);
    one.add(entry.line.owner);
    one.add(static_cast<std::uint16_t>(entry.line.acks));
    entry.line.sharers.for_each(directory::no_node, [&](std::uint16_t cache) { one.add(cache); });
    entry.line.value.digest(one);
    if constexpr (!std::is_empty_v<Value>) entry.dma.digest(one);
    one.add(entry.fetching);
    one.add(entry.owed);
    for (std::uint32_t at = entry.first; at != none; at = waiting_[at].next) waiting_[at].net.digest(one);
    sum += one.value();
  });
  digest.add(sum);
  digest.add(free_at_);
  digest.add(last_sent_);
  digest.add(last_to_memory_);
  llc_ports_.digest(digest);
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
