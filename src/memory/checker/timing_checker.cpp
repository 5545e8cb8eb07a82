#include "memory/checker/timing_checker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace mesim::dram_check {
namespace {

constexpr std::size_t kept_violations = 100;

bool is_column_op(Op op) { return op == Op::rd || op == Op::rda || op == Op::wr || op == Op::wra; }
bool is_write_op(Op op) { return op == Op::wr || op == Op::wra; }
bool is_rank_op(Op op) { return op == Op::prea || op == Op::ref || op >= Op::pde; }

}  // namespace

TimingChecker::TimingChecker(const Parameters& parameters) : parameters_(parameters) {
  const Parameters& q = parameters_;
  Times never_given;
  never_given.fill(long_ago);
  const std::size_t pseudos = std::size_t{q.channels} * q.pseudo_channels;
  const std::size_t ranks = pseudos * q.ranks;
  pseudos_.assign(pseudos, {never_given, 0});
  Rank rank;
  rank.last = never_given;
  ranks_.assign(ranks, rank);
  groups_.assign(ranks * q.groups, never_given);
  Bank bank;
  bank.last = never_given;
  banks_.assign(ranks * q.groups * q.banks_per_group, bank);
  bus_free_.assign(q.channels, {});
  read_latency_ = static_cast<Cycles>(p("nCL"));
  write_latency_ = static_cast<Cycles>(p("nCWL"));
  burst_ = static_cast<Cycles>(p("nBL"));
  four_activates_ = static_cast<Cycles>(p("nFAW"));
  make_rules();
}

std::int64_t TimingChecker::p(const char* name) const {
  const auto found = parameters_.cycles.find(name);
  if (found == parameters_.cycles.end()) throw std::out_of_range(std::string("the checker needs ") + name);
  return found->second;
}

void TimingChecker::rule(std::string name, std::initializer_list<Op> before, std::initializer_list<Op> after,
                         Scope scope, std::int64_t least) {
  const auto number = static_cast<std::uint32_t>(rules_.size());
  rules_.push_back(std::move(name));
  for (const Op next : after) {
    for (const Op op : before) {
      terms_[static_cast<std::size_t>(next)].push_back({number, op, scope, least});
    }
  }
}

