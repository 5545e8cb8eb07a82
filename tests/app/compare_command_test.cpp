// `mesim compare` as a user meets it.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/app/mesim_process.hpp"

using namespace mesim::test;
using Json = nlohmann::ordered_json;

namespace {

const std::string main_config = MESIM_SOURCE_DIR "/configs/main.json";

const Json& reason(const Json& comparison, const std::string& name) {
  for (const auto& r : comparison.at("reasons")) {
    if (r.at("of").at("name") == name) return r;
  }
  FAIL("no reason for " + name);
  return comparison;
}

double ratio(const Json& comparison, const std::string& pointer, std::size_t run) {
  for (const auto& m : comparison.at("metrics")) {
    if (m.at("pointer") == pointer) return m.at("ratios").at(run).get<double>();
  }
  FAIL("no metric " + pointer);
  return 0;
}

}  // namespace

TEST_CASE("MESI against MSI on private lines: the second transaction became a silent upgrade") {
  const Finished run = run_mesim({"compare", main_config, "--vary", "coherence.protocol=MSI,MESI",
                                  "workload.pattern=private", "--json"});
  REQUIRE(run.status == 0);
  const Json c = Json::parse(run.out);
  CHECK(c.at("runs").size() == 2);
  CHECK(c.at("config").size() == 1);
  CHECK(c.at("config").at(0).at("key") == "coherence.protocol");
  CHECK(ratio(c, "/stats/bus/transactions", 1) == 0.5);
  const Json& why = reason(c, "bus transactions");
  REQUIRE(why.at("parts").size() == 1);
  CHECK(why.at("parts").at(0).at("name") == "BusUpgr");
  CHECK(why.at("parts").at(0).at("before") == 4000);
  CHECK(why.at("parts").at(0).at("after") == 0);
  REQUIRE(why.at("instead").size() == 1);
  CHECK(why.at("instead").at(0).at("name") == "silent upgrades");
  CHECK(why.at("instead").at(0).at("after") == 4000);
}

TEST_CASE("counters moved apart: the misses that vanish are those of false sharing, by variable") {
  const Finished run = run_mesim({"compare", main_config + "+workload.stride_bytes=4",
                                  main_config + "+workload.stride_bytes=64", "--json"});
  REQUIRE(run.status == 0);
  const Json c = Json::parse(run.out);
  CHECK(reason(c, "misses").at("parts").at(0).at("name") == "false-sharing misses");
  const Json& shared = c.at("sharing").at(0);
  CHECK(shared.at("variables") == "counter[0], counter[1], counter[2], counter[3]");
  CHECK(shared.at("invalidations") == Json::array({3999.0, 0.0}));
}

TEST_CASE("stored results compare like fresh ones") {
  const TemporaryFolder folder;
  for (const std::string protocol : {"MSI", "MESI"}) {
    REQUIRE(run_mesim({"run", main_config, "coherence.protocol=" + protocol, "--out",
                       folder.path() + "/" + protocol})
                .status == 0);
  }
  const Finished stored = run_mesim({"compare", "MSI", "MESI/result.json", "--json"}, folder.path());
  const Finished fresh =
      run_mesim({"compare", main_config, "--vary", "coherence.protocol=MSI,MESI", "--json"});
  REQUIRE(stored.status == 0);
  CHECK(Json::parse(stored.out).at("metrics") == Json::parse(fresh.out).at("metrics"));
  CHECK(Json::parse(stored.out).at("reasons") == Json::parse(fresh.out).at("reasons"));
}

TEST_CASE("the tables fit 80 columns") {
  const Finished run = run_mesim({"compare", main_config, "--vary", "coherence.protocol=MSI,MESI,MOESI",
                                  "--vary", "workload.stride_bytes=4,64"});
  REQUIRE(run.status == 0);
  for (std::size_t at = 0; at < run.out.size();) {
    const std::size_t end = run.out.find('\n', at);
    if (run.out.compare(at, 3, "A  ") != 0) CHECK(end - at <= 80);  // a path is longer than the page
    at = end + 1;
  }
}

TEST_CASE("compare refuses what it cannot compare") {
  CHECK(run_mesim({"compare", main_config}).status == 2);
  CHECK(run_mesim({"compare", main_config, "nowhere.json"}).status == 5);
  CHECK(run_mesim({"compare", main_config, "--vary", "coherence.protocl=MSI,MESI"}).status == 2);
  const TemporaryFolder folder;
  REQUIRE(run_mesim({"run", main_config, "--out", folder.path()}).status == 0);
  CHECK(run_mesim({"compare", folder.path() + "/result.json+l1d.ways=4", main_config}).status == 2);
  const std::string broken =
      folder.write("broken.json", R"({"mesim": {"schema": 1}, "stats": {}, "ledgers": {}})");
  CHECK(run_mesim({"compare", broken, main_config}).status == 2);
  const std::string other =
      folder.write("other.json", R"({"mesim": {"schema": 999}, "stats": {}, "ledgers": {}})");
  CHECK(run_mesim({"compare", other, main_config}).err.find("layout 999") != std::string::npos);
}

TEST_CASE("what a preset brings is counted, what differs beside it is shown") {
  const std::string layer = MESIM_SOURCE_DIR "/configs/layer.json";
  const std::vector<std::string> small = {"workload.channels=4", "workload.filters=4"};
  std::vector<std::string> args = {"compare", layer, "--vary", "memory.preset=ddr4-3200,hbm2-a"};
  args.insert(args.end(), small.begin(), small.end());
  const Finished run = run_mesim(args);
  REQUIRE(run.status == 0);
  CHECK(run.out.find("memory.preset: A ddr4-3200, B hbm2-a") != std::string::npos);
  CHECK(run.out.find("further keys with memory.preset") != std::string::npos);
  CHECK(run.out.find("memory.timings") == std::string::npos);

  args.push_back("--json");
  const Json c = Json::parse(run_mesim(args).out);
  CHECK(c.at("config").size() > 10);  // nothing is left out there
}
