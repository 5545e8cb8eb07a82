#include "coherence/bus_values.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace mesim {

BusValues::BusValues(unsigned cores, std::uint64_t lines, std::uint32_t words_in_line)
    : cores_(cores),
      lines_(lines),
      words_in_line_(words_in_line),
      words_((cores + std::size_t{4}) * lines * words_in_line),
      last_(lines * words_in_line) {}

void BusValues::moved(std::uint64_t line, unsigned from, unsigned to) {
  if (line >= lines_ || from == to) return;
  std::copy_n(words(from, line), words_in_line_, words(to, line));
}

void BusValues::updated(std::uint64_t line, unsigned, unsigned to) {
  if (line < lines_) updated_.push_back(to);
}

void BusValues::stored(unsigned core, std::uint64_t line, std::uint32_t word) {
  const std::uint32_t number = ++last_[line * words_in_line_ + word];
  words(core, line)[word] = number;
  for (const unsigned other : updated_) words(other, line)[word] = number;
  updated_.clear();
}

std::optional<std::string> BusValues::loaded(unsigned core, std::uint64_t line, std::uint32_t word) const {
  const std::uint32_t value = words(core, line)[word], last = last_[line * words_in_line_ + word];
  if (value == last) return std::nullopt;
  return fmt::format("core {} loads store {} of word {} of line {}, the last was {}", core, value, word, line,
                     last);
}

std::optional<std::string> BusValues::old_word(unsigned at, std::uint64_t line) const {
  for (std::uint32_t word = 0; word < words_in_line_; ++word) {
    if (words(at, line)[word] == last_[line * words_in_line_ + word]) continue;
    const std::string who = at == memory       ? "memory"
                            : at == last_level ? "the last level"
                                               : fmt::format("cache {}", at);
    return fmt::format("{} has an old word {} of line {}", who, word, line);
  }
  return std::nullopt;
}

std::optional<std::string> BusValues::fault_at_rest(const FunctionalBus& machine, std::uint64_t line) const {
  const std::uint64_t address = line * machine.line_bytes();
  unsigned copies = 0, exclusive = 0, dirty = 0;
  for (unsigned core = 0; core < cores_; ++core) {
    const BusState state = machine.state(core, address);
    if (state == BusState::I) continue;
    ++copies;
    exclusive += is_exclusive(state);
    dirty += is_dirty(state);
    if (auto fault = old_word(core, line)) return fault;
  }
  if ((exclusive != 0 && copies != 1) || dirty > 1)
    return fmt::format("line {} has {} copies, of which {} are exclusive and {} dirty", line, copies,
                       exclusive, dirty);
  if (dirty != 0) return std::nullopt;
  if (machine.in_last_level(address)) return old_word(last_level, line);
  return machine.owes(address) ? std::nullopt : old_word(memory, line);
}

}  // namespace mesim
