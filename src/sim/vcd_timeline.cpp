#include "sim/vcd_timeline.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace mesim {
namespace {

// Names in a dump hold no blanks.
std::string word(std::string text) {
  std::replace(text.begin(), text.end(), ' ', '_');
  return text;
}

// The short code of a variable: a number in the printable characters.
std::string code(std::uint32_t number) {
  std::string out;
  do {
    out += static_cast<char>('!' + number % 94);
    number /= 94;
  } while (number != 0);
  return out;
}

}  // namespace

Timeline::Track VcdTimeline::add(const std::string& group, const std::string& unit, bool counts) {
  const auto [it, fresh] = tracks_.try_emplace({group, unit}, static_cast<Track>(variables_.size()));
  if (fresh) variables_.push_back({group, unit, counts, {}, 0});
  return it->second;
}

Timeline::Name VcdTimeline::name(const std::string& text) {
  const auto [it, fresh] = numbers_.try_emplace(text, static_cast<Name>(names_.size()));
  if (fresh) names_.push_back(word(text));
  return it->second;
}

void VcdTimeline::begin(Track track, Tick at, Name name, Detail) {
  Variable& variable = variables_[track];
  if (variable.left_out != 0 || full()) {
    ++variable.left_out;
    ++dropped_;
    return;
  }
  ++events_;
  variable.open.push_back(name);
  changes_.push_back({at, track, name});
}

void VcdTimeline::end(Track track, Tick at) {
  Variable& variable = variables_[track];
  if (variable.left_out != 0) {
    --variable.left_out;
    return;
  }
  ++events_;
  variable.open.pop_back();
  changes_.push_back({at, track, variable.open.empty() ? 0 : std::int64_t{variable.open.back()}});
}

void VcdTimeline::count(Track counter, Tick at, std::int64_t value) {
  if (full()) {
    ++dropped_;
    return;
  }
  ++events_;
  changes_.push_back({at, counter, value});
}

std::string VcdTimeline::declarations() const {
  std::map<std::string, std::vector<Track>> groups;
  for (Track track = 0; track < variables_.size(); ++track) groups[variables_[track].group].push_back(track);
  std::string out = "$timescale 1ps $end\n";
  for (const auto& [group, tracks] : groups) {
    out += fmt::format("$scope module {} $end\n", word(group));
    for (const Track track : tracks) {
      const Variable& variable = variables_[track];
      out += fmt::format("$var {} {} {} $end\n", variable.counts ? "integer 64" : "string 1", code(track),
                         word(variable.unit));
    }
    out += "$upscope $end\n";
  }
  return out + "$enddefinitions $end\n";
}

std::string VcdTimeline::value_text(const Change& change) const {
  if (!variables_[change.variable].counts)
    return fmt::format("s{} {}\n", names_[static_cast<std::size_t>(change.value)], code(change.variable));
  return fmt::format("b{:b} {}\n", static_cast<std::uint64_t>(change.value), code(change.variable));
}

void VcdTimeline::close() {
  std::stable_sort(changes_.begin(), changes_.end(),
                   [](const Change& a, const Change& b) { return a.at < b.at; });
  std::string text = declarations();
  Tick now = ~Tick{0};
  for (const Change& change : changes_) {
    if (change.at != now) text += fmt::format("#{}\n", now = change.at);
    text += value_text(change);
    if (text.size() < 1 << 20) continue;
    file_.write(text);
    text.clear();
  }
  file_.write(text);
  file_.keep();
}

}  // namespace mesim
