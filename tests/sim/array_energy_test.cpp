// Energy of arrays between the points of a table, against closed forms and against another publication.
#include "sim/array_energy.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "sim/config_reader.hpp"
#include "sim/technology.hpp"

using namespace mesim;

namespace {

// A table whose points lie on E = 3 size^0.5 ways^0.25, leaking 2^-10 mW a byte.
ArrayTable on_a_law() {
  ArrayTable t;
  t.sizes_bytes = {4096, 32768, 1 << 20};
  t.ways = {1, 4, 16};
  for (const auto size : t.sizes_bytes) {
    for (const auto ways : t.ways) {
      const double pj = 3 * std::sqrt(static_cast<double>(size)) * std::pow(static_cast<double>(ways), 0.25);
      t.read_pj.push_back(pj);
      t.write_pj.push_back(2 * pj);
      t.lookup_pj.push_back(pj / 8);
      t.leakage_mw.push_back(static_cast<double>(size) / 1024);
    }
  }
  return t;
}

TechnologyConfig technology(const std::string& preset) {
  return read_config<TechnologyConfig>({"", {"preset=" + preset}, {}});
}

}  // namespace

TEST_CASE("a table of points on a power law gives the law everywhere, also outside the points") {
  const ArrayTable t = on_a_law();
  REQUIRE(t.fault().empty());
  for (const std::uint64_t size : {64u, 4096u, 5000u, 32768u, 100'000u, 1u << 20, 1u << 24}) {
    for (const std::uint32_t ways : {1u, 2u, 3u, 4u, 12u, 16u}) {
      const double law = 3 * std::sqrt(static_cast<double>(size)) * std::pow(ways, 0.25);
      const ArrayEnergy e = t.at(size, ways);
      CHECK(e.read_pj == Approx(law));
      CHECK(e.write_pj == Approx(2 * law));
      CHECK(e.lookup_pj == Approx(law / 8));
      CHECK(e.leakage_mw == Approx(static_cast<double>(size) / 1024));
    }
  }
  // beyond the last column the figures of the last column stand
  CHECK(t.at(4096, 64).read_pj == Approx(t.at(4096, 16).read_pj));
}

TEST_CASE("a table gives its own points back, and of one point the point") {
  const TechnologyConfig tech = technology("cacti-45nm");
  for (const ArrayTable* t : {&tech.fast_array, &tech.dense_array}) {
    REQUIRE(t->fault().empty());
    CHECK_FALSE(t->source.empty());
    for (std::size_t row = 0; row < t->sizes_bytes.size(); ++row) {
      for (std::size_t column = 0; column < t->ways.size(); ++column) {
        const auto e = t->at(t->sizes_bytes[row], static_cast<std::uint32_t>(t->ways[column]));
        const std::size_t at = row * t->ways.size() + column;
        CHECK(e.read_pj == Approx(t->read_pj[at]));
        CHECK(e.write_pj == Approx(t->write_pj[at]));
        CHECK(e.lookup_pj == Approx(t->lookup_pj[at]));
        CHECK(e.leakage_mw == Approx(t->leakage_mw[at]));
      }
    }
  }
  ArrayTable one;
  one.sizes_bytes = {1024};
  one.ways = {2};
  one.read_pj = one.write_pj = one.lookup_pj = {5};
  CHECK(one.fault().empty());
  CHECK(one.at(1 << 20, 16).read_pj == 5);
  CHECK(one.at(1 << 20, 16).leakage_mw == 0);
}

TEST_CASE("a larger cache costs more and leaks more, in every table and at every size") {
  for (const char* preset : {"cacti-45nm", "horowitz-45nm"}) {
    const TechnologyConfig tech = technology(preset);
    for (const ArrayTable* t : {&tech.fast_array, &tech.dense_array}) {
      for (std::uint64_t size = 1024; size < (64u << 20); size *= 2) {
        for (const std::uint32_t ways : {1u, 2u, 4u, 8u, 16u}) {
          CAPTURE(preset, size, ways);
          CHECK(t->at(2 * size, ways).read_pj > t->at(size, ways).read_pj);
          CHECK(t->at(2 * size, ways).leakage_mw >= t->at(size, ways).leakage_mw);
        }
      }
    }
  }
}

TEST_CASE("CACTI and Horowitz agree within a third where both have figures") {
  const TechnologyConfig cacti = technology("cacti-45nm");
  const TechnologyConfig horowitz = technology("horowitz-45nm");
  for (const std::uint64_t size : {8u << 10, 32u << 10}) {
    CHECK(cacti.fast_array.at(size, 8).read_pj ==
          Approx(horowitz.fast_array.at(size, 8).read_pj).epsilon(0.34));
  }
  CHECK(cacti.dense_array.at(1 << 20, 8).read_pj ==
        Approx(horowitz.dense_array.at(1 << 20, 8).read_pj).epsilon(0.34));
}

TEST_CASE("lists that are no table are refused with their arithmetic") {
  ArrayTable t = on_a_law();
  t.write_pj.pop_back();
  CHECK(t.fault() == "3 sizes x 3 ways are 9 figures a list, found 8");
  t = on_a_law();
  t.ways = {1, 4, 4};
  CHECK(t.fault() == "sizes and ways have to ascend");
  t.ways.clear();
  CHECK(t.fault() == "found no sizes or no ways, expected at least one of each");
  CHECK(ArrayTable{}.fault().empty());
  CHECK(ArrayTable{}.at(4096, 2).read_pj == 0);
}
