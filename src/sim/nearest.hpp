// "Did you mean": the nearest of a list of names by edit distance, or by a common beginning.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mesim {

// The name nearest to `word` (restricted Damerau-Levenshtein, case ignored), if at most about a third of the
// word differs; ties go to the earlier name. Else the longest with which `word` begins, else the first that
// begins with `word`, of three letters at least.
std::optional<std::string> nearest_name(std::string_view word, const std::vector<std::string>& names);

// "; did you mean 'x'?" or an empty string: the end of an error message.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& names);

}  // namespace mesim
