#include "litmus/generator/cycle_program.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace mesim::litmus {
namespace {

// The word of each access: it changes along every edge that changes the word, and returns to the first.
std::vector<unsigned> words_along(const std::vector<CycleEdge>& cycle, unsigned words) {
  std::vector<unsigned> word(cycle.size(), 0);
  for (std::size_t i = 1; i < cycle.size(); ++i) word[i] = (word[i - 1] + !cycle[i - 1].same_word) % words;
  return word;
}

// An access to start counting a word's values from: the first after a change of word.
std::size_t first_after_change(const std::vector<CycleEdge>& cycle) {
  for (std::size_t i = 0; i < cycle.size(); ++i)
    if (!cycle[(i + cycle.size() - 1) % cycle.size()].same_word) return i;
  return 0;
}

// Values in coherence order: each store one more than the store before it, each load what was stored last.
// The edge fr leads from a load to the next store, so that the load has the value before it.
std::vector<unsigned> values_along(const std::vector<CycleEdge>& cycle, const std::vector<unsigned>& word,
                                   std::vector<unsigned>& last) {
  std::vector<unsigned> value(cycle.size(), 0);
  const auto start = first_after_change(cycle);
  const bool one_word = last.size() == 1;
  for (std::size_t n = 0; n < cycle.size(); ++n) {
    const auto i = (start + n) % cycle.size();
    unsigned& current = last[word[i]];
    if (cycle[i].from == Access::store) ++current;
    value[i] = current;
    // Around a single word the cycle closes: a load that precedes the first store reads the initial value.
    if (one_word && cycle[i].from == Access::load && cycle[i].relation == Relation::before &&
        n + 1 == cycle.size())
      value[i] = 0;
  }
  return value;
}

}  // namespace

std::string word_name(unsigned word) {
  constexpr std::string_view letters = "xyzabcdefghijklmnopqrstuvw";
  if (word < letters.size()) return std::string(1, letters[word]);
  return fmt::format("v{}", word);
}

CycleProgram lay_out(const std::vector<CycleEdge>& given) {
  CycleProgram program;
  program.cycle = given;
  // Turned so that the first access begins a thread.
  auto& cycle = program.cycle;
  for (std::size_t turns = 0; turns < cycle.size() && !cycle.back().external; ++turns)
    std::rotate(cycle.begin(), cycle.begin() + 1, cycle.end());
  const auto changes =
      std::count_if(cycle.begin(), cycle.end(), [](const CycleEdge& e) { return !e.same_word; });
  const auto words = static_cast<unsigned>(std::max<std::ptrdiff_t>(changes, 1));
  const auto word = words_along(cycle, words);
  program.last_value.assign(words, 0);
  program.stores.assign(words, 0);
  const auto value = values_along(cycle, word, program.last_value);
  program.threads.emplace_back();
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    const bool begins = i == 0 || cycle[i - 1].external;
    if (begins && i != 0) program.threads.emplace_back();
    CycleAccess access;
    access.load = cycle[i].from == Access::load;
    access.exchange_with_next = cycle[i].relation == Relation::rmw;
    access.word = word[i];
    access.value = value[i];
    access.from_before = begins ? nullptr : &cycle[i - 1];
    program.stores[word[i]] += !access.load;
    program.threads.back().push_back(access);
  }
  return program;
}

}  // namespace mesim::litmus
