#include "app/text_table.hpp"

#include <catch2/catch.hpp>

using namespace mesim;

TEST_CASE("numbers are shown with the unit that fits") {
  CHECK(with_commas(0) == "0");
  CHECK(with_commas(999) == "999");
  CHECK(with_commas(1234567) == "1,234,567");
  CHECK(bytes_text(32768) == "32 KiB");
  CHECK(bytes_text(1536) == "1.50 KiB");
  CHECK(bytes_text(7) == "7 B");
  CHECK(energy_text(0.5) == "0.50 pJ");
  CHECK(energy_text(999.9) == "1.00 nJ");
  CHECK(energy_text(12345678) == "12.3 uJ");
  CHECK(time_text(2.5e9) == "2.50 s");
  CHECK(percent_text(1, 8) == "12.5 %");
  CHECK(percent_text(1, 100000) == "<0.1 %");
  CHECK(percent_text(1, 0) == "-");
}

TEST_CASE("ratios say what became of a figure") {
  CHECK(ratio_text(4, 8) == "x 0.50");
  CHECK(ratio_text(8, 8) == "same");
  CHECK(ratio_text(8, 0) == "new");
  CHECK(ratio_text(0, 8) == "gone");
  CHECK(ratio_text(7999, 8000) == "x 0.9999");
}

TEST_CASE("a table is never wider than the page") {
  TextTable table({"variable", "count"});
  table.row({std::string(200, 'x'), "1,000"});
  const std::string text = table.text();
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    CHECK(end - at <= page_width);
    at = end + 1;
  }
  CHECK(text.find("x..") != std::string::npos);
}

TEST_CASE("long lines are broken between words") {
  const std::string a(50, 'a');
  const std::string b(50, 'b');
  CHECK(wrapped(fmt::format("{} {} c", a, b), 4) == fmt::format("{}\n    {} c", a, b));
}

TEST_CASE("figures of a sweep have six digits, or all of a large whole part") {
  CHECK(six_digits(0.00123456789) == "0.00123457");
  CHECK(six_digits(12345.678) == "12345.7");
  CHECK(six_digits(996518.6) == "996,519");
  CHECK(six_digits(1.78944e6) == "1,789,440");
  CHECK(six_digits(3.2e20) == "3.2e+20");
}
