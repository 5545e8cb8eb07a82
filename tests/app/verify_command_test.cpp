// `mesim verify` and `mesim protocol` as a user runs them.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/app/mesim_process.hpp"

using namespace mesim::test;
using Catch::Matchers::Contains;
using Json = nlohmann::json;

TEST_CASE("verify prints one document whose keys scripts rely on") {
  const Finished run = run_mesim({"verify", "mesi-directory", "--caches", "3", "--json"});
  REQUIRE(run.status == 0);
  const Json d = Json::parse(run.out);
  CHECK(d["protocol"] == "mesi-directory");
  CHECK(d["caches"] == 3);
  CHECK(d["symmetry"] == true);
  CHECK(d["states"] == 11996);
  CHECK(d["transitions"] == 41638);
  CHECK(d["violation"].is_null());
  CHECK(d["coverage"]["reached"] > 50);
  for (const Json& cell : d["coverage"]["unreachable"]) {
    CHECK_FALSE(cell["cell"].get<std::string>().empty());
    CHECK_FALSE(cell["reason"].get<std::string>().empty());
  }
  CHECK(run_mesim({"verify", "mesi-directory", "--caches", "3", "--json"}).out == run.out);
}

TEST_CASE("verify of a fault exits with 1, draws it, and --json holds the steps") {
  const TemporaryFolder folder;
  const std::string svg = folder.path() + "/trace.svg";
  const Finished text =
      run_mesim({"verify", "msi-directory", "--caches", "2", "--mutate", "ack-count-zero", "--svg", svg});
  CHECK(text.status == 1);
  CHECK_THAT(text.out, Contains("VIOLATED: data value") && Contains("6 steps"));
  CHECK_THAT(read_file(svg), Contains("<svg") && Contains("</svg>"));
  const Finished json =
      run_mesim({"verify", "msi-directory", "--caches", "2", "--mutate", "ack-count-zero", "--json"});
  CHECK(json.status == 1);
  const Json d = Json::parse(json.out);
  CHECK(d["violation"]["invariant"] == "data value");
  CHECK(d["violation"]["steps"].size() == 6);
}

TEST_CASE("verify takes several protocols, and refuses what it cannot do") {
  const Finished several = run_mesim({"verify", "msi-bus", "dragon-bus", "--json"});
  REQUIRE(several.status == 0);
  CHECK(Json::parse(several.out).size() == 2);
  CHECK(run_mesim({"verify", "mesi-buss"}).status == 2);
  CHECK(run_mesim({"verify", "mesi-directory", "--caches", "7"}).status == 2);
  CHECK(run_mesim({"verify", "mesi-directory", "--state-limit", "100"}).status == 3);
  CHECK(run_mesim({"verify", "msi-directory", "--mutate", "ack-count-zero", "--svg", "/no/such/folder/a.svg"})
            .status == 5);
}

TEST_CASE("protocol prints a table as text, page and graph") {
  const Finished text = run_mesim({"protocol", "mesi-directory"});
  REQUIRE(text.status == 0);
  CHECK_THAT(text.out,
             Contains("IS_D") && Contains("send GetM -> SM_AD") && Contains("waits: Load, Store, Evict"));
  CHECK_THAT(run_mesim({"protocol", "moesi-directory", "--format", "html"}).out,
             Contains("OM_AC") && Contains("</html>"));
  CHECK_THAT(run_mesim({"protocol", "dragon-bus", "--format", "dot"}).out,
             Contains("digraph") && Contains("Sm"));
  CHECK(run_mesim({"protocol", "moesi"}).status == 2);
}

TEST_CASE("verify --random runs the machine of a run, and finds a fault in it") {
  const Finished good =
      run_mesim({"verify", "mesi-directory", "--caches", "19", "--random", "100", "--json"});
  REQUIRE(good.status == 0);
  CHECK(Json::parse(good.out)["random"]["operations"] == 1900);
  const Finished bad = run_mesim(
      {"verify", "mesi-directory", "--caches", "8", "--random", "3000", "--mutate", "ack-count-zero"});
  CHECK(bad.status == 1);
  CHECK_THAT(bad.out, Contains("VIOLATED"));
  const Finished bus = run_mesim({"verify", "dragon-bus", "--caches", "19", "--random", "100", "--json"});
  REQUIRE(bus.status == 0);
  CHECK(Json::parse(bus.out)["random"]["operations"] == 1900);
  const Finished unknown = run_mesim({"verify", "dragon-buss", "--random", "10"});
  CHECK(unknown.status == 2);
  CHECK_THAT(unknown.err, Contains("dragon-bus"));
}

TEST_CASE("the table of a directory that gives up sharers has rows that a full map has not") {
  const Finished full = run_mesim({"protocol", "msi-directory"});
  const Finished limited = run_mesim({"protocol", "msi-directory", "--directory", "limited-no-broadcast"});
  CHECK(full.status == 0);
  CHECK(limited.status == 0);
  CHECK(limited.out != full.out);
  const Finished bus = run_mesim({"protocol", "msi-bus", "--directory", "coarse"});
  CHECK(bus.status == 2);
  CHECK(bus.err.find("a bus has no directory") != std::string::npos);
}
