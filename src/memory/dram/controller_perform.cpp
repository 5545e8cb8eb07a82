// What a command does to banks, buses and accounts.
#include <algorithm>

#include "memory/dram/controller.hpp"

namespace mesim::dram {

void Controller::advance() {
  perform_choice();
  find_choice();
}

void Controller::perform_choice() {
  const Choice& c = choice_;
  chosen_ = false;
  now_ = c.at;
  if (c.what == Choice::refresh_falls_due) {
    refresh_falls_due(c.at);
    return;
  }
  const unsigned rank = rank_of_[c.bank];
  switch (c.command_id) {
    case Command::read:
    case Command::write:
      transfer(c.slot, c.write, c.at);
      break;
    case Command::activate:
      activate((c.write ? writes_ : reads_)[c.slot], c.at);
      break;
    case Command::precharge:
      precharge(c.bank, c.slot != RequestQueue::none, c.at);
      break;
    case Command::precharge_all:
      give(Command::precharge_all, c.bank, 0, 0, c.at);
      for (BankMask open = open_ & rank_masks_[rank]; open != 0; open &= open - 1) {
        close(static_cast<unsigned>(std::countr_zero(open)), c.at);
      }
      break;
    case Command::refresh:
    case Command::refresh_bank:
      perform_refresh(c.command_id, rank, c.at);
      break;
    default:
      perform_power(c.command_id, rank, c.at);
  }
}

void Controller::serve_lone(Cycles until) {
  const Cycles end = std::min(until, next_due_);
  const bool write = reads_.size() == 0;
  const std::uint8_t slot = (write ? writes_ : reads_).any();
  const QueuedBurst& burst = (write ? writes_ : reads_)[slot];
  const unsigned bank = burst.bank;
  const BankMask bit = BankMask{1} << bank;
  const auto ready = [&](Command command) {
    return std::max(std::max(now_, bus_free(command)), ready_.of(kind_of(command), bank));
  };
  chosen_ = false;
  if ((open_ & bit) != 0 && row_[bank] != burst.row) {
    const Cycles at = ready(Command::precharge);
    if (at >= end) return;
    precharge(bank, true, now_ = at);
  }
  if ((open_ & bit) == 0) {
    const Cycles at = ready(Command::activate);
    if (at >= end) return;
    activate(burst, now_ = at);
  }
  const Cycles at = ready(write ? Command::write : Command::read);
  if (at < end) transfer(slot, write, now_ = at);
}

void Controller::activate(const QueuedBurst& burst, Cycles now) {
  give(Command::activate, burst.bank, burst.row, 0, now);
  open(burst.bank, burst.row, now);
  opened_for_[burst.bank] = burst.order;
  ++counters_.unit(burst.unit).activates;
}

void Controller::precharge(unsigned bank, bool for_another_row, Cycles now) {
  give(Command::precharge, bank, row_[bank], 0, now);
  if (for_another_row) conflict_ |= BankMask{1} << bank;
  close(bank, now);
}

void Controller::give(Command command, unsigned bank, std::uint32_t row, std::uint32_t column, Cycles now) {
  const auto id = static_cast<std::size_t>(command);
  ++counters_.commands[id];
  bus_free_[table_->split_command_bus && is_column(command) ? 1 : 0] = now + table_->slots[id];
  ready_.issued(command, bank, now);
  if (unsigned kinds = ready_.kinds_of_group(command) & 0xf; kinds != 0) {
    const BankMask group = group_masks_[bank];
    for (; kinds != 0; kinds &= kinds - 1)
      retime_ |= group & want_[static_cast<std::size_t>(std::countr_zero(kinds))];
  }
  if (command >= Command::precharge_all) retime_ = wanting_;
  if (trace_ != nullptr) trace_->command(now, command, bank, row, column);
}

template <bool write>
void Controller::transfer(std::uint8_t slot, Cycles now) {
  RequestQueue& queue = write ? writes_ : reads_;
  const QueuedBurst& burst = queue[slot];  // its place is kept until another comes
  const unsigned bank = burst.bank;
  const BankMask bit = BankMask{1} << bank;
  queue.remove(slot);
  const bool closes = closes_row(bank, burst.row);
  const Command command =
      write ? (closes ? Command::write_ap : Command::write) : (closes ? Command::read_ap : Command::read);
  give(command, bank, burst.row, burst.column, now);

  if (opened_for_[bank] == burst.order) {
    ++((conflict_ & bit) != 0 ? counters_.row_conflicts : counters_.row_misses)[bank];
    conflict_ &= ~bit;
  } else {
    ++counters_.row_hits[bank];
  }
  ++hits_[bank];
  used_[bank] = now;

  const Cycles data = now + (write ? table_->write_latency : table_->read_latency);
  account_bus(bank, write, data);
  (write ? counters_.write_queue_cycles : counters_.read_queue_cycles) += now - burst.arrived;
  const unsigned pseudo = pseudo_of_[bank];
  if (--waiting_[pseudo] == 0) idle_since_[pseudo] = now;
  RankState& rank = ranks_[rank_of_[bank]];
  if (--rank.waiting == 0) {
    rank.idle_since = now;
    if (waiting_matters_) renew_held(rank_of_[bank]);
  }
  finish(burst, write, now, data + table_->burst);
  stale_ |= bit;
  if (closes) close(bank, now);
  turn();
}

void Controller::finish(const QueuedBurst& burst, bool write, Cycles begun, Cycles end) {
  counters_.last_data = std::max(counters_.last_data, end);
  UnitCounters& unit = counters_.unit(burst.unit);
  ++(write ? unit.writes : unit.reads);
  if (!write) unit.read_cycles += end - burst.arrived;
  if (burst.request != no_request) {
    answers_->burst_done(burst.request, begun, end);
    return;
  }
  (write ? counters_.write_latency : counters_.read_latency).add(end - burst.arrived);
}

// Gives the cycles between two transfers to their owners.
void Controller::share_gap(unsigned pseudo, Cycles gap, Cycles turn_around, Cycles group) {
  DataBus& bus = data_[pseudo];
  auto& owners = counters_.bus[pseudo];
  const auto take = [&](BusOwner owner, Cycles at_most) {
    const Cycles part = std::min(gap, at_most);
    owners[static_cast<std::size_t>(owner)] += part;
    gap -= part;
  };
  take(BusOwner::refresh, bus.refresh);
  take(BusOwner::idle, bus.idle);
  take(BusOwner::turn_around, turn_around);
  take(BusOwner::bank_group, group);
  take(BusOwner::row_wait, gap);
  bus.refresh = 0;
  bus.idle = 0;
}

void Controller::account_bus(unsigned bank, bool write, Cycles data) {
  const unsigned pseudo = pseudo_of_[bank];
  DataBus& bus = data_[pseudo];
  const unsigned group = group_of_[bank];
  const unsigned rank = rank_of_[bank];
  if (data > bus.end) {
    Cycles turn_around = table_->turn_gap[bus.write][write];
    if (bus.used && bus.rank != rank)
      turn_around = std::max<Cycles>(turn_around, table_->rank_gap[bus.write][write]);
    share_gap(pseudo, data - bus.end, bus.used ? turn_around : 0,
              group == bus.group ? table_->group_gap[write] : 0);
  }
  counters_.bus[pseudo][static_cast<std::size_t>(BusOwner::transfer)] += table_->burst;
  if (bus.used && bus.write != write) ++counters_.turn_arounds;
  bus = {.end = data + table_->burst, .used = true, .write = write, .group = group, .rank = rank};
}

void Controller::open(unsigned bank, std::uint32_t row, Cycles now) {
  const unsigned rank = rank_of_[bank];
  if (ranks_[rank].open_banks == 0) account_power(rank, now);
  ++ranks_[rank].open_banks;
  open_ |= BankMask{1} << bank;
  stale_ |= BankMask{1} << bank;
  row_[bank] = row;
  hits_[bank] = 0;
  used_[bank] = now;
}

void Controller::close(unsigned bank, Cycles now) {
  const unsigned rank = rank_of_[bank];
  if (ranks_[rank].open_banks == 1) account_power(rank, now);
  --ranks_[rank].open_banks;
  open_ &= ~(BankMask{1} << bank);
  stale_ |= BankMask{1} << bank;
}

}  // namespace mesim::dram
