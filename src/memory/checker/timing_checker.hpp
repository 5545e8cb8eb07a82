// An independent judge of DRAM command traces. It takes the named times of a standard, but holds its own list
// of rules, from the standards' text: JESD79-4 (DDR4), JESD79-5 (DDR5), JESD209-5 (LPDDR5), JESD250 (GDDR6),
// JESD235 and JESD238 (HBM). It knows nothing of the controller and of its constraint rows.
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "memory/checker/dram_command.hpp"

namespace mesim::dram_check {

struct Parameters {
  std::string family;                           // ddr4, ddr5, lpddr5, gddr6, hbm2, hbm3
  std::map<std::string, std::uint32_t> cycles;  // by name: nRCD ...; nBL among them
  unsigned channels = 1;
  unsigned pseudo_channels = 1;
  unsigned ranks = 1;
  unsigned groups = 4;
  unsigned banks_per_group = 4;
  unsigned activate_slots = 1;
  unsigned column_slots = 1;
  bool split_command_bus = false;
  // Banks of one REFB: banks that have the same number modulo this. 16 banks: 16 one bank, 8 a pair.
  unsigned refresh_bank_steps = 16;
  bool same_bank_refresh = false;  // one of each group instead
};

struct Violation {
  std::string rule;
  DramCommand command;
  std::string text;
};

class TimingChecker {
 public:
  explicit TimingChecker(const Parameters& parameters);

  // Commands of a channel in the order of time; channels may be mixed.
  void observe(const DramCommand& command);
  // After the last command: the number of refreshes, if any were expected until `end`.
  void finish(Cycles end, bool refreshes);

  std::uint64_t commands() const { return commands_; }
  std::uint64_t count(Op op) const { return counts_[static_cast<std::size_t>(op)]; }
  // All violations, and the first hundred of them in full.
  std::uint64_t violation_count() const { return violation_count_; }
  const std::vector<Violation>& violations() const { return violations_; }
  // Names of the rules that this family has.
  const std::vector<std::string>& rules() const { return rules_; }

 private:
  enum class Scope : std::uint8_t { bank, group, rank, pseudo, other_ranks };
  // A rule for one command before; it stands with the command after.
  struct Term {
    std::uint32_t rule;
    Op before;
    Scope scope;
    std::int64_t least;
  };
  static constexpr Cycles long_ago = ~Cycles{0};
  using Times = std::array<Cycles, op_count>;
  struct Bank {
    bool open = false;
    std::uint32_t row = 0;
    Times last{};
  };
  struct Rank {
    Times last{};
    std::array<Cycles, 4> activates{};
    std::uint64_t activated = 0;
    std::uint64_t refreshes = 0;
    Cycles last_refresh = 0;
    bool down = false;
    bool self_refresh = false;
    bool slept = false;
  };
  struct Pseudo {
    Times last{};
    Cycles data_end = 0;
  };

  void rule(std::string name, std::initializer_list<Op> before, std::initializer_list<Op> after, Scope scope,
            std::int64_t least);
  void make_rules();
  void make_refresh_rules(std::int64_t read_to_precharge, std::int64_t write_to_precharge);
  std::int64_t p(const char* name) const;
  bool has(const char* name) const { return parameters_.cycles.count(name) != 0; }

  void check_bus(const DramCommand& c);
  void check_state(const DramCommand& c);
  void check_rules(const DramCommand& c);
  void check_data(const DramCommand& c);
  void check_four_activates(const DramCommand& c);
  void remember(const DramCommand& c);
  void report(const std::string& rule, const DramCommand& c, std::string text);

  std::size_t pseudo_index(const DramCommand& c) const;
  std::size_t rank_index(const DramCommand& c) const;
  std::size_t group_index(const DramCommand& c) const;
  std::size_t bank_index(const DramCommand& c) const;
  // `use` is told the index of each bank that a command touches.
  template <class Use>
  void each_touched(const DramCommand& c, Use use) const;

  Parameters parameters_;
  std::vector<std::string> rules_;
  std::array<std::vector<Term>, op_count> terms_;  // by the command after
  Cycles read_latency_ = 0;
  Cycles write_latency_ = 0;
  Cycles burst_ = 0;
  Cycles four_activates_ = 0;
  std::vector<Bank> banks_;
  std::vector<Times> groups_;
  std::vector<Rank> ranks_;
  std::vector<Pseudo> pseudos_;
  std::vector<std::array<Cycles, 2>> bus_free_;  // by channel: row (or only) bus, column bus
  std::array<std::uint64_t, op_count> counts_{};
  std::uint64_t commands_ = 0;
  std::uint64_t violation_count_ = 0;
  std::vector<Violation> violations_;
};

}  // namespace mesim::dram_check