// The rules of a family, written down from its standard.
void TimingChecker::make_rules() {
  const std::string& family = parameters_.family;
  const bool lpddr = family == "lpddr5";
  const bool hbm = family == "hbm2" || family == "hbm3";
  const bool ddr = family == "ddr4" || family == "ddr5";
  const std::int64_t burst = p("nBL");
  const std::int64_t longest = lpddr ? p("nBL_max") : burst;
  const std::int64_t read_to_precharge = lpddr ? burst + p("nRTP") : p("nRTP");
  const std::int64_t write_to_precharge = p("nCWL") + burst + (lpddr ? 1 : 0) + p("nWR");

  rule("tRCD", {Op::act}, {Op::rd, Op::rda}, Scope::bank, has("nRCDRD") ? p("nRCDRD") : p("nRCD"));
  rule("tRCDWR", {Op::act}, {Op::wr, Op::wra}, Scope::bank, has("nRCDWR") ? p("nRCDWR") : p("nRCD"));
  rule("tRAS", {Op::act}, {Op::pre, Op::prea}, Scope::bank, p("nRAS"));
  rule("tRC", {Op::act}, {Op::act}, Scope::bank, p("nRC"));
  rule("tRP", {Op::pre}, {Op::act}, Scope::bank, p("nRP"));
  rule("tRPab", {Op::prea}, {Op::act, Op::ref}, Scope::rank, lpddr ? p("nRPab") : p("nRP"));
  rule("tRTP", {Op::rd}, {Op::pre, Op::prea}, Scope::bank, read_to_precharge);
  rule("tWR", {Op::wr}, {Op::pre, Op::prea}, Scope::bank, write_to_precharge);
  rule("tRTP+tRP", {Op::rda}, {Op::act}, Scope::bank, read_to_precharge + p("nRP"));
  rule("tWR+tRP", {Op::wra}, {Op::act}, Scope::bank, write_to_precharge + p("nRP"));
  rule("tRRD_S", {Op::act}, {Op::act}, Scope::rank, p("nRRD_S"));
  if (!lpddr) rule("tRRD_L", {Op::act}, {Op::act}, Scope::group, p("nRRD_L"));

  rule("tCCD_S", {Op::rd, Op::rda}, {Op::rd, Op::rda}, Scope::rank, p("nCCD_S"));
  rule("tCCD_S", {Op::wr, Op::wra}, {Op::wr, Op::wra}, Scope::rank, p("nCCD_S"));
  rule("tCCD_L", {Op::rd, Op::rda}, {Op::rd, Op::rda}, Scope::group, p("nCCD_L"));
  rule(family == "ddr5" ? "tCCD_L_WR2" : "tCCD_L", {Op::wr, Op::wra}, {Op::wr, Op::wra}, Scope::group,
       family == "ddr5" ? p("nCCD_L_WR2") : p("nCCD_L"));
  rule("tRTW", {Op::rd, Op::rda}, {Op::wr, Op::wra}, Scope::pseudo,
       hbm ? p("nRTW") : p("nCL") + longest + 2 - p("nCWL"));
  rule("tWTR_S", {Op::wr, Op::wra}, {Op::rd, Op::rda}, Scope::rank, p("nCWL") + longest + p("nWTR_S"));
  rule("tWTR_L", {Op::wr, Op::wra}, {Op::rd, Op::rda}, Scope::group, p("nCWL") + longest + p("nWTR_L"));
  if (hbm) rule("tCCD_R", {Op::rd, Op::rda}, {Op::rd, Op::rda}, Scope::other_ranks, p("nCCD_R"));
  if (ddr || lpddr) {
    rule("tRTRS", {Op::rd, Op::rda}, {Op::rd, Op::rda}, Scope::other_ranks, longest + p("nRTRS"));
    rule("tRTRS", {Op::wr, Op::wra}, {Op::wr, Op::wra}, Scope::other_ranks, longest + p("nRTRS"));
    // The data of a write ends, one switch later that of a read of another rank may begin.
    rule("tWRRD other rank", {Op::wr, Op::wra}, {Op::rd, Op::rda}, Scope::other_ranks,
         p("nCWL") + longest + p("nRTRS") - p("nCL"));
  }
  if (has("nPPD"))
    rule("tPPD", {Op::pre, Op::prea}, {Op::pre, Op::prea}, hbm ? Scope::pseudo : Scope::rank, p("nPPD"));
  make_refresh_rules(read_to_precharge, write_to_precharge);
}

void TimingChecker::make_refresh_rules(std::int64_t read_to_precharge, std::int64_t write_to_precharge) {
  rule("tRP before REF", {Op::pre}, {Op::ref}, Scope::rank, p("nRP"));
  rule("tRTP+tRP before REF", {Op::rda}, {Op::ref}, Scope::rank, read_to_precharge + p("nRP"));
  rule("tWR+tRP before REF", {Op::wra}, {Op::ref}, Scope::rank, write_to_precharge + p("nRP"));
  rule("tRC before REF", {Op::act}, {Op::ref}, Scope::rank, p("nRC"));
  rule("tRFC", {Op::ref}, {Op::act, Op::ref, Op::refb, Op::sre}, Scope::rank, p("nRFC"));
  if (has("nRFCB")) {
    rule("tRFCpb", {Op::refb}, {Op::act}, Scope::bank, p("nRFCB"));
    rule("tRFCpb before REF", {Op::refb}, {Op::ref, Op::sre}, Scope::rank, p("nRFCB"));
    rule("REFpb to REFpb", {Op::refb}, {Op::refb}, Scope::rank, p("nREFB_REFB"));
    rule("REFpb to ACT", {Op::refb}, {Op::act}, Scope::rank, has("nREFB_ACT") ? p("nREFB_ACT") : p("nRREFD"));
    rule("tRP before REFpb", {Op::pre, Op::prea}, {Op::refb}, Scope::bank, p("nRP"));
    rule("tRC before REFpb", {Op::act}, {Op::refb}, Scope::bank, p("nRC"));
  }
  rule("tXP", {Op::pdx}, {Op::act, Op::rd, Op::rda, Op::wr, Op::wra, Op::pre, Op::prea, Op::ref, Op::refb},
       Scope::rank, p("nXP"));
  rule("tCKE", {Op::pde}, {Op::pdx}, Scope::rank, p("nCKE"));
  rule("tXS", {Op::srx}, {Op::act, Op::rd, Op::wr, Op::ref, Op::refb, Op::pre, Op::prea}, Scope::rank,
       p("nXS"));
  rule("tCKESR", {Op::sre}, {Op::srx}, Scope::rank, p("nCKE"));
}

