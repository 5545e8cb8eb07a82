#include "sim/ledger.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "sim/statistics.hpp"

namespace mesim {

const ByteLedger::Link* ByteLedger::find(std::string_view name) const {
  const auto it = std::find_if(links_.begin(), links_.end(), [&](const Link& l) { return l.name == name; });
  return it == links_.end() ? nullptr : &*it;
}

void ByteLedger::link(std::string_view name, std::uint64_t read_bytes, std::uint64_t written_bytes) {
  if (find(name) != nullptr)
    throw std::logic_error(fmt::format("the link '{}' is in the byte ledger twice", name));
  links_.push_back({std::string(name), read_bytes, written_bytes, {}});
}

void ByteLedger::share(std::string_view name, std::string_view requester, std::uint64_t read_bytes,
                       std::uint64_t written_bytes) {
  auto* link = const_cast<Link*>(find(name));
  if (link == nullptr)
    throw std::logic_error(fmt::format("'{}' moved bytes over an unknown link '{}'", requester, name));
  for (Share& s : link->by) {
    if (s.requester == requester) {
      s.read += read_bytes;
      s.written += written_bytes;
      return;
    }
  }
  link->by.push_back({std::string(requester), read_bytes, written_bytes});
}

std::string_view energy_group(std::string_view component) {
  const std::string_view numbered = component_kind(component);
  const std::string_view kind = numbered.empty() ? component : numbered;
  if (kind == "core") return "cores";
  if (kind == "l1d" || kind == "l1i" || kind == "l2_core" || kind == "llc") return "caches";
  if (kind == "home") return "directory";
  if (kind == "bus" || kind == "network") return "interconnect";
  return kind == "memory" ? "memory" : "other";
}

void EnergyLedger::event(std::string_view component, std::string_view name, std::uint64_t events,
                         double pj_each) {
  for (const Entry& e : entries_) {
    if (e.component == component && e.event == name) {
      throw std::logic_error(fmt::format("the energy of '{}/{}' is entered twice", component, name));
    }
  }
  entries_.push_back({std::string(component), std::string(name), events, pj_each});
}

void EnergyLedger::leakage(std::string_view component, double power_mw, double time_ns) {
  for (const Static& s : statics_) {
    if (s.component == component)
      throw std::logic_error(fmt::format("the leakage of '{}' is entered twice", component));
  }
  statics_.push_back({std::string(component), power_mw, time_ns});
}

double EnergyLedger::static_pj() const {
  double sum = 0;
  for (const Static& s : statics_) sum += s.pj();
  return sum;
}

double EnergyLedger::total_pj() const {
  double sum = static_pj();
  for (const Entry& e : entries_) sum += e.pj();
  return sum;
}

}  // namespace mesim
