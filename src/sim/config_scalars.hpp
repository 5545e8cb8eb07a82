// One JSON value -> one C++ value, or an Error that shows what was found and what was expected.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "sim/fields.hpp"
#include "sim/json_document.hpp"

namespace mesim {

std::uint64_t to_integer(const JsonValue& value, const std::string& pointer, const IntegerRule& rule);
double to_number(const JsonValue& value, const std::string& pointer, const NumberRule& rule);
bool to_flag(const JsonValue& value, const std::string& pointer);
std::string to_text(const JsonValue& value, const std::string& pointer);
std::string to_choice(const JsonValue& value, const std::string& pointer,
                      const std::vector<std::string>& names);

// "an integer of bytes from 64 to 1073741824, a power of two"
std::string expected_integer(const IntegerRule& rule);
std::string expected_number(const NumberRule& rule);

}  // namespace mesim
