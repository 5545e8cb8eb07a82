#include "litmus/generator/cycle.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "sim/error.hpp"
#include "sim/nearest.hpp"

namespace mesim::litmus {
namespace {

Error wrong(const std::string& message) { return bad_input({}, message); }

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0;;) {
    const auto end = text.find(separator, begin);
    parts.emplace_back(text.substr(begin, end - begin));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

// Edges through memory, and exchanges: what they join is part of their name.
std::optional<CycleEdge> fixed_edge(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  if (name == "rmw") return CycleEdge{Relation::rmw, false, true, Access::load, Access::store, ""};
  if (name.size() != 3 || (name[2] != 'e' && name[2] != 'i')) return std::nullopt;
  const bool external = name[2] == 'e';
  const auto kind = name.substr(0, 2);
  if (kind == "rf") return CycleEdge{Relation::reads, external, true, Access::store, Access::load, ""};
  if (kind == "fr") return CycleEdge{Relation::before, external, true, Access::load, Access::store, ""};
  if (kind == "co" || kind == "ws")
    return CycleEdge{Relation::coherence, external, true, Access::store, Access::store, ""};
  return std::nullopt;
}

// `mfence`, `fence.rw.rw`, `fence.tso`: the mnemonic, or nothing.
std::optional<std::string> fence_mnemonic(const std::string& word) {
  if (word == "mfence" || word == "sfence" || word == "lfence" || word == "fence.tso") return word;
  constexpr std::array<std::string_view, 3> sets{"r", "w", "rw"};
  for (const auto before : sets)
    for (const auto after : sets)
      if (word == fmt::format("fence.{}.{}", before, after)) return fmt::format("fence {},{}", before, after);
  return std::nullopt;
}

// For "did you mean".
std::vector<std::string> short_words() {
  return {"po",        "pos",       "mfence",     "sfence",     "lfence",    "fence.rw.rw",
          "fence.w.w", "fence.r.r", "fence.r.rw", "fence.rw.w", "fence.tso", "addr",
          "data",      "ctrl",      "rmw",        "rfi",        "fri",       "coi"};
}
std::vector<std::string> long_names() {
  std::vector<std::string> names = {"Rfe", "Rfi", "Fre", "Fri", "Coe", "Coi", "Wse", "Rmw"};
  for (const char* word : {"Po", "MFence", "SFence", "LFence", "Fence.rw.rw"})
    for (const char same : {'s', 'd'})
      for (const char* ends : {"RR", "RW", "WR", "WW"})
        names.push_back(fmt::format("{}{}{}", word, same, ends));
  for (const char* end : {"DpAddrdR", "DpAddrdW", "DpDatadW", "DpCtrldR", "DpCtrldW"})
    names.emplace_back(end);
  return names;
}

// The short word of a program-order place: `po`, `pos`, `addr`, a fence.
std::optional<CycleEdge> short_edge(const std::string& word) {
  if (const auto edge = fixed_edge(word); edge && (!edge->external || edge->relation == Relation::rmw))
    return edge;
  if (word == "po") return CycleEdge{Relation::program_order, false, false, {}, {}, ""};
  if (word == "pos") return CycleEdge{Relation::program_order, false, true, {}, {}, ""};
  if (word == "addr") return CycleEdge{Relation::address, false, false, Access::load, {}, ""};
  if (word == "data") return CycleEdge{Relation::data, false, false, Access::load, Access::store, ""};
  if (word == "ctrl") return CycleEdge{Relation::control, false, false, Access::load, {}, ""};
  if (const auto fence = fence_mnemonic(word))
    return CycleEdge{Relation::fence, false, false, {}, {}, *fence};
  return std::nullopt;
}

Access access_of(char letter) {
  return letter == 'R' ? Access::load : letter == 'W' ? Access::store : Access::unknown;
}

// `PodWR`, `PosRR`, `MFencedWR`, `Fence.rw.rwsWW`, `DpAddrdR`, `DpDatadW`, `DpCtrldW`, `Rfe` ...
std::optional<CycleEdge> long_edge(const std::string& name) {
  if (const auto edge = fixed_edge(name)) return edge;
  const bool dependency = name.starts_with("Dp");
  const std::size_t letters = dependency ? 1 : 2;
  if (name.size() < letters + 3) return std::nullopt;
  const auto to = access_of(name.back());
  const auto from = dependency ? Access::load : access_of(name[name.size() - 2]);
  const char same = name[name.size() - letters - 1];
  if (to == Access::unknown || from == Access::unknown || (same != 's' && same != 'd')) return std::nullopt;
  std::string word = name.substr(0, name.size() - letters - 1);
  if (dependency) word = word.substr(2);
  std::transform(word.begin(), word.end(), word.begin(), [](unsigned char c) { return std::tolower(c); });
  auto edge = short_edge(word);
  if (!edge || edge->relation == Relation::rmw) return std::nullopt;
  if (edge->relation == Relation::data && to != Access::store) return std::nullopt;
  edge->same_word = same == 's';
  edge->from = from;
  edge->to = to;
  return edge;
}

// Fills in the unknown ends from the neighbours; a free end between two program-order edges is a load.
void settle_accesses(std::vector<CycleEdge>& cycle) {
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    auto& edge = cycle[i];
    auto& next = cycle[(i + 1) % cycle.size()];
    if (edge.to == Access::unknown && next.from == Access::unknown) edge.to = Access::load;
    if (edge.to == Access::unknown) edge.to = next.from;
    if (next.from == Access::unknown) next.from = edge.to;
  }
}

void check_cycle(const std::vector<CycleEdge>& cycle, const std::vector<std::string>& names) {
  std::size_t external = 0, changes_of_word = 0;
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    const auto next = (i + 1) % cycle.size();
    external += cycle[i].external;
    changes_of_word += !cycle[i].same_word;
    if (cycle[i].to != cycle[next].from)
      throw wrong(fmt::format("edge `{}` ends in a {}, but the next edge `{}` begins with a {}", names[i],
                              cycle[i].to == Access::load ? "load" : "store", names[next],
                              cycle[next].from == Access::load ? "load" : "store"));
  }
  if (external < 2) throw wrong("a cycle needs at least two edges between threads, such as Rfe, Fre or Coe");
  if (changes_of_word == 1) throw wrong("a cycle changes the word in no edge or in at least two");
}