std::size_t TimingChecker::pseudo_index(const DramCommand& c) const {
  return std::size_t{c.channel} * parameters_.pseudo_channels + c.pseudo;
}
std::size_t TimingChecker::rank_index(const DramCommand& c) const {
  return pseudo_index(c) * parameters_.ranks + c.rank;
}
std::size_t TimingChecker::group_index(const DramCommand& c) const {
  return rank_index(c) * parameters_.groups + c.group;
}
std::size_t TimingChecker::bank_index(const DramCommand& c) const {
  return group_index(c) * parameters_.banks_per_group + c.bank;
}

template <class Use>
void TimingChecker::each_touched(const DramCommand& c, Use use) const {
  if (!is_rank_op(c.op) && c.op != Op::refb) {
    use(bank_index(c));
    return;
  }
  const std::size_t banks = std::size_t{parameters_.groups} * parameters_.banks_per_group;
  const std::size_t first = rank_index(c) * banks;
  for (std::size_t i = 0; i < banks; ++i) {
    const bool wanted =
        is_rank_op(c.op) ? true
        : parameters_.same_bank_refresh
            ? i % parameters_.banks_per_group == c.bank
            : i % parameters_.refresh_bank_steps == (bank_index(c) - first) % parameters_.refresh_bank_steps;
    if (wanted) use(first + i);
  }
}

void TimingChecker::observe(const DramCommand& c) {
  ++commands_;
  ++counts_[static_cast<std::size_t>(c.op)];
  if (c.channel >= parameters_.channels || c.pseudo >= parameters_.pseudo_channels ||
      c.rank >= parameters_.ranks || c.group >= parameters_.groups || c.bank >= parameters_.banks_per_group) {
    report("place", c, "names a bank that is not there");
    return;
  }
  check_bus(c);
  check_state(c);
  check_rules(c);
  check_four_activates(c);
  if (is_column_op(c.op)) check_data(c);
  remember(c);
}

void TimingChecker::check_bus(const DramCommand& c) {
  const bool column = is_column_op(c.op);
  Cycles& free = bus_free_[c.channel][parameters_.split_command_bus && column ? 1 : 0];
  if (c.at < free) report("command bus", c, fmt::format("the command bus is taken until {}", free));
  const unsigned slots = column ? parameters_.column_slots : c.op == Op::act ? parameters_.activate_slots : 1;
  free = std::max(free, c.at + slots);
}

void TimingChecker::check_state(const DramCommand& c) {
  const Rank& rank = ranks_[rank_index(c)];
  if (rank.self_refresh && c.op != Op::srx) report("state", c, "the rank is in self-refresh");
  if (rank.down && c.op != Op::pdx) report("state", c, "the rank is in power-down");
  if (c.op == Op::pdx && !rank.down) report("state", c, "the rank is not in power-down");
  if (c.op == Op::srx && !rank.self_refresh) report("state", c, "the rank is not in self-refresh");
  if (c.op == Op::pde || c.op == Op::pdx || c.op == Op::srx || c.op == Op::pre || c.op == Op::prea) return;
  if (is_column_op(c.op)) {
    const Bank& bank = banks_[bank_index(c)];
    if (!bank.open)
      report("state", c, "no row is open");
    else if (bank.row != c.row)
      report("state", c, fmt::format("row {} is open", bank.row));
    return;
  }
  each_touched(c, [&](std::size_t index) {
    if (banks_[index].open)
      report("state", c, fmt::format("row {} is open in bank {}", banks_[index].row, index));
  });
}

