#include "sim/accounts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace mesim {

void TimeLedger::unit(std::string_view name, Cycles total) {
  units_.push_back({std::string(name), total, {}});
}

void TimeLedger::owner(std::string_view unit, std::string_view name, Cycles cycles) {
  const auto it = std::find_if(units_.begin(), units_.end(), [&](const Unit& u) { return u.name == unit; });
  if (it == units_.end()) throw std::logic_error(fmt::format("cycles of an unknown unit '{}'", unit));
  for (Owner& o : it->owners) {
    if (o.name == name) {
      o.cycles += cycles;
      return;
    }
  }
  it->owners.push_back({std::string(name), cycles});
}

std::vector<std::string> imbalances(const Accounts& accounts) {
  std::vector<std::string> faults;
  const auto compare = [&](std::string_view what, std::string_view name, std::uint64_t whole,
                           std::uint64_t parts) {
    if (whole != parts)
      faults.push_back(
          fmt::format("{} of {}: the whole is {}, the parts sum to {}", what, name, whole, parts));
  };
  for (const auto& unit : accounts.time.units()) {
    Cycles parts = 0;
    for (const auto& owner : unit.owners) parts += owner.cycles;
    compare("cycles", unit.name, unit.total, parts);
  }
  for (const auto& link : accounts.bytes.links()) {
    std::uint64_t read = 0;
    std::uint64_t written = 0;
    for (const auto& share : link.by) {
      read += share.read;
      written += share.written;
    }
    compare("bytes read", link.name, link.read, read);
    compare("bytes written", link.name, link.written, written);
  }
  for (const auto& entry : accounts.energy.entries()) {
    if (!std::isfinite(entry.pj()) || entry.pj() < 0) {
      faults.push_back(fmt::format("energy of {}/{}: {} events of {} pJ", entry.component, entry.event,
                                   entry.events, entry.pj_each));
    }
  }
  return faults;
}

}  // namespace mesim
