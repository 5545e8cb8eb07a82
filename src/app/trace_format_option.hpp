// The option of a command that reads a trace for its format.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "app/command.hpp"
#include "traces/trace.hpp"

namespace mesim {

inline void trace_format_option(Arguments& arguments, std::string& format, std::string_view help) {
  std::vector<std::string> formats = trace_formats();
  formats.insert(formats.begin(), "auto");
  arguments.choice("--format", format, formats, help);
}

}  // namespace mesim
