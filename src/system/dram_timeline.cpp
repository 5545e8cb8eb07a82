#include "system/dram_timeline.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace mesim {

using dram_check::DramCommand;
using dram_check::Op;

DramTimeline::DramTimeline(Timeline& timeline, const ClockDomain& clock)
    : timeline_(timeline), clock_(clock), row_(timeline.name("row open")) {
  for (unsigned op = 0; op < dram_check::op_count; ++op)
    commands_.push_back(timeline.name(dram_check::name_of(static_cast<Op>(op))));
}

DramTimeline::Bank& DramTimeline::bank_of(const DramCommand& c) {
  const auto [it, fresh] = banks_.try_emplace(BankName{c.channel, c.pseudo, c.rank, c.group, c.bank});
  if (fresh) {
    it->second.track = timeline_.track("dram", fmt::format("channel {}.{} rank {} bank {}.{}", c.channel,
                                                           c.pseudo, c.rank, c.group, c.bank));
  }
  return it->second;
}

void DramTimeline::take(const DramCommand& c) {
  switch (c.op) {
    case Op::act: {
      Bank& bank = bank_of(c);
      close(bank, c.at);
      bank.open = true;
      bank.opened = c.at;
      bank.row = c.row;
      return;
    }
    case Op::rd:
    case Op::wr:
      bank_of(c).columns.emplace_back(c.at, c.op);
      return;
    case Op::rda:
    case Op::wra:
      bank_of(c).columns.emplace_back(c.at, c.op);
      close(bank_of(c), c.at + 1);
      return;
    case Op::pre:
      close(bank_of(c), c.at);
      return;
    case Op::prea:
      for (auto& [name, bank] : banks_) {
        if (name[0] == c.channel && name[1] == c.pseudo && name[2] == c.rank) close(bank, c.at);
      }
      on_rank(c);
      return;
    default:
      on_rank(c);
  }
}

void DramTimeline::on_rank(const DramCommand& c) {
  const Tick from = clock_.edge(c.at);
  const Tick until = clock_.edge(c.at + 1);
  if (!timeline_.wants(from, until, c.at)) return;
  const auto track =
      timeline_.track("dram", fmt::format("channel {}.{} rank {}", c.channel, c.pseudo, c.rank));
  timeline_.slice(track, from, until, commands_[static_cast<std::size_t>(c.op)], {});
}

void DramTimeline::close(Bank& bank, Cycles at) {
  if (!bank.open) return;
  bank.open = false;
  const Tick from = clock_.edge(bank.opened);
  const Tick until = clock_.edge(at);
  const std::uint64_t key = std::uint64_t{bank.row} << 32 | bank.track;
  if (timeline_.wants(from, until, key)) {
    timeline_.begin(bank.track, from, row_, {.address = bank.row});
    for (const auto& [column, op] : bank.columns) {
      const Tick given = clock_.edge(column);
      const Tick done = clock_.edge(column + 1);
      if (timeline_.wants(given, done, key))
        timeline_.slice(bank.track, given, done, commands_[static_cast<std::size_t>(op)], {});
    }
    timeline_.end(bank.track, until);
  }
  bank.columns.clear();
}

void DramTimeline::finish(Cycles now) {
  for (auto& [name, bank] : banks_)
    close(bank, std::max(now, bank.columns.empty() ? now : bank.columns.back().first + 1));
}

MachineDramTimeline::MachineDramTimeline(Timeline* timeline, Memory& memory) : memory_(memory) {
  if (timeline == nullptr || !memory.own_clock()) return;
  clock_ = ClockDomain(*memory.own_clock());
  timeline_.emplace(*timeline, clock_);
  memory.watch_commands([this](const DramCommand& command) { timeline_->take(command); });
}

void MachineDramTimeline::finish(Tick end) {
  if (timeline_) timeline_->finish(clock_.first_edge_from(end));
}

}  // namespace mesim
