// Rounds of bursts to open rows, passed over at once.
#include <algorithm>

#include "memory/dram/controller.hpp"

namespace mesim::dram {

bool Controller::streams(bool write) const {
  if ((write ? reads_ : writes_).size() != 0 || refreshing_ != 0 || held_ != 0) return false;
  if (direction_ == (write ? Direction::reads : Direction::writes)) return false;
  return (write ? writes_ : reads_).all_of([this](const QueuedBurst& burst) {
    return (open_ >> burst.bank & 1) != 0 && row_[burst.bank] == burst.row;
  });
}

void Controller::shape_into(bool write, Cycles now, std::vector<std::uint64_t>& out) const {
  const RequestQueue& queue = write ? writes_ : reads_;
  const std::size_t begin = out.size();
  queue.all_of([&](const QueuedBurst& burst) {
    out.push_back((arrivals_ - (burst.order & ~lowest_priority)) << 8 | burst.bank);
    return true;
  });
  std::sort(out.begin() + static_cast<std::ptrdiff_t>(begin), out.end());
  const auto ahead = [now](Cycles at) { return at > now ? at - now : 0; };
  for (BankMask banks = queue.banks(); banks != 0; banks &= banks - 1) {
    const auto bank = static_cast<unsigned>(std::countr_zero(banks));
    out.push_back(ahead(ready_.of(write ? Kind::write : Kind::read, bank)));
  }
  out.push_back(ahead(bus_free(write ? Command::write : Command::read)));
}

// What the rules say after the last round is what they said after the one before, seen from its commands.
void Controller::pass_over(std::span<const RoundBurst> round, const Rounds& r) {
  const Cycles by = r.rounds * r.period;
  const Command command = r.write ? Command::write : Command::read;
  RequestQueue& queue = r.write ? writes_ : reads_;
  std::array<Cycles, 4> moved{};  // data of a round, by pseudo-channel
  BankMask banks = 0;
  const Cycles latency = (r.write ? table_->write_latency : table_->read_latency) + table_->burst;
  // By Little's law a round's bursts have waited for as long as the queue is.
  const Cycles waited = queue.size() * by;
  for (const RoundBurst& burst : round) {
    const BankMask bit = BankMask{1} << burst.bank;
    if ((banks & bit) == 0) {
      used_[burst.bank] += by;
      ready_.issued(command, burst.bank, used_[burst.bank]);
    }
    banks |= bit;
    hits_[burst.bank] += static_cast<std::uint32_t>(r.rounds);
    counters_.row_hits[burst.bank] += r.rounds;
    moved[pseudo_of_[burst.bank]] += table_->burst;
    UnitCounters& unit = counters_.unit(burst.unit);
    (r.write ? unit.writes : unit.reads) += r.rounds;
    if (!r.write) unit.read_cycles += r.rounds * latency + waited / round.size();
  }
  const std::uint64_t bursts = r.rounds * round.size();
  (r.write ? counters_.writes : counters_.reads) += bursts;
  (r.write ? counters_.write_queue_cycles : counters_.read_queue_cycles) += waited;
  counters_.commands[static_cast<std::size_t>(command)] += bursts;
  for (unsigned pseudo = 0; pseudo < geometry_.pseudo_channels; ++pseudo) {
    if (moved[pseudo] == 0) continue;
    auto& owners = counters_.bus[pseudo];
    owners[static_cast<std::size_t>(BusOwner::transfer)] += moved[pseudo] * r.rounds;
    owners[static_cast<std::size_t>(BusOwner::bank_group)] += (r.period - moved[pseudo]) * r.rounds;
    data_[pseudo].end += by;
    counters_.last_data = std::max(counters_.last_data, data_[pseudo].end);
  }
  queue.replace(by, r.rounds * r.stripe, static_cast<std::uint32_t>(r.rounds));
  bus_free_[table_->split_command_bus ? 1 : 0] += by;
  now_ += by;
  stale_ |= queue.banks();
  retime_ |= wanting_;
  fronts_ = {};
  chosen_ = false;
}

}  // namespace mesim::dram
