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
    : protocol_(config.coherence),
      line_bytes_(config.l1d.line_bytes),
      line_mask_(line_bytes_ - 1),
      line_bits_(config.l1d.geometry().line_bits()),
      upgrade_is_miss_(config.coherence.upgrade_is_miss),
      observer_(config.observer) {
  if (config.cores < 1 || config.cores > max_cores) {
    throw bad_input({}, "/cores/count", fmt::format("{} cores, expected 1 to {}", config.cores, max_cores));
  }
  check_line(config.l1i, line_bytes_, "l1i");
  check_line(config.llc, line_bytes_, "llc");

  // who is looked at takes the slow path always
  for (std::uint8_t s = 1; s < bus_states && observer_ == nullptr; ++s) {
    const auto& hit = protocol_.hits()[s];
    hits_[s][0] = hits_[s | followed][0] = hit[0] == s;
    hits_[s][1] = hit[1] == s;
  }

  for (unsigned i = 0; i < config.cores; ++i) {
    Core core{config.l1d.tag_array(config.seed + i), {}, {}};
    if (config.l1i) core.l1i = config.l1i->tag_array(config.seed + max_cores + i);
    cores_.push_back(std::move(core));
  }
  queued_.resize(config.cores);
  if (config.llc) llc_ = config.llc->tag_array(config.seed + 2 * max_cores);
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
      machine.write_below(cache, line);
    }
    if (event == BusEvent::BusRd && is_exclusive(before) && !is_exclusive(row.next))
      ++c.counters.interventions;
    if (row.next != BusState::I) {
      const auto mark = static_cast<std::uint8_t>(c.l1d.state(slot) & followed);
      c.l1d.set_state(slot, static_cast<std::uint8_t>(static_cast<std::uint8_t>(row.next) | mark));
      return;
    }
    c.l1d.invalidate(slot);
    ++c.counters.invalidations;
    if (machine.sharing_) machine.sharing_->invalidated(line, requester, cache);
  }
};

void FunctionalBus::access_lines(unsigned core, bool is_store, std::uint64_t address, std::uint32_t size) {
  while (size != 0) {
    const auto room = line_bytes_ - static_cast<std::uint32_t>(address & line_mask_);
    const std::uint32_t piece = std::min(size, room);
    is_store ? access<true>(core, address, piece) : access<false>(core, address, piece);
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
        get_line(core, line, outcome.supplier);
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
  const auto byte = static_cast<std::uint8_t>(static_cast<std::uint8_t>(after) | (follow ? followed : 0));
  if (slot != no_slot) {
    c.l1d.set_state(slot, byte);
    c.l1d.touch(slot);
  } else {
    const Slot victim = c.l1d.victim(c.l1d.set_of(line));
    if (c.l1d.valid(victim)) make_room(core, victim);
    c.l1d.fill(victim, line, byte);
  }
  if (observer_ != nullptr) observer_->accessed(*this, core, is_store, address, size);
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

// A line over the bus to `core`, from the supplying cache or from below.
void FunctionalBus::get_line(unsigned core, std::uint64_t line, int supplier) {
  CoreCounters& counters = cores_[core].counters;
  served_.line = true;
  served_.from_cache = supplier >= 0;
  served_.supplier = supplier;
  bus_.read_bytes += line_bytes_;
  counters.bus_read_bytes += line_bytes_;
  if (supplier >= 0) {
    ++counters.cache_to_cache;
  } else {
    ++counters.memory_reads;
    read_below(core, line);
  }
}

void FunctionalBus::make_room(unsigned core, Slot victim) {
  Core& c = cores_[core];
  ++c.counters.evictions;
  const BusRow& row = protocol_.respond(state_of(c.l1d.state(victim)), BusEvent::Evict);
  if (!row.actions.has(BusAction::write_back)) return;
  served_.wrote_back = true;
  served_.written_line = c.l1d.line_of(victim) << line_bits_;
  ++c.counters.evicted_writebacks;
  ++bus_.BusWB;
  bus_.written_bytes += line_bytes_;
  c.counters.bus_written_bytes += line_bytes_;
  write_below(core, c.l1d.line_of(victim));
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
    read_below(core, line);
    c.l1i->fill(c.l1i->victim(c.l1i->set_of(line)), line, clean);
  }
}

void FunctionalBus::read_below(unsigned core, std::uint64_t line) {
  if (!llc_) return read_memory(core);
  ++llc_counters_.reads;
  llc_counters_.read_bytes += line_bytes_;
  cores_[core].counters.llc_read_bytes += line_bytes_;
  const Slot slot = llc_->find(line);
  if (slot != no_slot) return llc_->touch(slot);
  ++llc_counters_.read_misses;
  read_memory(core);
  const Slot victim = llc_->victim(llc_->set_of(line));
  if (llc_->state(victim) == dirty) {
    ++llc_counters_.writebacks;
    write_memory(core);
  }
  llc_->fill(victim, line, clean);
}

// A whole line from an L1D: the last level takes it without reading memory.
void FunctionalBus::write_below(unsigned core, std::uint64_t line) {
  if (!llc_) return write_memory(core);
  ++llc_counters_.writes;
  llc_counters_.written_bytes += line_bytes_;
  cores_[core].counters.llc_written_bytes += line_bytes_;
  const Slot slot = llc_->find(line);
  if (slot != no_slot) {
    llc_->set_state(slot, dirty);
    return llc_->touch(slot);
  }
  ++llc_counters_.write_misses;
  const Slot victim = llc_->victim(llc_->set_of(line));
  if (llc_->state(victim) == dirty) {
    ++llc_counters_.writebacks;
    write_memory(core);
  }
  llc_->fill(victim, line, dirty);
}

void FunctionalBus::read_memory(unsigned core) {
  ++memory_.reads;
  memory_.read_bytes += line_bytes_;
  cores_[core].counters.memory_read_bytes += line_bytes_;
}

void FunctionalBus::write_memory(unsigned core) {
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

BusState FunctionalBus::state(unsigned core, std::uint64_t address) const {
  const TagArray<>& l1d = cores_[core].l1d;
  const Slot slot = l1d.find(address >> line_bits_);
  return slot == no_slot ? BusState::I : state_of(l1d.state(slot));
}

}  // namespace mesim
