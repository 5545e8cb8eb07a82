// How mesim fails: one exception type that carries the exit status and a message of one line,
// `FILE:LINE:COL: /json/pointer: what is wrong, what was found, what was expected; did you mean X?`.
#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>

namespace mesim {

// The exit statuses that a script may rely on.
enum class Exit : int {
  ok = 0,
  failed = 1,        // done, but an expectation, verification or comparison failed
  bad_input = 2,     // usage, or a file that opens but is wrong
  limit = 3,         // a limit or deadlock
  io = 5,            // a file or folder that cannot be found, opened, read or written
  internal = 70,     // a fault of mesim itself
  interrupted = 130,
  terminated = 143,
};

// A place in an input. Lines and columns count from 1; 0 means unknown and is not printed.
struct Position {
  std::string file;
  std::uint64_t line = 0;
  std::uint64_t column = 0;
};

class Error : public std::runtime_error {
 public:
  Error(Exit status, const std::string& message) : std::runtime_error(message), status_(status) {}
  Exit status() const { return status_; }

 private:
  Exit status_;
};

// An input that opens but is wrong (exit status 2). `pointer` is a JSON pointer, or empty.
Error bad_input(const Position& at, const std::string& pointer, const std::string& message);
Error bad_input(const Position& at, const std::string& message);

// A file that cannot be found, opened, read or written (exit status 5); `errno_value` 0 leaves its text out.
Error file_error(const std::string& path, const std::string& message, int errno_value = 0);

}  // namespace mesim