struct Family {
  std::string_view name;
  std::string_view edges;  // `po`: a place; the others are edges through memory
};

// The classical shapes. A place is written with its two accesses.
constexpr std::array<Family, 25> families{{
    {"SB", "WR Fre WR Fre"},
    {"MP", "WW Rfe RR Fre"},
    {"LB", "RW Rfe RW Rfe"},
    {"S", "WW Rfe RW Coe"},
    {"R", "WW Coe WR Fre"},
    {"2+2W", "WW Coe WW Coe"},
    {"WRC", "Rfe RW Rfe RR Fre"},
    {"RWC", "Rfe RR Fre WR Fre"},
    {"WWC", "Rfe RW Rfe RW Coe"},
    {"IRIW", "Rfe RR Fre Rfe RR Fre"},
    {"IRRWIW", "Rfe RR Fre Rfe RW Coe"},
    {"IRWIW", "Rfe RW Coe Rfe RW Coe"},
    {"WRR+2W", "Rfe RR Fre WW Coe"},
    {"WRW+2W", "Rfe RW Coe WW Coe"},
    {"WRW+WR", "Rfe RW Coe WR Fre"},
    {"W+RWC", "WW Rfe RR Fre WR Fre"},
    {"W+RW+2W", "WW Rfe RW Coe WW Coe"},
    {"ISA2", "WW Rfe RW Rfe RR Fre"},
    {"Z6.0", "WW Rfe RW Coe WR Fre"},
    {"Z6.1", "WW Coe WW Rfe RW Coe"},
    {"Z6.2", "WW Rfe RW Rfe RW Coe"},
    {"Z6.3", "WW Coe WW Rfe RR Fre"},
    {"Z6.4", "WW Coe WR Fre WR Fre"},
    {"Z6.5", "WW Coe WW Coe WR Fre"},
    {"CoRR", "Rfe RR Fre"},
}};

// A ring of n threads with the same place each: `10.SB`, `3.LB`, `4.2W`.
std::optional<std::vector<std::string>> ring(std::string_view name) {
  std::size_t threads = 0;
  const auto [end, status] = std::from_chars(name.data(), name.data() + name.size(), threads);
  if (status != std::errc{} || threads < 2 || threads > 64) return std::nullopt;
  const std::string_view kind(end, name.data() + name.size() - end);
  std::array<std::string, 2> step;
  if (kind == ".SB")
    step = {"WR", "Fre"};
  else if (kind == ".LB")
    step = {"RW", "Rfe"};
  else if (kind == ".2W")
    step = {"WW", "Coe"};
  else
    return std::nullopt;
  std::vector<std::string> edges;
  for (std::size_t i = 0; i < threads; ++i) edges.insert(edges.end(), step.begin(), step.end());
  return edges;
}

