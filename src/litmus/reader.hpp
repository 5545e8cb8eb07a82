// Reads litmus tests: x86 (Intel order), x86_64 (AT&T order), RISC-V and a generic assembly.
#pragma once
#include <string>
#include <string_view>

#include "litmus/test.hpp"

namespace mesim::litmus {

// Errors: Exit::bad_input at file:line:column, with the token found and the forms accepted there.
Test read_test(const std::string& file, std::string_view text);

}  // namespace mesim::litmus
