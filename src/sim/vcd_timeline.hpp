// A timeline as a value change dump (IEEE 1364-2005, clause 18), for GTKWave and its like: a variable for
// each track with the name of its innermost slice, and one for each counter. Names are string variables, an
// extension that GTKWave reads. A dump is in the order of time, so everything is held until `close`; flows
// and addresses have no place in it.
#pragma once
#include <map>
#include <utility>

#include "sim/output_file.hpp"
#include "sim/timeline.hpp"

namespace mesim {

class VcdTimeline final : public Timeline {
 public:
  VcdTimeline(const std::string& path, const TimelineOptions& options) : Timeline(options), file_(path) {}

  Track track(const std::string& group, const std::string& unit) override { return add(group, unit, false); }
  Track counter(const std::string& group, const std::string& quantity) override {
    return add(group, quantity, true);
  }
  Name name(const std::string& text) override;
  void begin(Track track, Tick at, Name name, Detail detail) override;
  void end(Track track, Tick at) override;
  void count(Track counter, Tick at, std::int64_t value) override;
  void close() override;

 private:
  struct Variable {
    std::string group;
    std::string unit;
    bool counts;
    std::vector<std::uint32_t> open;  // names of the slices that are, the innermost last
    std::uint32_t left_out = 0;
  };
  struct Change {
    Tick at;
    Track variable;
    std::int64_t value;  // a counter's, or a name
  };

  Track add(const std::string& group, const std::string& unit, bool counts);
  bool full() const { return changes_.size() * sizeof(Change) >= options_.max_bytes; }
  std::string declarations() const;
  std::string value_text(const Change& change) const;

  OutputFile file_;
  std::vector<Variable> variables_;
  std::map<std::pair<std::string, std::string>, Track> tracks_;
  std::vector<std::string> names_ = {""};  // the first: no slice
  std::map<std::string, Name> numbers_;
  std::vector<Change> changes_;
};

}  // namespace mesim