std::vector<std::string> family_edges(std::string_view name) {
  if (auto edges = ring(name)) return *edges;
  for (const auto& family : families)
    if (family.name == name) return split(family.edges, ' ');
  throw wrong(
      fmt::format("unknown shape of a litmus test `{}`, expected one of {}, or a ring such as 10.SB{}", name,
                  fmt::join(cycle_families(), ", "), did_you_mean(name, cycle_families())));
}

// Family names themselves contain `+`: the longest that fits wins.
std::string_view family_part(std::string_view name) {
  std::string_view best = name.substr(0, name.find('+'));
  for (const auto& family : families)
    if (family.name.size() > best.size() && name.starts_with(family.name) &&
        (name.size() == family.name.size() || name[family.name.size()] == '+'))
      best = family.name;
  return best;
}

// One place of the family: the edges that `word` puts between an access `from` and an access `to`.
std::vector<CycleEdge> place_edges(const std::string& word, Access from, Access to, bool same_word) {
  std::vector<CycleEdge> edges;
  for (const auto& part : split(word, '-')) {
    const auto edge = short_edge(part);
    if (!edge)
      throw wrong(
          fmt::format("unknown word `{}` in a litmus test's name, expected po, pos, mfence, sfence, "
                      "lfence, fence.rw.rw (r, w or rw each), fence.tso, addr, data, ctrl, rmw, rfi, "
                      "fri, coi, or several joined by `-`{}",
                      part, did_you_mean(part, short_words())));
    edges.push_back(*edge);
  }
  if (edges.front().from == Access::unknown) edges.front().from = from;
  if (edges.back().to == Access::unknown) edges.back().to = to;
  if (same_word)
    for (auto& edge : edges) edge.same_word = true;
  return edges;
}

std::vector<std::string> place_words(std::string_view rest, std::size_t places, std::string_view name) {
  if (rest.empty()) return std::vector<std::string>(places, "po");
  auto words = split(rest.substr(1), '+');
  if (words.size() == 1) {
    if (words[0].ends_with('s') && (places > 1 || words[0] != "pos")) words[0].pop_back();
    words.resize(places, words[0]);
  }
  if (words.size() != places)
    throw wrong(
        fmt::format("`{}` fills {} program-order places, but its shape has {}", name, words.size(), places));
  return words;
}

}  // namespace

std::string_view family_cycle(std::string_view name) {
  for (const auto& family : families)
    if (family.name == name) return family.edges;
  return {};
}

std::vector<std::string> cycle_families() {
  std::vector<std::string> names;
  for (const auto& family : families) names.emplace_back(family.name);
  return names;
}

std::vector<CycleEdge> cycle_from_edges(std::string_view text) {
  std::vector<CycleEdge> cycle;
  std::vector<std::string> names;
  for (const auto& name : split(text, ' ')) {
    if (name.empty()) continue;
    const auto edge = long_edge(name);
    if (!edge)
      throw wrong(
          fmt::format("unknown edge `{}`, expected Rfe, Rfi, Fre, Fri, Coe, Coi, Rmw, or Po, MFence, "
                      "SFence, LFence, Fence.rw.rw followed by s or d (same or different word) and two "
                      "of R and W, or DpAddr, DpData, DpCtrl followed by s or d and R or W{}",
                      name, did_you_mean(name, long_names())));
    cycle.push_back(*edge);
    names.push_back(name);
  }
  if (cycle.empty()) throw wrong("a cycle without edges");
  check_cycle(cycle, names);
  return cycle;
}

std::vector<CycleEdge> cycle_from_name(std::string_view name) {
  const auto family = family_part(name);
  const auto edges = family_edges(family);
  const auto is_place = [](const std::string& edge) { return edge.size() == 2; };
  const auto places = static_cast<std::size_t>(std::count_if(edges.begin(), edges.end(), is_place));
  const auto words = place_words(name.substr(family.size()), places, name);
  const bool one_word = family.starts_with("Co");
  std::vector<CycleEdge> cycle;
  std::vector<std::string> names;
  std::size_t place = 0;
  for (const auto& edge : edges) {
    auto parts = is_place(edge)
                     ? place_edges(words[place++], access_of(edge[0]), access_of(edge[1]), one_word)
                     : std::vector<CycleEdge>{*fixed_edge(edge)};
    names.insert(names.end(), parts.size(), is_place(edge) ? words[place - 1] : edge);
    cycle.insert(cycle.end(), parts.begin(), parts.end());
  }
  settle_accesses(cycle);
  check_cycle(cycle, names);
  return cycle;
}

}  // namespace mesim::litmus
