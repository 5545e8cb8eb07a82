#include "coherence/sharer_set.hpp"

#include <string>
#include <vector>

#include "sim/error.hpp"
#include "sim/nearest.hpp"

namespace mesim {
namespace {
constexpr std::string_view names[] = {"full", "limited-broadcast", "limited-no-broadcast", "coarse",
                                      "sparse"};
}

std::string_view directory_kind_name(DirectoryKind kind) { return names[static_cast<std::size_t>(kind)]; }

DirectoryKind directory_kind_from(std::string_view name) {
  const std::vector<std::string> known(std::begin(names), std::end(names));
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (known[i] == name) return static_cast<DirectoryKind>(i);
  }
  throw bad_input({}, fmt::format("unknown directory format \"{}\"; known: {}{}", name,
                                  fmt::join(known, ", "), did_you_mean(name, known)));
}

}  // namespace mesim
