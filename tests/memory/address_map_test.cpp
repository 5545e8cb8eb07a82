#include "memory/dram/address_map.hpp"

#include <catch2/catch.hpp>
#include <set>
#include <tuple>

#include "sim/error.hpp"
#include "sim/random.hpp"
#include "tests/memory/dram_helpers.hpp"

using namespace mesim;
using dram::AddressMap;
using dram::Location;

namespace {

AddressMap map_of(const std::string& preset, std::vector<std::string> overrides) {
  return AddressMap(test::memory_of(preset, std::move(overrides)), "test");
}

}  // namespace

TEST_CASE("an address decodes to the fields of its bits") {
  const auto a = map_of("ddr4-3200", {"mapping=row:bank:group:column"});
  const Location at = a.decode(std::uint64_t{5} << 17 | 3 << 15 | 2 << 13 | 9 << 6 | 63);
  CHECK(at.row == 5);
  CHECK(at.bank == 2 * 4 + 3);
  CHECK(at.column == 9);
  CHECK(a.capacity_bytes() == std::uint64_t{8} << 30);
}

TEST_CASE("decoding and encoding are inverse for every preset, with XOR terms and any number of channels") {
  for (const auto& preset : test::dram_presets) {
    for (const auto& overrides : std::vector<std::vector<std::string>>{
             {},
             {"mapping=row:bank:column:group:column[2]:rank:channel:pseudo; bank ^= row, group ^= row[2]"},
             {"organisation.channels=3"},
             {"organisation.channels=12", "mapping=row:rank:bank:group:column:channel:pseudo:column[1]"}}) {
      const auto map = map_of(preset, overrides);
      Random random(7);
      for (int i = 0; i < 2000; ++i) {
        const std::uint64_t burst = map.geometry().burst_bytes;
        const std::uint64_t address = random.below(map.capacity_bytes() / burst) * burst;
        CHECK(map.encode(map.decode(address)) == address);
      }
    }
  }
}

TEST_CASE("no two bursts of a memory share a place") {
  const auto map =
      map_of("hbm2", {"organisation.rows=2", "organisation.channels=3",
                      "mapping=row:bank:column:group:channel:pseudo; bank ^= row, group ^= column[1]"});
  std::set<std::tuple<unsigned, unsigned, unsigned, unsigned>> places;
  std::uint64_t bursts = 0;
  for (std::uint64_t address = 0; address < map.capacity_bytes();
       address += map.geometry().burst_bytes, ++bursts) {
    const Location at = map.decode(address);
    places.emplace(at.channel, at.bank, at.row, at.column);
  }
  CHECK(places.size() == bursts);
}

TEST_CASE("a mapping that cannot be is refused with its reason") {
  const auto fault = [](const std::string& mapping) {
    try {
      map_of("ddr4-3200", {"mapping=" + mapping});
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK_THAT(fault("row:bank:group"), Catch::Contains("'column' are not placed"));
  CHECK_THAT(fault("row:bank:group:colum"), Catch::Contains("did you mean"));
  CHECK_THAT(fault("row:column:bank:group:column"), Catch::Contains("more than once"));
  CHECK_THAT(fault("row:bank:group:column[9]:column[3]"), Catch::Contains("at most"));
  CHECK_THAT(fault("row:bank:group:column; column ^= row"), Catch::Contains("expected a bank"));
  CHECK_THAT(fault("row:bank:group:column; bank ^= group"), Catch::Contains("only row and column"));
}
