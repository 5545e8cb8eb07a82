// `mesim trace curve`: one pass says what a run of `trace cachesim` for each size does.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>

#include "sim/random.hpp"
#include "tests/app/mesim_process.hpp"

using namespace mesim::test;
using Json = nlohmann::ordered_json;

TEST_CASE("the miss ratio curve has at each size what a fully associative cache of that size misses") {
  const TemporaryFolder folder;
  mesim::Random random(3);
  std::string text;
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t address = random.below(3) == 0 ? random.below(1 << 16) : random.below(1 << 11);
    text += fmt::format(" {} {:x},{}\n", random.below(4) == 0 ? 'S' : 'L', 0x100000 + address,
                        1 << random.below(4));
  }
  const std::string trace = folder.write("t.lackey", text);
  const auto run = run_mesim({"trace", "curve", trace, "--json"});
  REQUIRE(run.status == 0);
  const Json found = Json::parse(run.out);
  std::map<std::uint64_t, std::uint64_t> misses;
  std::uint64_t last = ~std::uint64_t{0};
  for (const Json& point : found.at("curve")) {
    misses[point.at("size_bytes").get<std::uint64_t>()] = point.at("misses").get<std::uint64_t>();
    CHECK(point.at("misses") <= last);
    last = point.at("misses").get<std::uint64_t>();
  }
  CHECK(last == found.at("lines"));
  for (const std::uint64_t lines : {4u, 16u, 64u}) {
    const auto simulated =
        run_mesim({"trace", "cachesim", trace, fmt::format("--D1={},{},64", lines * 64, lines),
                   "--split-lines", "--json"});
    REQUIRE(simulated.status == 0);
    const Json d1 = Json::parse(simulated.out).at("stats").at("D1");
    CHECK(misses.at(lines * 64) ==
          d1.at("read_misses").get<std::uint64_t>() + d1.at("write_misses").get<std::uint64_t>());
    CHECK(found.at("references") ==
          d1.at("reads").get<std::uint64_t>() + d1.at("writes").get<std::uint64_t>());
  }
}

TEST_CASE("a curve's line is a power of two") {
  const TemporaryFolder folder;
  const auto run = run_mesim({"trace", "curve", folder.write("t.lackey", " L 10,4\n"), "--line", "48"});
  CHECK(run.status == 2);
  CHECK(run.err.find("expected a power of two") != std::string::npos);
}
