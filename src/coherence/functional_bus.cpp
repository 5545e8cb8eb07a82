#include "coherence/functional_bus.hpp"

#include <fmt/format.h>

#include "sim/error.hpp"

namespace mesim {
namespace {

// States of a line in the last level.
constexpr std::uint8_t clean = 1;
constexpr std::uint8_t dirty = 2;

void check_line(const std::optional<CacheConfig>& cache, std::uint32_t line_bytes, std::string_view name) {
  if (cache && cache->line_bytes != line_bytes) {
    throw bad_input({}, fmt::format("/{}/line_bytes", name),
                    fmt::format("lines of {} bytes, expected {} as in l1d", cache->line_bytes, line_bytes));
  }
}

}  // namespace

FunctionalBus::FunctionalBus(const FunctionalBusConfig& config)
    : protocol_(config.protocol ? *config.protocol : BusProtocol(config.coherence)),
      line_bytes_(config.l1d.line_bytes),
      line_mask_(line_bytes_ - 1),
      line_bits_(config.l1d.geometry().line_bits()),
      upgrade_is_miss_(config.coherence.upgrade_is_miss),
      observer_(config.observer),
      moves_(config.moves) {
  if (config.cores < 1 || config.cores > max_cores) {
    throw bad_input({}, "/cores/count", fmt::format("{} cores, expected 1 to {}", config.cores, max_cores));
  }
  check_line(config.l1i, line_bytes_, "l1i");
  check_line(config.llc, line_bytes_, "llc");

  // who is looked at, and who has a prefetcher, takes the slow path always
  const bool looked_at = observer_ != nullptr || config.prefetcher.enabled();
  for (std::uint8_t s = 1; s < bus_states && !looked_at; ++s) {
    const auto& hit = protocol_.hits()[s];
    hits_[s][0] = hits_[s | followed][0] = hits_[s | owed][0] = hits_[s | followed | owed][0] = hit[0] == s;
    hits_[s][1] = hit[1] == s;
  }

  for (unsigned i = 0; i < config.cores; ++i) {
    Core core{config.l1d.tag_array(config.seed + i), {}, {}};
    if (config.l1i) core.l1i = config.l1i->tag_array(config.seed + max_cores + i);
    if (config.prefetcher.enabled())
      core.prefetch.emplace(config.prefetcher, line_bits_,
                            std::array{config.l1d.geometry().slots(), std::uint64_t{0}});
    cores_.push_back(std::move(core));
  }
  queued_.resize(config.cores);
  if (config.llc) llc_ = config.llc->tag_array(config.seed + 2 * max_cores);
  inclusive_ = llc_ && config.inclusion == "inclusive";
  exclusive_ = llc_ && config.inclusion == "exclusive";
  if (config.coherence.attribute_sharing) sharing_.emplace(config.cores, line_bytes_);
}

// The other caches, as a bus transaction of `requester` on `line` sees them.
struct FunctionalBus::Copies {
  FunctionalBus& machine;
  std::uint64_t line;
  unsigned requester;
  Slot slot = no_slot;  // of the cache last asked

  unsigned count() const { return machine.cores(); }
  bool own_queued(unsigned cache) const { return machine.queued_[cache] == line + 1; }

  BusState state(unsigned cache) {
    const TagArray<>& l1d = machine.cores_[cache].l1d;
    slot = l1d.find(line);
    return slot == no_slot ? BusState::I : state_of(l1d.state(slot));
  }

