#include "app/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/text_table.hpp"

namespace mesim {
namespace {

std::chrono::milliseconds interval(ProgressStyle style) {
  switch (style) {
    case ProgressStyle::bar:
      return std::chrono::milliseconds(200);
    case ProgressStyle::json:
      return std::chrono::milliseconds(1000);
    default:
      return std::chrono::milliseconds(5000);
  }
}

std::string clock_text(double seconds) {
  const auto whole = static_cast<std::uint64_t>(seconds + 0.5);
  if (whole < 3600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

std::string bar_text(double share) {
  constexpr std::size_t width = 24;
  const auto full = static_cast<std::size_t>(share * width);
  return "[" + std::string(full, '#') + std::string(width - full, '.') + "]";
}

}  // namespace

const std::vector<std::string>& progress_names() {
  static const std::vector<std::string> names = {"auto", "bar", "lines", "json", "none"};
  return names;
}

ProgressStyle progress_style(const std::string& name) {
  if (name == "none") return ProgressStyle::none;
  if (name == "json") return ProgressStyle::json;
  if (name == "bar") return ProgressStyle::bar;
  if (name == "lines") return ProgressStyle::lines;
  return ::isatty(STDERR_FILENO) != 0 ? ProgressStyle::bar : ProgressStyle::lines;
}

Progress::Progress(ProgressStyle style, std::string name, std::uint64_t total, const StopSignals& stop,
                   std::string units)
    : style_(style), name_(std::move(name)), units_(std::move(units)), total_(total), stop_(stop) {
  next_ = start_ + std::min(interval(style_), std::chrono::milliseconds(1000));
}

Progress::~Progress() {
  if (bar_shown_) std::fputs("\r\x1b[K", stderr);
}

bool Progress::keep_going(std::uint64_t done) {
  if (stop_.stopped()) return false;
  if (style_ == ProgressStyle::none) return true;
  const auto now = Clock::now();
  if (now < next_) return true;
  next_ = now + interval(style_);
  show(done, std::chrono::duration<double>(now - start_).count());
  return true;
}

void Progress::show(std::uint64_t done, double seconds) {
  const double rate = static_cast<double>(done) / std::max(seconds, 1e-9);
  const double share =
      total_ == 0 ? 0 : std::min(1.0, static_cast<double>(done) / static_cast<double>(total_));
  const double left =
      total_ == 0 || done == 0 ? 0 : static_cast<double>(total_ - std::min(done, total_)) / rate;
  if (style_ == ProgressStyle::json) {
    nlohmann::ordered_json line = {{"run", name_}, {units_, done}};
    if (total_ != 0) line["of"] = total_;
    line["seconds"] = seconds;
    if (total_ != 0) line["seconds_left"] = left;
    fmt::print(stderr, "{}\n", line.dump());
    return;
  }
  std::string text = fmt::format("{}: {} {}", name_, with_commas(done), units_);
  if (total_ != 0) {
    text = fmt::format("{}: {} {:.0f} %, {} left", name_, bar_text(share), 100 * share, clock_text(left));
  }
  text += rate < 1e4 ? fmt::format(", {:.1f} {}/s", rate, units_)
                     : fmt::format(", {:.1f} M {}/s", rate / 1e6, units_);
  if (style_ == ProgressStyle::bar) {
    fmt::print(stderr, "\r\x1b[K{}", text);
    bar_shown_ = true;
  } else {
    fmt::print(stderr, "{}\n", text);
  }
  std::fflush(stderr);
}

}  // namespace mesim
