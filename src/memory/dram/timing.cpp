#include "memory/dram/timing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <stdexcept>

#include "sim/error.hpp"
#include "sim/nearest.hpp"

namespace mesim::dram {
namespace {

// A time in clocks. JESD79-4 section 13.5 rounds up after taking off 2.6 % of a clock, so that a time
// published as a rounded number of nanoseconds does not cost a clock.
std::uint32_t clocks_of(double ns, double clock_ns) {
  return static_cast<std::uint32_t>(std::ceil(ns / clock_ns - 0.026));
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

bool to_number(std::string_view text, std::uint32_t& value) {
  const auto end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc{} && stop == end;
}

constexpr std::array<std::string_view, 5> level_names = {"bank", "bank_group", "rank", "channel",
                                                         "other_ranks"};

template <class Names>
std::size_t index_of(const Names& names, std::string_view name, std::size_t end) {
  return static_cast<std::size_t>(std::find(names.begin(), names.begin() + end, name) - names.begin());
}

// A rule's `after` names the kind by its first command.
constexpr std::array<std::string_view, kind_count> kind_names = {"ACT", "RD",   "WR", "PRE",
                                                                 "REF", "REFB", "PDE"};

Error unknown_command(const std::string& source, const std::string& pointer, const std::string& found,
                      const std::vector<std::string>& names) {
  return bad_input({source}, pointer,
                   fmt::format("found '{}', expected one of {}{}", found, fmt::join(names, ", "),
                               did_you_mean(found, names)));
}

}  // namespace

Timings::Timings(const DramStandard& standard, const std::string& source)
    : source_(source),
      clock_(ClockPeriod::megahertz(standard.organisation.data_rate_mts,
                                    standard.organisation.transfers_per_clock)) {
  const DramOrganisation& o = standard.organisation;
  values_.push_back({"nBL", o.burst_length / o.transfers_per_clock});
  for (const DramTimingValue& t : standard.timings) {
    values_.push_back({t.name, std::max(t.cycles, t.ns > 0 ? clocks_of(t.ns, clock_ns()) : 0)});
  }
  for (const std::string& text : standard.replaced_timings) {
    const auto equals = text.find('=');
    const std::string name(trimmed(std::string_view(text).substr(0, equals)));
    std::uint32_t cycles = 0;
    if (equals == std::string::npos ||
        !to_number(trimmed(std::string_view(text).substr(equals + 1)), cycles)) {
      throw bad_input({source}, "/memory/replaced_timings",
                      fmt::format("found '{}', expected NAME=CLOCKS", text));
    }
    evaluate(name);  // is it one?
    for (Named& value : values_) {
      if (value.name == name) value.cycles = cycles;
    }
  }
}

const std::uint32_t* Timings::find(std::string_view name) const {
  for (const Named& value : values_) {
    if (value.name == name) return &value.cycles;
  }
  return nullptr;
}

std::uint32_t Timings::at(std::string_view name) const {
  const auto* found = find(name);
  if (found == nullptr) throw std::out_of_range("no timing '" + std::string(name) + "'");
  return *found;
}

std::uint32_t Timings::get(std::string_view name, std::uint32_t otherwise) const {
  const auto* found = find(name);
  return found == nullptr ? otherwise : *found;
}

std::vector<std::string> Timings::names() const {
  std::vector<std::string> out;
  for (const Named& value : values_) out.push_back(value.name);
  return out;
}

std::uint32_t Timings::term(std::string_view text) const {
  std::uint32_t value = 0;
  if (to_number(text, value)) return value;
  if (const auto* found = find(text)) return *found;
  throw bad_input({source_}, "/memory/timings",
                  fmt::format("no time is named '{}'{}", text, did_you_mean(std::string(text), names())));
}

std::uint32_t Timings::evaluate(std::string_view expression) const {
  std::int64_t sum = 0;
  std::int64_t sign = 1;
  std::string_view rest = expression;
  while (true) {
    const auto end = rest.find_first_of("+-");
    sum += sign * term(trimmed(rest.substr(0, end)));
    if (end == std::string_view::npos) break;
    sign = rest[end] == '+' ? 1 : -1;
    rest.remove_prefix(end + 1);
  }
  return static_cast<std::uint32_t>(std::max<std::int64_t>(sum, 0));
}

TimingTable::TimingTable(const DramStandard& standard, const Timings& timings, const Unused& unused,
                         const std::string& source)
    : read_latency(timings.evaluate("nCL")),
      write_latency(timings.evaluate("nCWL")),
      burst(timings.at("nBL")),
      split_command_bus(standard.organisation.split_command_bus) {
  const std::vector<std::string> commands(command_names.begin(), command_names.end());
  const std::vector<std::string> kinds(kind_names.begin(), kind_names.end());
  for (std::size_t i = 0; i < standard.constraints.size(); ++i) {
    const DramConstraint& c = standard.constraints[i];
    const std::string at = fmt::format("/memory/constraints/{}", i);
    Row row{};
    row.level = static_cast<Level>(index_of(level_names, c.level, level_names.size()));
    row.delay = timings.evaluate(c.delay);
    row.window = static_cast<std::uint8_t>(c.window);
    if (row.window > 1 && row.level > Level::rank) {
      throw bad_input({source}, at + "/window",
                      fmt::format("found {} at level {}, expected a window at bank, bank_group or rank",
                                  c.window, c.level));
    }
    for (const std::string& before : c.before) {
      const std::size_t command = index_of(command_names, before, command_count);
      if (command == command_count) throw unknown_command(source, at + "/before", before, commands);
      for (const std::string& after : c.after) {
        const std::size_t kind = index_of(kind_names, after, kind_count);
        if (kind == kind_count) throw unknown_command(source, at + "/after", after, kinds);
        row.after = static_cast<Kind>(kind);
        if ((unused.power && row.after == Kind::power) || (unused.refresh && row.after == Kind::refresh) ||
            (unused.refresh_bank && row.after == Kind::refresh_bank) ||
            (row.level == Level::other_ranks && standard.organisation.ranks == 1)) {
          continue;
        }
        if (c.window > 1) row.history = static_cast<std::uint8_t>(histories++);
        rows[command].push_back(row);
      }
    }
  }
  slots.fill(1);
  slots[static_cast<std::size_t>(Command::activate)] = standard.organisation.activate_slots;
  for (const Command c : {Command::read, Command::read_ap, Command::write, Command::write_ap}) {
    slots[static_cast<std::size_t>(c)] = standard.organisation.column_slots;
  }
  find_gaps();
}

std::uint32_t TimingTable::delay(Command before, Kind after, Level level) const {
  std::uint32_t most = 0;
  for (const Row& row : rows[static_cast<std::size_t>(before)]) {
    if (row.after == after && row.level == level && row.window == 1) most = std::max(most, row.delay);
  }
  return most;
}

void TimingTable::find_gaps() {
  for (const bool write : {false, true}) {
    const Command before = write ? Command::write : Command::read;
    for (const bool next_write : {false, true}) {
      const Kind after = next_write ? Kind::write : Kind::read;
      const std::uint32_t from = (write ? write_latency : read_latency) + burst;
      const std::uint32_t to = next_write ? write_latency : read_latency;
      const auto gap = [&](std::uint32_t wait) { return wait + to > from ? wait + to - from : 0; };
      const std::uint32_t channel = delay(before, after, Level::channel);
      turn_gap[write][next_write] = gap(std::max(channel, delay(before, after, Level::rank)));
      rank_gap[write][next_write] = gap(std::max(channel, delay(before, after, Level::other_ranks)));
    }
    const Kind same = write ? Kind::write : Kind::read;
    const std::uint32_t spacing = delay(before, same, Level::bank_group);
    group_gap[write] = spacing > burst ? spacing - burst : 0;
  }
  refresh_cycles = delay(Command::refresh, Kind::activate, Level::rank);
}

}  // namespace mesim::dram
