// "Did you mean": the nearest of a list of names by edit distance.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mesim {

// The name nearest to `word` (restricted Damerau-Levenshtein, case ignored), if at most about a third of the
// word differs; ties go to the earlier name.
std::optional<std::string> nearest_name(std::string_view word, const std::vector<std::string>& names);

// "; did you mean 'x'?" or an empty string: the end of an error message.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& names);

}  // namespace mesim