  void respond(unsigned cache, BusEvent event, const BusRow& row, bool supplies) {
    Core& c = machine.cores_[cache];
    const BusState before = row.state;
    const bool updates_memory = row.actions.has(BusAction::update_memory);
    if (is_dirty(before) && (supplies || updates_memory)) ++c.counters.flushes;
    if (updates_memory) {
      ++c.counters.snooped_writebacks;
      if (!supplies) {  // else memory takes the line as it passes to the requester
        machine.bus_.written_bytes += machine.line_bytes_;
        c.counters.bus_written_bytes += machine.line_bytes_;
      }
      if (machine.exclusive_) {
        machine.write_memory(cache, line, cache);
      } else {
        machine.write_below(cache, line, true, cache);
      }
    }
    if ((c.l1d.state(slot) & owed) != 0 && (row.next != BusState::I || event == BusEvent::BusRd || !supplies))
      machine.write_memory(cache, line, cache);
    if (machine.moves_ != nullptr && row.actions.has(BusAction::take_update))
      machine.moves_->updated(line, requester, cache);
    if (event == BusEvent::BusRd && is_exclusive(before) && !is_exclusive(row.next))
      ++c.counters.interventions;
    if (row.next != BusState::I) {
      const auto mark = static_cast<std::uint8_t>(c.l1d.state(slot) & followed);
      c.l1d.set_state(slot, static_cast<std::uint8_t>(static_cast<std::uint8_t>(row.next) | mark));
      return;
    }
    if (c.prefetch) c.prefetch->leaves(0, slot);
    c.l1d.invalidate(slot);
    ++c.counters.invalidations;
    if (machine.sharing_) machine.sharing_->invalidated(line, requester, cache);
  }
};

void FunctionalBus::access_lines(unsigned core, bool is_store, std::uint64_t address, std::uint32_t size,
                                 std::uint64_t pc) {
  while (size != 0) {
    const auto room = line_bytes_ - static_cast<std::uint32_t>(address & line_mask_);
    const std::uint32_t piece = std::min(size, room);
    is_store ? access<true>(core, address, piece, pc) : access<false>(core, address, piece, pc);
    address += piece;
    size -= piece;
  }
}

void FunctionalBus::slow_access(unsigned core, bool is_store, std::uint64_t address, std::uint32_t size,
                                Slot slot) {
  const std::uint64_t line = address >> line_bits_;
  const auto offset = static_cast<std::uint32_t>(address & line_mask_);
  size = std::max(size, 1u);
  served_ = {};
  Core& c = cores_[core];
  if (sharing_) sharing_->begin(line, core, offset, slot != no_slot);
  const BusEvent event = is_store ? BusEvent::Store : BusEvent::Load;
  const BusState before = slot == no_slot ? BusState::I : state_of(c.l1d.state(slot));
  BusState after;
  bool newer = slot != no_slot && (c.l1d.state(slot) & owed) != 0;
  if (const BusRow* hit = protocol_.hit(before, event)) {
    if (before == BusState::E && is_store) ++c.counters.silent_upgrades;
    after = hit->next;
  } else {
    Copies copies{*this, line, core};
    const BusOutcome outcome = bus_request(protocol_, copies, core, before, event);
    after = outcome.row->next;
    for (const BusAction request : outcome.row->actions) {
      count_request(c.counters, request, before != BusState::I, is_store);
      if (request == BusAction::bus_read || request == BusAction::bus_read_exclusive) {
        // who fetches a line anew of which memory's copy is old drops what comes
        const bool keeps = is_dirty(before) || newer;
        newer = get_line(core, line, outcome.supplier, keeps ? LineMoves::dropped : core);
      } else if (request == BusAction::bus_update) {
        bus_.written_bytes += size;
        c.counters.bus_written_bytes += size;
      }
    }
  }

  const bool follow = sharing_ && sharing_->follows(line);
  if (follow) {
    if (slot == no_slot) sharing_->missed(line, core, offset, size);
    if (is_store) sharing_->stored(line, core, offset, size);
  }
  const auto byte = static_cast<std::uint8_t>(static_cast<std::uint8_t>(after) | (follow ? followed : 0) |
                                              (newer && !is_dirty(after) ? owed : 0));
  if (slot != no_slot) {
    c.l1d.set_state(slot, byte);
    c.l1d.touch(slot);
  } else {
    c.l1d.fill(free_slot(core, line), line, byte);
  }
  if (observer_ != nullptr) observer_->accessed(*this, core, is_store, address, size);
}

Slot FunctionalBus::free_slot(unsigned core, std::uint64_t line) {
  Core& c = cores_[core];
  const Slot victim = c.l1d.victim(c.l1d.set_of(line));
  if (c.l1d.valid(victim)) make_room(core, victim);
  return victim;
}

// What the prefetcher makes of an access that found its line at `found`, if anywhere.
void FunctionalBus::look_ahead(unsigned core, std::uint64_t address, std::uint64_t pc, Slot found) {
  PrefetchUnit& unit = *cores_[core].prefetch;
  const bool miss = found == no_slot;
  const bool first_use = !miss && unit.use(0, found);
  for (const std::uint64_t line : unit.observe({address, static_cast<std::uint32_t>(pc), miss, first_use}))
    prefetch(core, line);
}

// A load of nobody: the line comes as for one, and counts on the bus as for one, but is no access and no
// miss.
void FunctionalBus::prefetch(unsigned core, std::uint64_t line) {
  Core& c = cores_[core];
  PrefetchCounters& counts = c.prefetch->counters;
  if (c.l1d.find(line) != no_slot) {
    ++counts.redundant;
    return;
  }
  ++counts.issued;
  Copies copies{*this, line, core};
  const BusOutcome outcome = bus_request(protocol_, copies, core, BusState::I, BusEvent::Load);
  bool newer = false;
  for (const BusAction request : outcome.row->actions) {
    if (request != BusAction::bus_read && request != BusAction::bus_read_exclusive) continue;
    ++(request == BusAction::bus_read ? bus_.BusRd : bus_.BusRdX);
    ++(request == BusAction::bus_read ? c.counters.bus_reads : c.counters.bus_read_exclusives);
    newer = get_line(core, line, outcome.supplier, core);
  }
  const BusState after = outcome.row->next;
  const Slot slot = free_slot(core, line);
  c.l1d.fill(slot, line,
             static_cast<std::uint8_t>(static_cast<std::uint8_t>(after) |
                                       (sharing_ && sharing_->follows(line) ? followed : 0) |
                                       (newer && !is_dirty(after) ? owed : 0)));
  c.prefetch->came(0, slot, false);
}

void FunctionalBus::count_request(CoreCounters& counters, BusAction request, bool has_copy, bool is_store) {
  switch (request) {
    case BusAction::bus_read:
      ++bus_.BusRd;
      ++counters.bus_reads;
      break;
    case BusAction::bus_read_exclusive:
      ++bus_.BusRdX;
      ++counters.bus_read_exclusives;
      break;
    case BusAction::bus_upgrade:
      ++bus_.BusUpgr;
      break;
    case BusAction::bus_update:
      ++bus_.BusUpd;
      ++counters.updates;
      return;  // beside the read of a store that missed, or a hit that needs no ownership
    default:
      return;
  }
  if (has_copy) ++counters.upgrades;
  if (!has_copy || upgrade_is_miss_) ++counters.misses[is_store];
}

// A line over the bus for `core`, from the supplying cache or from below; whether it is newer than memory's.
bool FunctionalBus::get_line(unsigned core, std::uint64_t line, int supplier, unsigned to) {
  CoreCounters& counters = cores_[core].counters;
  served_.line = true;
  served_.from_cache = supplier >= 0;
  served_.supplier = supplier;
  bus_.read_bytes += line_bytes_;
  counters.bus_read_bytes += line_bytes_;
  if (supplier >= 0) {
    ++counters.cache_to_cache;
    move(line, static_cast<unsigned>(supplier), to);
    return false;
  }
  ++counters.memory_reads;
  return read_below(core, line, to);
}

void FunctionalBus::make_room(unsigned core, Slot victim) {
  Core& c = cores_[core];
  ++c.counters.evictions;
  if (c.prefetch) c.prefetch->leaves(0, victim);
  const BusRow& row = protocol_.respond(state_of(c.l1d.state(victim)), BusEvent::Evict);
  const std::uint64_t line = c.l1d.line_of(victim);
  if (!row.actions.has(BusAction::write_back)) {
    if (exclusive_) give_up(core, line, (c.l1d.state(victim) & owed) != 0, core);
    return;
  }
  served_.wrote_back = true;
  served_.written_line = line << line_bits_;
  ++c.counters.evicted_writebacks;
  ++bus_.BusWB;
  bus_.written_bytes += line_bytes_;
  c.counters.bus_written_bytes += line_bytes_;
  if (exclusive_ && held_by_another(line)) return write_memory(core, line, core);
  write_below(core, line, true, core);
}

// A clean line leaves an L1 of `core`: an exclusive last level takes it if no other cache has it. `newer`:
// than memory's.
void FunctionalBus::give_up(unsigned core, std::uint64_t line, bool newer, unsigned from) {
  if (held_by_another(line)) return;
  ++bus_.clean_victims;
  bus_.written_bytes += line_bytes_;
  cores_[core].counters.bus_written_bytes += line_bytes_;
  write_below(core, line, newer, from);
}

// Whether any L1 has the line beside the one that gives it up.
bool FunctionalBus::held_by_another(std::uint64_t line) const {
  int copies = 0;
  for (const Core& other : cores_) {
    copies += other.l1d.find(line) != no_slot;
    copies += other.l1i && other.l1i->find(line) != no_slot;
  }
  return copies > 1;
}

void FunctionalBus::fetch_lines(unsigned core, std::uint64_t address, std::uint32_t size) {
  Core& c = cores_[core];
  c.counters.fetch_bytes += size;
  const std::uint64_t last = (address + std::max(size, 1u) - 1) >> line_bits_;
  for (std::uint64_t line = address >> line_bits_; line <= last; ++line) {
    ++c.counters.fetches;
    const Slot slot = c.l1i->find(line);
    if (slot != no_slot) {
      c.l1i->touch(slot);
      c.last_fetched = line;
      continue;
    }
    c.last_fetched = none_fetched;
    ++c.counters.fetch_misses;
    ++bus_.fetches;
    bus_.read_bytes += line_bytes_;
    c.counters.bus_read_bytes += line_bytes_;
    // no snoop would ask this copy
    if (read_below(core, line, LineMoves::instructions)) write_memory(core, line, LineMoves::last_level);
    const Slot victim = c.l1i->victim(c.l1i->set_of(line));
    if (exclusive_ && c.l1i->valid(victim)) {
      give_up(core, c.l1i->line_of(victim), false, LineMoves::instructions);
    }
    c.l1i->fill(victim, line, clean);
  }
}

// The line comes from below; whether it is newer than memory's, for who takes it out of an exclusive last
// level takes that over.
bool FunctionalBus::read_below(unsigned core, std::uint64_t line, unsigned to) {
  if (!llc_) {
    read_memory(core);
    move(line, LineMoves::memory, to);
    return false;
  }
  ++llc_counters_.reads;
  llc_counters_.read_bytes += line_bytes_;
  cores_[core].counters.llc_read_bytes += line_bytes_;
  const Slot slot = llc_->find(line);
  if (slot != no_slot) {
    move(line, LineMoves::last_level, to);
    if (!exclusive_) {
      llc_->touch(slot);
      return false;
    }
    const bool newer = llc_->state(slot) == dirty;
    llc_->invalidate(slot);
    return newer;
  }
  ++llc_counters_.read_misses;
  read_memory(core);
  move(line, LineMoves::memory, to);
  if (!exclusive_) fill_llc(core, line, false, LineMoves::memory);
  return false;
}

// A whole line from an L1: the last level takes it without reading memory. `newer`: than memory's.
void FunctionalBus::write_below(unsigned core, std::uint64_t line, bool newer, unsigned from) {
  if (!llc_) return write_memory(core, line, from);
  ++llc_counters_.writes;
  llc_counters_.written_bytes += line_bytes_;
  cores_[core].counters.llc_written_bytes += line_bytes_;
  const Slot slot = llc_->find(line);
  if (slot != no_slot) {
    if (newer) llc_->set_state(slot, dirty);
    move(line, from, LineMoves::last_level);
    return llc_->touch(slot);
  }
  ++llc_counters_.write_misses;
  fill_llc(core, line, newer, from);
}

void FunctionalBus::fill_llc(unsigned core, std::uint64_t line, bool newer, unsigned from) {
  const Slot victim = llc_->victim(llc_->set_of(line));
  const std::uint64_t leaves = llc_->valid(victim) ? llc_->line_of(victim) : 0;
  std::optional<unsigned> newest;
  if (inclusive_ && llc_->valid(victim)) newest = invalidate_above(leaves);
  if (!newest && llc_->state(victim) == dirty) newest = LineMoves::last_level;
  if (newest) {
    ++llc_counters_.writebacks;
    write_memory(core, leaves, *newest);
  }
  llc_->fill(victim, line, newer ? dirty : clean);
  move(line, from, LineMoves::last_level);
}

// What an inclusive last level evicts leaves the L1s too; whose dirty copy came back, over the bus.
std::optional<unsigned> FunctionalBus::invalidate_above(std::uint64_t line) {
  std::optional<unsigned> newer;
  for (unsigned core = 0; core < cores(); ++core) {
    Core& c = cores_[core];
    if (const Slot slot = c.l1d.find(line); slot != no_slot) {
      if (is_dirty(state_of(c.l1d.state(slot)))) {
        newer = core;
        ++c.counters.snooped_writebacks;
        bus_.written_bytes += line_bytes_;
        c.counters.bus_written_bytes += line_bytes_;
      }
      if (c.prefetch) c.prefetch->leaves(0, slot);
      c.l1d.invalidate(slot);
      ++llc_counters_.back_invalidations;
    }
    const Slot code = c.l1i ? c.l1i->find(line) : no_slot;
    if (code == no_slot) continue;
    c.l1i->invalidate(code);
    if (c.last_fetched == line) c.last_fetched = none_fetched;
    ++llc_counters_.back_invalidations;
  }
  return newer;
}

void FunctionalBus::read_memory(unsigned core) {
  ++memory_.reads;
  memory_.read_bytes += line_bytes_;
  cores_[core].counters.memory_read_bytes += line_bytes_;
}

// A whole line of which `from` holds the newest contents; accounted to `core`.
void FunctionalBus::write_memory(unsigned core, std::uint64_t line, unsigned from) {
  move(line, from, LineMoves::memory);
  ++memory_.writes;
  memory_.written_bytes += line_bytes_;
  cores_[core].counters.memory_written_bytes += line_bytes_;
}

bool FunctionalBus::hits(unsigned core, bool is_store, std::uint64_t address) const {
  return protocol_.hits()[static_cast<std::size_t>(state(core, address))][is_store] != BusProtocol::no_hit;
}

void FunctionalBus::count(bool on) {
  if (on == !counted_) return;
  if (sharing_) sharing_->count(on);
  if (!on) {
    counted_ = Counted{{}, bus_, llc_counters_, memory_};
    for (const Core& core : cores_) counted_->cores.push_back(core.counters);
    return;
  }
  for (unsigned i = 0; i < cores(); ++i) cores_[i].counters = counted_->cores[i];
  bus_ = counted_->bus;
  llc_counters_ = counted_->llc;
  memory_ = counted_->memory;
  counted_.reset();
}

void FunctionalBus::digest(Digest& digest) const {
  const auto add = [&digest](const TagArray<>& tags) {
    const CacheGeometry& shape = tags.geometry();
    for (std::uint32_t set = 0; set < shape.sets; ++set) {
      for (std::uint32_t way = 0; way < shape.ways; ++way) {
        const Slot slot = tags.slot_of(set, way);
        if (!tags.valid(slot)) continue;
        digest.add(tags.line_of(slot));
        digest.add(tags.state(slot));
        digest.add(tags.replacement().word(slot));
      }
    }
  };
  for (const Core& core : cores_) {
    add(core.l1d);
    if (core.l1i) add(*core.l1i);
  }
  if (llc_) add(*llc_);
  digest.add(bus_.transactions());
}

bool FunctionalBus::owes(std::uint64_t address) const {
  return std::any_of(cores_.begin(), cores_.end(), [&](const Core& c) {
    const Slot slot = c.l1d.find(address >> line_bits_);
    return slot != no_slot && (c.l1d.state(slot) & owed) != 0;
  });
}

BusState FunctionalBus::state(unsigned core, std::uint64_t address) const {
  const TagArray<>& l1d = cores_[core].l1d;
  const Slot slot = l1d.find(address >> line_bits_);
  return slot == no_slot ? BusState::I : state_of(l1d.state(slot));
}

}  // namespace mesim
