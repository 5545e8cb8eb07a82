#include "app/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace mesim {
namespace {

constexpr std::size_t indent_width = 2;
constexpr std::size_t gap = 2;

// Columns count characters, not bytes: names of variables may be UTF-8.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string cut(const std::string& text, std::size_t width) {
  if (width_of(text) <= width) return text;
  std::string out;
  for (const char c : text) {
    const bool starts = (static_cast<unsigned char>(c) & 0xc0) != 0x80;
    if (starts && width_of(out) + 2 >= width) break;
    out += c;
  }
  return out + "..";
}

// Three significant digits, never in exponent form.
std::string three_digits(double value) {
  const double size = std::abs(value);
  if (size >= 100) return fmt::format("{:.0f}", value);
  if (size >= 10) return fmt::format("{:.1f}", value);
  return fmt::format("{:.2f}", value);
}

template <std::size_t N>
std::string scaled(double value, double step, const std::array<std::string_view, N>& units) {
  std::size_t unit = 0;
  while (unit + 1 < N && std::abs(value) >= 0.9995 * step) {
    value /= step;
    ++unit;
  }
  const bool whole = value == std::floor(value);
  return fmt::format("{} {}", whole ? fmt::format("{:.0f}", value) : three_digits(value), units[unit]);
}

}  // namespace

std::string TextTable::text() const {
  std::vector<std::size_t> widths;
  for (const auto& row : rows_) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  std::size_t others = indent_width;
  for (std::size_t i = 1; i < widths.size(); ++i) others += gap + widths[i];
  widths[0] = std::min(widths[0], page_width - std::min(others, page_width - 8));
  std::string out;
  for (const auto& row : rows_) {
    std::string line(indent_width, ' ');
    const std::string first = cut(row.empty() ? "" : row[0], widths[0]);
    line += first + std::string(widths[0] - width_of(first), ' ');
    for (std::size_t i = 1; i < row.size(); ++i) {
      line += std::string(gap + widths[i] - width_of(row[i]), ' ') + row[i];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
  return out;
}

std::string with_commas(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, ",");
  }
  return digits;
}

std::string energy_text(double pj) {
  return scaled(pj, 1000, std::array<std::string_view, 5>{"pJ", "nJ", "uJ", "mJ", "J"});
}

std::string bytes_text(double bytes) {
  return scaled(bytes, 1024, std::array<std::string_view, 5>{"B", "KiB", "MiB", "GiB", "TiB"});
}

std::string time_text(double ns) {
  return scaled(ns, 1000, std::array<std::string_view, 4>{"ns", "us", "ms", "s"});
}

std::string percent_text(double part, double whole) {
  if (whole == 0) return "-";
  const double percent = 100 * part / whole;
  if (percent > 0 && percent < 0.1) return "<0.1 %";
  return fmt::format("{:.1f} %", percent);
}

std::string ratio_text(double now, double before) {
  if (now == before) return "same";
  if (before == 0) return "new";
  if (now == 0) return "gone";
  const double ratio = now / before;
  if (ratio >= 1000) return fmt::format("x {:.0f}", ratio);
  if (ratio < 0.01) return fmt::format("x {:.1g}", ratio);
  if (ratio > 0.995 && ratio < 1.005) return fmt::format("x {:.4f}", ratio);
  return "x " + three_digits(ratio);
}

std::string wrapped(const std::string& text, std::size_t indent) {
  std::string out;
  std::size_t column = 0;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    if (column > indent && column + 1 + width_of(word) > page_width) {
      out += '\n' + std::string(indent, ' ');
      column = indent;
    } else if (at > 0) {
      out += ' ';
      ++column;
    }
    out += word;
    column += width_of(word);
    at = end + 1;
  }
  return out;
}

std::string six_digits(double value) {
  const bool large = value >= 1e5 && value < 1e15;
  return large ? with_commas(static_cast<std::uint64_t>(std::llround(value))) : fmt::format("{:.6g}", value);
}

}  // namespace mesim
