// Standard output for results, buffered, with every failure noticed: a closed pipe or a full disk is a
// file_error, never a result that is silently cut short.
#pragma once
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

namespace mesim {

class Output {
 public:
  explicit Output(int descriptor) : descriptor_(descriptor) {}
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  void write(std::string_view text);
  template <class... Values>
  void print(fmt::format_string<Values...> format, Values&&... values) {
    write(fmt::format(format, std::forward<Values>(values)...));
  }
  // What was written stands in the file or pipe after this. Throws file_error if it cannot.
  void flush();

 private:
  int descriptor_;
  std::string buffer_;
};

}  // namespace mesim
