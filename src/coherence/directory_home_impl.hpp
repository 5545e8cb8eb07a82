// The home at work; included by directory_home.hpp.
#pragma once
#include <fmt/format.h>

#include "coherence/directory_home.hpp"

namespace mesim {

template <class Value>
class DirectoryHome<Value>::Environment {
 public:
  Environment(DirectoryHome& home, const Entry* entry, const Net& cause, Cycles begin, Cycles now)
      : home_(home), entry_(entry), cause_(cause), begin_(begin), now_(now) {}
  void send(const directory::Message<Value>& message) { home_.post(message, cause_, begin_, now_); }
  void write_dma(Value& value) { value = entry_->dma; }

 private:
  DirectoryHome& home_;
  const Entry* entry_;
  const Net& cause_;
  Cycles begin_, now_;
};

template <class Value>
DirectoryHome<Value>::DirectoryHome(const HomeConfig& config, std::uint32_t line_bytes,
                                    const directory::Protocol& protocol, HomeMap homes, unsigned index)
    : config_(config), line_bytes_(line_bytes), protocol_(protocol), homes_(homes), index_(index) {
  using enum directory::HomeAction;
  for (const Row& row : protocol.home().rows()) {
    needs_data_.push_back(row.actions.has(data_to_requestor) ||
                          row.actions.has(data_with_acks_to_requestor) ||
                          row.actions.has(exclusive_data_to_requestor));
    writes_data_.push_back(row.actions.has(write_data) || row.actions.has(write_dma));
  }
}

template <class Value>
void DirectoryHome<Value>::step(Cycles now) {
  replies_.take(now, [&](unsigned, const MemoryReply& reply) { memory_answered(reply, now); });
  inbox_.take(now, [&](unsigned, const Net& net) { arrived(net, now); });
}

template <class Value>
void DirectoryHome<Value>::arrived(Net net, Cycles now) {
  using namespace directory;
  const HomeEvent event = home_event(net.message.kind);
  Entry& entry = lines_[net.line];
  count(event);
  ++counters_.lookups;
  if (event <= HomeEvent::GetM || event >= HomeEvent::DmaRead) {
    net.charge(Segment::request_link, now);
    if (entry.first != none || !try_start(entry, net, false, now)) enqueue(entry, net);
    return;
  }
  net.since = now;
  execute(entry, event, find_row(protocol_.home(), event, net.message, entry.line), net, now);
  drain(net.line, false, now);
}

// Serves a request, or says that it has to wait. Whose row sends the home's data needs it in the last level.
template <class Value>
bool DirectoryHome<Value>::try_start(Entry& entry, Net& net, bool have_data, Cycles now) {
  using namespace directory;
  const HomeEvent event = home_event(net.message.kind);
  const auto* row = find_row(protocol_.home(), event, net.message, entry.line);
  if (row != nullptr && stalls(*row)) return false;
  const bool needs_data = row != nullptr && needs_data_[row_index(*row)];
  if (needs_data && !have_data && !read_llc(net.line, net.source)) {
    const Cycles begin = service(now);
    net.charge(Segment::home_queue, begin);
    net.charge(Segment::home, begin + config_.latency_cycles);
    to_memory(net.line, false, net.source, begin, now);
    entry.fetching = true;
    return false;
  }
  execute(entry, event, row, net, now);
  return true;
}

template <class Value>
void DirectoryHome<Value>::execute(Entry& entry, directory::HomeEvent event, const Row* row, Net& net,
                                   Cycles now) {
  using namespace directory;
  const Cycles begin = service(now);
  net.charge(Segment::home_queue, begin);
  net.charge(Segment::home, begin + config_.latency_cycles);
  if (event == HomeEvent::DmaWrite) entry.dma = net.message.value;
  Environment env(*this, &entry, net, begin, now);
  const HomeState before = entry.line.state;
  if (row == nullptr || stalls(*row)) {
    throw Error(Exit::internal,
                fmt::format("{}: home in {} gets {} for line {:#x}, and the table has no row for it",
                            protocol_.name(), name(before), name(event), net.line));
  }
  perform_row(*row, net.message, entry.line, env);
  if (!writes_data_[row_index(*row)]) return;
  // a line that was recalled has lost its place
  const bool recalled = before == HomeState::R_A || before == HomeState::R_D || before == HomeState::R_AD;
  if (recalled || !llc_ || (event != HomeEvent::Data && config_.writebacks == "bypass")) {
    to_memory(net.line, true, net.source, begin, now);
  } else {
    write_llc(net.line, net.source, begin, now);
  }
}

template <class Value>
void DirectoryHome<Value>::count(directory::HomeEvent event) {
  using enum directory::HomeEvent;
  counters_.gets += event == GetS;
  counters_.getm += event == GetM;
  counters_.dma_reads += event == DmaRead;
  counters_.dma_writes += event == DmaWrite;
  counters_.puts += event == PutS || event == PutE || event == PutM;
}

// The requests of a line that waited, as far as they can go now.
template <class Value>
void DirectoryHome<Value>::drain(std::uint64_t line, bool have_data, Cycles now) {
  for (;;) {
    Entry& entry = lines_.find(line).value();
    if (entry.first == none || entry.fetching) return;
    const std::uint32_t at = entry.first;
    Net net = waiting_[at].net;
    if (!try_start(entry, net, have_data, now)) {
      waiting_[at].net = net;  // its time so far
      return;
    }
    have_data = false;
    entry.first = waiting_[at].next;
    if (entry.first == none) entry.last = none;
    waiting_[at].next = free_waiting_;
    free_waiting_ = at;
  }
}

template <class Value>
void DirectoryHome<Value>::enqueue(Entry& entry, const Net& net) {
  std::uint32_t at = free_waiting_;
  if (at == none) {
    at = static_cast<std::uint32_t>(waiting_.size());
    waiting_.push_back({net, none});
  } else {
    free_waiting_ = waiting_[at].next;
    waiting_[at] = {net, none};
  }
  (entry.first == none ? entry.first : waiting_[entry.last].next) = at;
  entry.last = at;
}

template <class Value>
void DirectoryHome<Value>::memory_answered(const MemoryReply& reply, Cycles now) {
  const std::uint64_t line = reply.address / line_bytes_;
  Entry& entry = lines_.find(line).value();
  entry.fetching = false;
  Net& net = waiting_[entry.first].net;
  net.charge(Segment::memory_queue, std::min<Cycles>(net.since + reply.queue_cycles, now));
  net.charge(Segment::memory, now);
  if (llc_) fill_llc(line, clean, net.source, service(now), now);
  drain(line, true, now);
}

// ---- last level and memory ----

template <class Value>
bool DirectoryHome<Value>::read_llc(std::uint64_t line, std::uint16_t by) {
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

template <class Value>
void DirectoryHome<Value>::write_llc(std::uint64_t line, std::uint16_t by, Cycles begin, Cycles now) {
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

template <class Value>
void DirectoryHome<Value>::fill_llc(std::uint64_t line, LlcState state, std::uint16_t by, Cycles begin,
                                    Cycles now) {
  const std::uint32_t set = llc_->set_of(slice_line(line));
  Slot slot = llc_->victim(set);
  if (llc_->valid(slot) && !can_give_up(global_line(llc_->line_of(slot)))) {
    slot = no_slot;
    for (std::uint32_t way = 0; way < llc_->geometry().ways && slot == no_slot; ++way) {
      const Slot candidate = llc_->slot_of(set, way);
      if (can_give_up(global_line(llc_->line_of(candidate)))) slot = candidate;
    }
  }
  if (slot == no_slot) {
    ++counters_.unallocated_fills;
    if (state == dirty) to_memory(line, true, by, begin, now);
    return;
  }
  if (llc_->valid(slot)) give_up(slot, by, begin, now);
  llc_->fill(slot, slice_line(line), state);
  counters_.llc_fills += state == clean;
}

// An inclusive level can evict only a line that it can recall at once.
template <class Value>
bool DirectoryHome<Value>::can_give_up(std::uint64_t line) const {
  if (!config_.inclusive) return true;
  const auto found = lines_.find(line);
  return found == lines_.end() || (stable(found->second.line.state) && !found->second.fetching);
}

template <class Value>
void DirectoryHome<Value>::give_up(Slot slot, std::uint16_t by, Cycles begin, Cycles now) {
  using namespace directory;
  const std::uint64_t line = global_line(llc_->line_of(slot));
  ++counters_.llc_evictions;
  if (llc_->state(slot) == dirty) {
    ++counters_.llc_writebacks;
    to_memory(line, true, by, begin, now);
  }
  llc_->invalidate(slot);
  const auto found = lines_.find(line);
  if (!config_.inclusive || found == lines_.end() || found->second.line.state == HomeState::I) return;
  ++counters_.recalls;
  Net cause;
  cause.line = line;
  cause.since = now;
  cause.message.requestor = home_node;
  Environment env(*this, nullptr, cause, begin, now);
  apply(protocol_.home(), HomeEvent::Recall, cause.message, found.value().line, env);
}

template <class Value>
void DirectoryHome<Value>::to_memory(std::uint64_t line, bool write, std::uint16_t by, Cycles begin,
                                     Cycles now) {
  ++(write ? counters_.memory_writes : counters_.memory_reads);
  const MemoryRequest request{
      .address = line * line_bytes_, .bytes = line_bytes_, .tag = 0, .unit = by, .write = write};
  to_memory_.send(now, request, begin - now + config_.latency_cycles);
}

template <class Value>
void DirectoryHome<Value>::post(const directory::Message<Value>& message, const Net& cause, Cycles begin,
                                Cycles now) {
  using enum directory::MessageKind;
  Net net = cause;
  net.message = message;
  net.destination = message.to;
  net.source = static_cast<std::uint16_t>(homes_.first_node + index_);
  net.network = static_cast<std::uint8_t>(protocol_.network(message.kind));
  net.size_bytes =
      static_cast<std::uint16_t>(Net::header_bytes + (carries_data(message.kind) ? line_bytes_ : 0));
  counters_.forwards += message.kind == FwdGetS || message.kind == FwdGetM;
  counters_.invalidations += message.kind == Inv;
  out_.send(now, net, begin - now + config_.latency_cycles);
}

// ---- looked at from outside ----

template <class Value>
auto DirectoryHome<Value>::line(std::uint64_t line) const -> const Line* {
  const auto found = lines_.find(line);
  return found == lines_.end() ? nullptr : &found->second.line;
}

template <class Value>
bool DirectoryHome<Value>::idle() const {
  for (const auto& [line, entry] : lines_) {
    if (!stable(entry.line.state) || entry.first != none) return false;
  }
  return true;
}

template <class Value>
void DirectoryHome<Value>::reset(std::uint64_t seed) {
  lines_.clear();
  llc_.reset();
  if (config_.llc) llc_.emplace(config_.llc->tag_array(seed + 1000 + index_));
  waiting_.clear();
  free_waiting_ = none;
  free_at_ = 0;
  counters_ = {};
}

template <class Value>
void DirectoryHome<Value>::digest(Digest& digest) const {
  std::uint64_t sum = 0;  // of the lines' digests: the order of a hash table is nobody's state
  for (const auto& [line, entry] : lines_) {
    Digest one;
    one.add(line);
    one.add(entry.line.state);
    one.add(entry.line.owner);
    one.add(static_cast<std::uint16_t>(entry.line.acks));
    entry.line.sharers.for_each(directory::no_node, [&](std::uint16_t cache) { one.add(cache); });
    entry.line.value.digest(one);
    entry.dma.digest(one);
    one.add(entry.fetching);
    for (std::uint32_t at = entry.first; at != none; at = waiting_[at].next) waiting_[at].net.digest(one);
    sum += one.value();
  }
  digest.add(sum);
  digest.add(free_at_);
  if (!llc_) return;
  for (std::uint32_t set = 0; set < llc_->geometry().sets; ++set) {
    for (std::uint32_t way = 0; way < llc_->geometry().ways; ++way) {
      const Slot slot = llc_->slot_of(set, way);
      digest.add(llc_->state(slot));
      if (!llc_->valid(slot)) continue;
      digest.add(llc_->line_of(slot));
      digest.add(llc_->replacement().word(slot));
    }
  }
}

}  // namespace mesim
