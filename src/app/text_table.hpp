// Plain-text tables for people: columns as wide as their widest cell, numbers to the right.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace mesim {

inline constexpr std::size_t page_width = 80;

class TextTable {
 public:
  // The first column is left-aligned, the others right-aligned. Empty cells are allowed; missing ones are
  // empty.
  explicit TextTable(std::vector<std::string> header) : rows_{std::move(header)} {}
  void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  bool empty() const { return rows_.size() == 1; }

  // Indented by two; the first column is cut, with "..", if the table would be wider than the page.
  std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

// 1234567 -> "1,234,567"
std::string with_commas(std::uint64_t number);
// Three significant digits with the unit that fits: "12.3 nJ", "1.5 KiB", "999 ns"
std::string energy_text(double pj);
std::string bytes_text(double bytes);
std::string time_text(double ns);
std::string six_digits(double value);  // 996,519 or 0.00123456; no exponent for what has a million or more
// "12.3 %", "<0.1 %"
std::string percent_text(double part, double whole);
// "x 2.00", "x 0.5", "new", "gone", "same": `now` over `before`
std::string ratio_text(double now, double before);

// `text` broken between words into lines of the page, later ones indented by `indent`.
std::string wrapped(const std::string& text, std::size_t indent);

}  // namespace mesim
