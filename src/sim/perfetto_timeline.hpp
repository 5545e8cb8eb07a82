// A timeline as a Perfetto trace, for ui.perfetto.dev and trace_processor: a process for each group of units,
// a thread for each unit, names once and by number from then on. Perfetto's times are nanoseconds and a cycle
// is often less, so its times are picoseconds here: what the viewer calls a microsecond is a nanosecond.
//
// Format: protos/perfetto/trace/*.proto of github.com/google/perfetto; the fields used here stand in
// tests/perfetto.proto.
#pragma once
#include <array>
#include <map>
#include <utility>

#include "sim/output_file.hpp"
#include "sim/timeline.hpp"

namespace mesim {

class PerfettoTimeline final : public Timeline {
 public:
  PerfettoTimeline(const std::string& path, const TimelineOptions& options);

  Track track(const std::string& group, const std::string& unit) override;
  Track counter(const std::string& group, const std::string& quantity) override;
  Name name(const std::string& text) override;
  void begin(Track track, Tick at, Name name, Detail detail) override;
  void end(Track track, Tick at) override;
  void count(Track counter, Tick at, std::int64_t value) override;
  void close() override;

 private:
  static constexpr std::size_t buffer_bytes = 1 << 18;
  static constexpr std::size_t longest_packet = 127;  // so that lengths are one byte

  struct Unit {
    std::uint64_t uuid;
    std::uint32_t left_out = 0;  // slices that began beyond the limit and have not ended
  };

  std::uint64_t group_uuid(const std::string& group);
  Track add(const std::string& group, const std::string& unit, bool counts);
  void packet(const std::string& bytes);
  std::uint8_t* room();
  void flush();

  OutputFile file_;
  std::array<std::uint8_t, buffer_bytes> buffer_;
  std::size_t used_ = 0;
  std::uint64_t written_bytes_ = 0;
  std::uint64_t next_uuid_ = 1;
  std::map<std::string, std::uint64_t> groups_;
  std::map<std::pair<std::uint64_t, std::string>, Track> tracks_;  // by group
  std::map<std::string, Name> names_;
  std::vector<Unit> units_;
};

}  // namespace mesim
