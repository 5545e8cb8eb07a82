// The course projects that the project ships as configs: the machine of each is a config alone.
#include <catch2/catch.hpp>
#include <fstream>
#include <map>
#include <sstream>

#include "tests/shared_data.hpp"
#include "tests/system/run_helpers.hpp"

using namespace mesim;

namespace {

nlohmann::ordered_json run(const std::string& config, std::vector<std::string> overrides) {
  test::RunToTheEnd watch;
  const std::string path = MESIM_SOURCE_DIR "/configs/coursework/" + config;
  const auto read = read_config<SystemConfig>({path, std::move(overrides), {}});
  return result_document(run_system(read, path, watch).result);
}

std::vector<std::vector<std::string>> rows_of(const std::string& path) {
  std::ifstream in(path);
  std::vector<std::vector<std::string>> rows;
  for (std::string line; std::getline(in, line);) {
    std::istringstream fields(line);
    rows.emplace_back();
    for (std::string field; std::getline(fields, field, '\t');) rows.back().push_back(field);
  }
  return rows;
}

}  // namespace

TEST_CASE("configs/coursework/smp-cache.json gives the instructor's figures") {
  const auto trace = test::shared_data("coursework/smp-canneal-4/canneal.04t.trace");
  const auto expected = test::shared_data("coursework/smp-canneal-4/expected.tsv");
  if (!trace || !expected) return;
  const std::map<std::string, std::string> names = {{"number of reads", "reads"},
                                                    {"number of read misses", "read_misses"},
                                                    {"number of writes", "writes"},
                                                    {"number of write misses", "write_misses"},
                                                    {"number of writebacks", "writebacks"},
                                                    {"number of cache-to-cache transfers", "cache_to_cache"},
                                                    {"number of memory transactions", "memory_transactions"},
                                                    {"number of interventions", "interventions"},
                                                    {"number of invalidations", "invalidations"},
                                                    {"number of flushes", "flushes"},
                                                    {"number of BusRdX", "bus_rdx"}};
  std::map<std::string, nlohmann::ordered_json> results;
  for (const char* protocol : {"MSI", "MESI"}) {
    results[protocol] =
        run("smp-cache.json", {"workload.path=" + *trace, std::string("coherence.protocol=") + protocol});
  }
  int compared = 0;
  for (const auto& row : rows_of(*expected)) {
    if (row[0] == "protocol") continue;
    const auto& l1d = results.at(row[0])["stats"]["l1d" + row[1]];
    INFO(row[0] << " cache " << row[1] << ' ' << row[2]);
    if (row[2] == "total miss rate") {
      CHECK(l1d["miss_rate_percent"].get<double>() == Approx(std::stod(row[3])).epsilon(1e-9));
    } else {
      CHECK(l1d[names.at(row[2])].get<std::uint64_t>() == std::stoull(row[3]));
    }
    ++compared;
  }
  CHECK(compared == 96);
}

TEST_CASE("configs/coursework/snoop-bus.json gives the published runs to the cycle") {
  for (const char* folder : {"coursework/snoop-bus-4", "coursework/snoop-bus-8"}) {
    const auto path = test::shared_data(folder);
    if (!path) return;
    for (const auto& row : rows_of(*path + "/expected.tsv")) {
      if (row[0] == "protocol") continue;
      INFO(folder << ' ' << row[0]);
      const auto result = run("snoop-bus.json", {"workload.path=" + *path, "coherence.protocol=" + row[0]});
      const auto& total = result["stats"]["total"];
      CHECK(result["time"]["cycles"].get<std::uint64_t>() == std::stoull(row[1]));
      CHECK(total["misses"].get<std::uint64_t>() == std::stoull(row[2]));
      CHECK(total["accesses"].get<std::uint64_t>() == std::stoull(row[3]));
      CHECK(total["silent_upgrades"].get<std::uint64_t>() == std::stoull(row[4]));
      CHECK(total["cache_to_cache"].get<std::uint64_t>() == std::stoull(row[5]));
      CHECK(total["evictions"] == 0);
    }
  }
}

TEST_CASE("a cache that leaves while its request is queued has to fetch the line anew") {
  CHECK_THROWS_WITH(test::config_with({"coherence.pending_upgrade=leaver"}),
                    Catch::Contains("/coherence/pending_upgrade") && Catch::Contains("BusRdX"));
}