void TimingChecker::check_rules(const DramCommand& c) {
  for (const Term& term : terms_[static_cast<std::size_t>(c.op)]) {
    const auto op = static_cast<std::size_t>(term.before);
    const auto judge = [&](const Times& last) {
      if (last[op] == long_ago) return;
      const std::int64_t passed = static_cast<std::int64_t>(c.at) - static_cast<std::int64_t>(last[op]);
      if (passed >= term.least) return;
      report(rules_[term.rule], c,
             fmt::format("{} clocks after {} at {}, expected at least {}", passed, name_of(term.before),
                         last[op], term.least));
    };
    switch (term.scope) {
      case Scope::bank:
        // PREA does nothing to a bank that is closed or about to close by itself (JESD79-4 4.17).
        each_touched(c, [&](std::size_t bank) {
          if (c.op != Op::prea || banks_[bank].open) judge(banks_[bank].last);
        });
        break;
      case Scope::group:
        judge(groups_[group_index(c)]);
        break;
      case Scope::rank:
        judge(ranks_[rank_index(c)].last);
        break;
      case Scope::pseudo:
        judge(pseudos_[pseudo_index(c)].last);
        break;
      case Scope::other_ranks: {
        const std::size_t first = pseudo_index(c) * parameters_.ranks;
        for (std::size_t rank = first; rank < first + parameters_.ranks; ++rank) {
          if (rank != rank_index(c)) judge(ranks_[rank].last);
        }
      }
    }
  }
}

void TimingChecker::check_four_activates(const DramCommand& c) {
  if (c.op != Op::act) return;
  Rank& rank = ranks_[rank_index(c)];
  Cycles& fourth = rank.activates[rank.activated % 4];
  if (rank.activated >= 4 && c.at - fourth < four_activates_) {
    report("tFAW", c,
           fmt::format("{} clocks after the last but three ACT, expected at least {}", c.at - fourth,
                       four_activates_));
  }
  fourth = c.at;
  ++rank.activated;
}

// Two bursts never meet on the data pins.
void TimingChecker::check_data(const DramCommand& c) {
  Pseudo& pseudo = pseudos_[pseudo_index(c)];
  const Cycles begin = c.at + (is_write_op(c.op) ? write_latency_ : read_latency_);
  if (begin < pseudo.data_end)
    report("data bus", c, fmt::format("the data bus is taken until {}", pseudo.data_end));
  pseudo.data_end = begin + burst_;
}

void TimingChecker::remember(const DramCommand& c) {
  const auto op = static_cast<std::size_t>(c.op);
  Rank& rank = ranks_[rank_index(c)];
  each_touched(c, [&](std::size_t index) {
    Bank& bank = banks_[index];
    if (c.op != Op::prea || bank.open) bank.last[op] = c.at;
    if (c.op == Op::act) {
      bank.open = true;
      bank.row = c.row;
    } else if (c.op == Op::pre || c.op == Op::prea || c.op == Op::rda || c.op == Op::wra) {
      bank.open = false;
    }
  });
  if (!is_rank_op(c.op)) groups_[group_index(c)][op] = c.at;
  rank.last[op] = c.at;
  pseudos_[pseudo_index(c)].last[op] = c.at;
  if (c.op == Op::ref || c.op == Op::refb) {
    ++rank.refreshes;
    rank.last_refresh = c.at;
  }
  if (c.op == Op::pde) rank.down = true;
  if (c.op == Op::pdx) rank.down = false;
  if (c.op == Op::sre) rank.self_refresh = rank.slept = true;
  if (c.op == Op::srx) rank.self_refresh = false;
}

// Eight refreshes may be owed or done ahead (JESD79-4 4.26). A rank that was in self-refresh did its own.
void TimingChecker::finish(Cycles end, bool refreshes) {
  if (!refreshes) return;
  const bool all = count(Op::ref) != 0 || count(Op::refb) == 0;
  const unsigned steps = all                             ? 1
                         : parameters_.same_bank_refresh ? parameters_.banks_per_group
                                                         : parameters_.refresh_bank_steps;
  const Cycles interval = static_cast<Cycles>(p("nREFI")) / steps;
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    if (ranks_[rank].slept) continue;
    const auto wanted = static_cast<std::int64_t>(end / interval);
    const auto found = static_cast<std::int64_t>(ranks_[rank].refreshes);
    if (found < wanted - 8 * static_cast<std::int64_t>(steps) ||
        found > wanted + 8 * static_cast<std::int64_t>(steps)) {
      DramCommand at;
      at.at = end;
      at.op = Op::ref;
      report("refresh count", at,
             fmt::format("{} refreshes of rank {}, expected {} within 8", found, rank, wanted));
    }
  }
}

void TimingChecker::report(const std::string& rule, const DramCommand& c, std::string text) {
  ++violation_count_;
  if (violations_.size() < kept_violations) violations_.push_back({rule, c, std::move(text)});
}

}  // namespace mesim::dram_check
