#include "coherence/bus_protocol.hpp"

#include <fmt/format.h>

#include "coherence/bus_tables.hpp"
#include "sim/error.hpp"

namespace mesim {
namespace {

[[noreturn]] void impossible(const std::string& protocol, BusState state, BusEvent event) {
  throw Error(Exit::internal, fmt::format("protocol {} has no row for {} in state {} on the bus", protocol,
                                          name_of(event), name_of(state)));
}

bool holds(BusGuard guard, BusSignals signals) {
  switch (guard) {
    case BusGuard::always:
      return true;
    case BusGuard::alone:
      return !signals.shared;
    case BusGuard::shared:
      return signals.shared;
    case BusGuard::owned:
      return signals.owned;
    case BusGuard::own_queued:
      return false;
  }
  return false;
}

}  // namespace

BusProtocol::BusProtocol(const CoherenceConfig& config) : BusProtocol(config.protocol, bus_rows(config)) {
  if (table_.rows().empty()) throw bad_input({}, "/coherence/protocol", "no bus protocol is named " + name_);
}

BusProtocol::BusProtocol(std::string name, const std::vector<BusRow>& rows)
    : name_(std::move(name)), table_(rows, bus_states, bus_events) {
  for (std::size_t s = 0; s < bus_states; ++s) {
    for (const BusEvent event : {BusEvent::Load, BusEvent::Store}) {
      const auto cell = table_.cell(static_cast<BusState>(s), event);
      const bool hits = !cell.empty() && cell[0].actions.count == 0;
      hits_[s][event == BusEvent::Store] = hits ? static_cast<std::uint8_t>(cell[0].next) : no_hit;
    }
  }
}

const BusRow& BusProtocol::row(BusState state, BusEvent event) const {
  const auto cell = table_.cell(state, event);
  if (cell.empty()) impossible(name_, state, event);
  return cell[0];
}

const BusRow* BusProtocol::hit(BusState state, BusEvent event) const {
  const BusRow& first = row(state, event);
  return first.actions.count == 0 ? &first : nullptr;
}

const BusRow& BusProtocol::complete(BusState state, BusEvent event, BusSignals signals) const {
  for (const BusRow& candidate : table_.cell(state, event)) {
    if (holds(candidate.guard, signals)) return candidate;
  }
  impossible(name_, state, event);
}

const BusRow& BusProtocol::respond(BusState state, BusEvent event, bool own_queued) const {
  for (const BusRow& candidate : table_.cell(state, event)) {
    if (candidate.guard == BusGuard::always || (own_queued && candidate.guard == BusGuard::own_queued)) {
      return candidate;
    }
  }
  impossible(name_, state, event);
}

std::string_view name_of(BusState state) {
  static constexpr std::array<std::string_view, bus_states> names = {"I", "S", "E",  "O",
                                                                     "F", "M", "Sc", "Sm"};
  return names[static_cast<std::size_t>(state)];
}

std::string_view name_of(BusEvent event) {
  static constexpr std::array<std::string_view, bus_events> names = {
      "Load", "Store", "Evict", "BusRd", "BusRdX", "BusUpgr", "BusUpd", "Recall", "DmaRead", "DmaWrite"};
  return names[static_cast<std::size_t>(event)];
}

std::string_view name_of(BusGuard guard) {
  static constexpr std::array<std::string_view, 5> names = {"", "own request queued", "alone", "shared",
                                                            "owned"};
  return names[static_cast<std::size_t>(guard)];
}

std::string_view name_of(BusAction action) {
  static constexpr std::array<std::string_view, 10> names = {
      "BusRd",        "BusRdX",      "BusUpgr", "BusUpd",        "BusWB",
      "raise Shared", "raise Owned", "supply",  "update memory", "take update"};
  return names[static_cast<std::size_t>(action)];
}

}  // namespace mesim
