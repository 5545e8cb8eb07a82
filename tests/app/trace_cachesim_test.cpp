#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/app/mesim_process.hpp"

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using mesim::test::run_mesim;
using mesim::test::TemporaryFolder;

namespace {

// Two fetches of one line, one that crosses, a load and a store of one line, a crossing modify.
const std::string lackey =
    "I  1000,4\n"
    "I  1004,4\n"
    "I  103e,4\n"
    " L 2000,8\n"
    " S 2008,8\n"
    " M 207c,8\n";

nlohmann::json cachesim(const std::vector<std::string>& more) {
  const TemporaryFolder folder;
  std::vector<std::string> arguments = {"trace", "cachesim", folder.write("t.lackey", lackey), "--json"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const auto run = run_mesim(arguments);
  CHECK(run.status == 0);
  return nlohmann::json::parse(run.out);
}

}  // namespace

TEST_CASE("trace cachesim counts by cachegrind's rules, and with split lines by the others'") {
  const auto whole = cachesim({}).at("stats");
  CHECK(whole["I1"]["accesses"] == 3);
  CHECK(whole["I1"]["misses"] == 2);
  CHECK(whole["D1"]["reads"] == 2);
  CHECK(whole["D1"]["read_misses"] == 2);
  CHECK(whole["D1"]["writes"] == 1);
  CHECK(whole["D1"]["write_misses"] == 0);
  CHECK(whole["D1"]["hits"] == 1);
  CHECK(whole["LL"]["instruction_misses"] == 2);
  CHECK(whole["LL"]["read_misses"] == 2);
  CHECK(whole["LL"]["write_misses"] == 0);
  CHECK_FALSE(whole["I1"].contains("compulsory_misses"));
  const auto split = cachesim({"--split-lines", "--split-modify", "--three-c"}).at("stats");
  CHECK(split["I1"]["accesses"] == 4);
  CHECK(split["I1"]["misses"] == 2);
  CHECK(split["D1"]["reads"] == 3);
  CHECK(split["D1"]["writes"] == 3);
  CHECK(split["D1"]["read_misses"] == 3);
  CHECK(split["D1"]["compulsory_misses"] == 3);
}

TEST_CASE("the result of trace cachesim names its caches and its trace") {
  const auto document = cachesim({"--D1=4k,2,32,fifo"});
  CHECK(document["config"]["D1"]["size_bytes"] == 4096);
  CHECK(document["config"]["D1"]["line_bytes"] == 32);
  CHECK(document["config"]["D1"]["replacement"] == "fifo");
  CHECK(document["config"]["LL"]["size_bytes"] == 2097152);
  CHECK(document["inputs"][0]["records"] == 6);
  CHECK(document["inputs"][0]["format"] == "lackey");
  CHECK(document["complete"] == true);
}

TEST_CASE("the table of trace cachesim fits a page") {
  const TemporaryFolder folder;
  const auto file = folder.write("t.lackey", lackey);
  const auto run = run_mesim({"trace", "cachesim", "t.lackey", "--three-c"}, folder.path());
  CHECK(run.status == 0);
  CHECK_THAT(run.out, StartsWith("t.lackey: 6 records\n  I1 32 KiB, 8-way, 64-byte lines, lru\n"));
  CHECK_THAT(run.out, Contains("conflict") && Contains("66.67 %"));
  std::istringstream lines(run.out);
  for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 80);
}

TEST_CASE("trace cachesim refuses caches that are none, and traces that are not there") {
  const TemporaryFolder folder;
  const auto file = folder.write("t.lackey", lackey);
  const auto geometry = run_mesim({"trace", "cachesim", file, "--I1=24K,8,64"});
  CHECK(geometry.status == 2);
  CHECK_THAT(geometry.err,
             StartsWith("error: --I1=24K,8,64: ") && Contains("48 sets, expected a power of two"));
  CHECK(geometry.out.empty());
  CHECK(run_mesim({"trace", "cachesim", file, "--D1=32K"}).status == 2);
  CHECK(run_mesim({"trace", "cachesim", folder.path() + "/nowhere"}).status == 5);
}
