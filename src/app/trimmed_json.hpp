// A JSON text without what is too long to be shown: results may hold matrices of hundreds of megabytes.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace mesim {

// The same text, whose arrays have at most `most` elements: those behind are left out. For texts of any
// length, at about a nanosecond a byte; what is no JSON stays none.
std::string trimmed_json(std::string_view text, std::size_t most);

}  // namespace mesim
