#include "sim/array_energy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mesim {
namespace {

bool ascending(const std::vector<std::uint64_t>& values) {
  return std::adjacent_find(values.begin(), values.end(), std::greater_equal<>()) == values.end();
}

// The stretch of `points` in which `x` lies, or the first or last: its left end.
std::size_t stretch(const std::vector<std::uint64_t>& points, std::uint64_t x) {
  const auto after = std::upper_bound(points.begin(), points.end(), x);
  const auto left = static_cast<std::size_t>(std::max<std::ptrdiff_t>(after - points.begin() - 1, 0));
  return std::min(left, points.size() - 2);
}

// How far `x` is on the way from a to b, on a logarithmic axis.
double share(std::uint64_t a, std::uint64_t b, std::uint64_t x) {
  const auto log_of = [](std::uint64_t v) { return std::log(static_cast<double>(v)); };
  return (log_of(x) - log_of(a)) / (log_of(b) - log_of(a));
}

double power_law(double a, double b, double share) {
  return a <= 0 || b <= 0 ? a + (b - a) * share : a * std::pow(b / a, share);
}

double value_at(const ArrayTable& t, const std::vector<double>& values, std::uint64_t size_bytes,
                std::uint64_t ways) {
  if (values.empty()) return 0;
  const auto in_column = [&](std::size_t column) {
    const auto point = [&](std::size_t row) { return values[row * t.ways.size() + column]; };
    if (t.sizes_bytes.size() == 1) return point(0);
    const std::size_t row = stretch(t.sizes_bytes, size_bytes);
    return power_law(point(row), point(row + 1),
                     share(t.sizes_bytes[row], t.sizes_bytes[row + 1], size_bytes));
  };
  ways = std::clamp(ways, t.ways.front(), t.ways.back());
  if (t.ways.size() == 1) return in_column(0);
  const std::size_t column = stretch(t.ways, ways);
  return power_law(in_column(column), in_column(column + 1), share(t.ways[column], t.ways[column + 1], ways));
}

}  // namespace

ArrayEnergy ArrayTable::at(std::uint64_t size_bytes, std::uint32_t way_count) const {
  const std::uint64_t size = std::max<std::uint64_t>(size_bytes, 1);
  return {value_at(*this, read_pj, size, way_count), value_at(*this, write_pj, size, way_count),
          value_at(*this, lookup_pj, size, way_count), value_at(*this, leakage_mw, size, way_count)};
}

std::string ArrayTable::fault() const {
  const bool nothing = read_pj.empty() && write_pj.empty() && lookup_pj.empty() && leakage_mw.empty();
  if (nothing && sizes_bytes.empty() && ways.empty()) return {};
  if (sizes_bytes.empty() || ways.empty()) return "found no sizes or no ways, expected at least one of each";
  if (!ascending(sizes_bytes) || !ascending(ways)) return "sizes and ways have to ascend";
  const std::size_t wanted = sizes_bytes.size() * ways.size();
  for (const auto* list : {&read_pj, &write_pj, &lookup_pj, &leakage_mw}) {
    if (list->size() == wanted || (list == &leakage_mw && list->empty())) continue;
    return fmt::format("{} sizes x {} ways are {} figures a list, found {}", sizes_bytes.size(), ways.size(),
                       wanted, list->size());
  }
  return {};
}

void ArrayTable::fields(Fields& f) {
  f.text("source", source, "where the figures were published, and how they were obtained");
  f.integer_list("sizes_bytes", sizes_bytes,
                 {.min = 1, .unit = "bytes", .help = "sizes for which there are figures, ascending"});
  f.integer_list("ways", ways, {.min = 1, .max = 64, .help = "ways for which there are figures, ascending"});
  f.number_list(
      "read_pj", read_pj,
      {.unit = "pJ", .help = "reading 8 bytes or fewer, tags included: size by size, within it by ways"});
  f.number_list("write_pj", write_pj, {.unit = "pJ", .help = "writing 8 bytes or fewer, in the same order"});
  f.number_list("lookup_pj", lookup_pj, {.unit = "pJ", .help = "reading and comparing the tags alone"});
  f.number_list("leakage_mw", leakage_mw, {.unit = "mW", .help = "static power; empty for none"});
  f.require("source", fault().empty(), [this] { return fault(); });
}

}  // namespace mesim
