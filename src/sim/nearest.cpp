#include "sim/nearest.hpp"

#include <algorithm>
#include <cctype>

namespace mesim {
namespace {

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (same ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

bool begins_with(std::string_view word, std::string_view prefix) { return word.substr(0, prefix.size()) == prefix; }

// The longest name with which `word` begins ("accelerator" for "accel"), else the first that begins with `word`.
std::optional<std::string> by_prefix(std::string_view word, const std::vector<std::string>& names) {
  const std::size_t shortest = 3;  // fewer letters say too little
  std::optional<std::string> best;
  for (const auto& name : names)
    if (name.size() >= shortest && begins_with(word, name) && (!best || name.size() > best->size())) best = name;
  if (best || word.size() < shortest) return best;
  for (const auto& name : names)
    if (begins_with(name, word)) return name;
  return best;
}

}  // namespace

std::optional<std::string> nearest_name(std::string_view word, const std::vector<std::string>& names) {
  const std::size_t longest = 64;  // beyond this nobody mistyped a name
  if (word.size() > longest) return std::nullopt;
  std::optional<std::string> best;
  std::size_t best_distance = std::max<std::size_t>(1, (word.size() + 1) / 3) + 1;
  for (const auto& name : names) {
    const std::size_t difference =
        name.size() > word.size() ? name.size() - word.size() : word.size() - name.size();
    if (difference >= best_distance) continue;  // at least so many letters differ
    const std::size_t distance = edit_distance(word, name);
    if (distance < best_distance) {
      best = name;
      best_distance = distance;
    }
  }
  return best ? best : by_prefix(word, names);
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& names) {
  const auto name = nearest_name(word, names);
  return name ? "; did you mean '" + *name + "'?" : "";
}

}  // namespace mesim
