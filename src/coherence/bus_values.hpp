// What lines hold while caches on an atomic bus are used, to check the machine by: every word of every copy
// is the number of the store that wrote it. On an atomic bus the order in which accesses are performed is the
// order of memory, so a load must find the last store that was performed.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "coherence/functional_bus.hpp"
#include "coherence/line_moves.hpp"

namespace mesim {

class BusValues final : public LineMoves {
 public:
  // Of lines 0 to lines - 1; others are nobody's.
  BusValues(unsigned cores, std::uint64_t lines, std::uint32_t words_in_line);

  void moved(std::uint64_t line, unsigned from, unsigned to) override;
  void updated(std::uint64_t line, unsigned from, unsigned to) override;

  // What the machine has just performed; what is wrong with it.
  void stored(unsigned core, std::uint64_t line, std::uint32_t word);
  std::optional<std::string> loaded(unsigned core, std::uint64_t line, std::uint32_t word) const;
  // One writer or many readers, no copy with an old word, and memory's side has the last words of a line that
  // nobody has to write back.
  std::optional<std::string> fault_at_rest(const FunctionalBus& machine, std::uint64_t line) const;

 private:
  std::size_t place(unsigned at) const { return at >= dropped ? cores_ + (~0u - at) : at; }
  std::uint32_t* words(unsigned at, std::uint64_t line) {
    return &words_[(place(at) * lines_ + line) * words_in_line_];
  }
  const std::uint32_t* words(unsigned at, std::uint64_t line) const {
    return &words_[(place(at) * lines_ + line) * words_in_line_];
  }
  std::optional<std::string> old_word(unsigned at, std::uint64_t line) const;

  unsigned cores_;
  std::uint64_t lines_;
  std::uint32_t words_in_line_;
  std::vector<std::uint32_t> words_;  // by place, line and word
  std::vector<std::uint32_t> last_;   // by line and word: the last store
  std::vector<unsigned> updated_;     // by the store at hand
};

}  // namespace mesim
