// Collects the parts of a litmus test and prints them in the columns of the format.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace mesim::litmus {

struct Listing {
  std::string arch;
  std::string name;
  std::vector<std::string> initial;               // "0:x5=x"
  std::vector<std::vector<std::string>> threads;  // lines of code
  std::vector<std::string> words;                 // observed
  std::vector<std::string> condition;             // joined by "and"; may be empty

  std::string text() const;
};

}  // namespace mesim::litmus
