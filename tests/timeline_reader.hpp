// Reads a Perfetto trace with `protoc --decode` and our copy of the format (perfetto.proto), so that what is
// checked is what others would read.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace mesim::test {

struct TimelineSlice {
  std::string group, unit, name;
  std::uint64_t begin = 0, end = 0;
  std::size_t depth = 0;
  std::string flow;     // empty: none
  std::string address;  // empty: none
};

struct ReadTimeline {
  std::vector<TimelineSlice> slices;                                          // by their ends in the file
  std::map<std::string, std::vector<std::pair<std::uint64_t, long>>> counts;  // by "group/quantity"
  std::vector<std::string>
      faults;  // unknown fields, names or tracks, ends without begin, times that run back
};

// Whether protoc is there.
bool can_read_timelines();
ReadTimeline read_timeline(const std::string& path);

}  // namespace mesim::test
