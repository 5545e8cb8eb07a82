// Opens a trace in mesim's own format (mtr_format.hpp).
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "traces/trace.hpp"

namespace mesim {

bool is_mtr(std::string_view head);
// Errors: Exit::bad_input with the byte offset, for a file that was not closed, is cut short or altered.
std::unique_ptr<Trace> open_mtr(const std::string& path);

}  // namespace mesim
