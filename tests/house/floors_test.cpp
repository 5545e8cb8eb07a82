// The floor rule of docs/architecture.md, checked from the includes: a room uses the rooms listed for it and
// itself, nothing else, so dependencies point down and never round.
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "tests/house/source_tree.hpp"

using mesim::test::files_below;
using mesim::test::lines_of;

namespace {

const std::map<std::string, std::set<std::string>> rooms = {
    {"sim", {}},
    {"memory", {"sim"}},
    {"network", {"sim"}},
    {"cache", {"sim"}},
    {"traces", {"sim"}},
    {"coherence", {"sim", "cache", "network"}},
    {"cores", {"sim", "cache", "coherence", "traces"}},
    {"accel", {"sim", "memory", "network", "cache", "traces"}},
    {"cluster", {"sim", "network", "traces", "accel"}},
    {"system", {"sim", "memory", "network", "cache", "traces", "coherence", "cores", "accel", "cluster"}},
    {"litmus",
     {"sim", "memory", "network", "cache", "traces", "coherence", "cores", "accel", "cluster", "system"}},
    {"app",
     {"sim", "memory", "network", "cache", "traces", "coherence", "cores", "accel", "cluster", "system",
      "litmus"}},
};

// "sim" of `#include "sim/error.hpp"`; empty for other lines.
std::string included_room(const std::string& line) {
  const std::string start = "#include \"";
  if (line.compare(0, start.size(), start) != 0) return "";
  const auto slash = line.find('/', start.size());
  return slash == std::string::npos ? "" : line.substr(start.size(), slash - start.size());
}

}  // namespace

TEST_CASE("every room includes only rooms of lower floors and those the table allows") {
  std::string offences;
  for (const auto& file : files_below("src", {".hpp", ".cpp", ".h"})) {
    const std::string room = file.substr(4, file.find('/', 4) - 4);
    const auto allowed = rooms.find(room);
    if (allowed == rooms.end()) {
      offences += file + ": '" + room + "' is no room\n";
      continue;
    }
    for (const auto& line : lines_of(file)) {
      const std::string other = included_room(line);
      if (other.empty() || other == room || allowed->second.count(other) != 0) continue;
      offences += file + " includes " + other + "/\n";
    }
  }
  INFO(offences);
  CHECK(offences.empty());
}

TEST_CASE("the floors themselves have no cycle") {
  for (const auto& [room, uses] : rooms) {
    for (const auto& other : uses) CHECK(rooms.at(other).count(room) == 0);
  }
}
