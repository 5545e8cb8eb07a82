// The shape of a workload as a user asks for it: the first records, copies, threads dealt out, regions of
// interest; and damaged compressed traces. Through `mesim run`, from end to end.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/app/mesim_process.hpp"

using namespace mesim::test;
using Json = nlohmann::ordered_json;

namespace {

const std::string main_config = MESIM_SOURCE_DIR "/configs/main.json";

// `lines` loads of 8 bytes, each in a line of its own, at the upper end of what programs use.
std::string loads(int lines, std::uint64_t base = 0x7ffffff00000) {
  std::string text;
  for (int i = 0; i < lines; ++i)
    text += fmt::format(" L {:x},8\n", base + 64 * static_cast<std::uint64_t>(i));
  return text;
}

const std::vector<std::pair<std::string, std::string>> machines = {
    {"serial", "bus"}, {"round_robin", "bus"}, {"timed", "bus"}, {"timed", "directory"}};

std::vector<std::string> with(std::vector<std::string> arguments, const std::string& more) {
  arguments.push_back(more);
  return arguments;
}

struct Run {
  Json result;
  std::string notes;
  std::uint64_t total(const char* name) const { return result.at("stats").at("total").at(name); }
  std::uint64_t records() const { return result.at("inputs").at(0).at("records"); }
};

Run run(const TemporaryFolder& folder, std::vector<std::string> more) {
  std::vector<std::string> arguments = {"run", main_config, "--json", "--progress=none"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const Finished finished = run_mesim(arguments, folder.path());
  INFO(finished.err);
  REQUIRE(finished.status == 0);
  Run run{Json::parse(finished.out), ""};
  if (run.result.contains("notes")) {
    for (const auto& note : run.result.at("notes")) run.notes += note.get<std::string>() + "\n";
  }
  return run;
}

void record(const TemporaryFolder& folder, const std::string& source) {
  folder.write("program.c", source);
  const Finished finished = run_mesim({"trace", "record", "program.c"}, folder.path());
  INFO(finished.err);
  REQUIRE(finished.status == 0);
}

const std::string two_threads = R"(
#include <mesim/region.h>
#include <pthread.h>
int first[1000], second[1000];
static void *work(void *unused) {
  for (int i = 0; i < 1000; i++) second[i]++;
  return unused;
}
int main(void) {
  pthread_t thread;
  for (int i = 0; i < 1000; i++) first[i]++;
  pthread_create(&thread, 0, work, 0);
  pthread_join(thread, 0);
  mesim_region_begin();
  for (int i = 0; i < 500; i++) first[i] += second[i];
  mesim_region_end();
  return 0;
}
)";

}  // namespace

// ChampSim issues 547, 508 and 608: a trace that is shorter than what was asked for begins again, and nobody
// says so; and as many cores want as many files.
TEST_CASE("workload.limit takes the first records, and says when there are fewer") {
  const TemporaryFolder folder;
  folder.write("t", loads(100));
  for (const auto& [order, interconnect] : machines) {
    const std::vector<std::string> machine = {"order=" + order, "coherence.interconnect=" + interconnect,
                                              "workload.path=t"};
    const Run some = run(folder, with(machine, "workload.limit=30"));
    CHECK(some.total("reads") == 30);
    CHECK(some.records() == 30);
    CHECK(some.notes.find("shorter") == std::string::npos);
    const Run all = run(folder, with(machine, "workload.limit=101"));
    CHECK(all.total("reads") == 100);
    CHECK(all.notes.find("t: the trace is shorter than asked: 100 records of 101") != std::string::npos);
  }
}

TEST_CASE("a recorded program limited anywhere runs to its end in every order") {
  const TemporaryFolder folder;
  record(folder, two_threads);
  for (const auto& [order, interconnect] : machines) {
    for (const std::string limit : {"1", "500", "2001", "3000"}) {
      INFO(order << " " << interconnect << " " << limit);
      const Run cut = run(folder, {"workload.path=program.mtr", "workload.limit=" + limit, "order=" + order,
                                   "coherence.interconnect=" + interconnect});
      CHECK(cut.total("reads") > 0);
      CHECK(cut.records() <= 2 * std::stoull(limit));
    }
  }
}

// ChampSim issues 547 and 608: one file for many cores.
TEST_CASE("workload.copies gives each copy addresses of its own, also above 2^48") {
  const TemporaryFolder folder;
  folder.write("t", loads(100) + loads(100));  // all lines fit into the cache: the second look hits
  for (const std::string order : {"serial", "round_robin", "timed"}) {
    const Run copies =
        run(folder, {"workload.path=t", "workload.copies=8", "cores.count=8", "order=" + order});
    CHECK(copies.total("accesses") == 8 * 200);
    CHECK(copies.total("misses") == 8 * 100);  // no copy finds what another one brought
    CHECK(copies.total("invalidations") == 0);
    CHECK(copies.result.at("stats").at("memory").at("reads") == 8 * 100);
  }
  // On one core too: 100 lines of each copy, which a cache of 32 KiB cannot hold together.
  const Run one = run(folder, {"workload.path=t", "workload.copies=8", "cores.count=1", "order=round_robin",
                               "l1d.size_bytes=64K", "l1d.ways=16"});
  CHECK(one.total("misses") == 8 * 100);
}

TEST_CASE("copies of a program keep the names of its variables") {
  const TemporaryFolder folder;
  record(folder, R"(
#include <pthread.h>
int shared[2];
static void *work(void *which) {
  for (int i = 0; i < 1000; i++) ++*(int *)which;
  return which;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, work, &shared[1]);
  work(&shared[0]);
  pthread_join(thread, 0);
  return 0;
}
)");
  const Run copies = run(folder, {"workload.path=program.mtr", "workload.copies=2", "cores.count=4"});
  int named = 0;
  for (const auto& line : copies.result.at("sharing").at("lines")) {
    for (const auto& name : line.at("variables")) named += name == "shared" && line.at("kind") == "false";
  }
  CHECK(named == 2);
}

TEST_CASE("workload.spread deals a trace of one thread out to cores") {
  const TemporaryFolder folder;
  folder.write("t", loads(100));
  const Run dealt = run(folder, {"workload.path=t", "workload.spread=4", "workload.spread_chunk=10"});
  const Json& stats = dealt.result.at("stats");
  for (const auto& [core, reads] : {std::pair{"l1d0", 30}, {"l1d1", 30}, {"l1d2", 20}, {"l1d3", 20}})
    CHECK(stats.at(core).at("reads") == reads);
  const Finished threads =
      run_mesim({"run", main_config, "workload.path=u", "workload.spread=2"}, folder.path());
  CHECK(threads.status == 5);
}

TEST_CASE("workload.region=marked counts what a program has marked") {
  const TemporaryFolder folder;
  record(folder, two_threads);
  for (const std::string order : {"serial", "round_robin", "timed"}) {
    const Run marked = run(folder, {"workload.path=program.mtr", "workload.region=marked", "order=" + order});
    CHECK(marked.total("reads") == 1000);
    CHECK(marked.total("writes") == 500);
    CHECK(marked.total("cache_to_cache") >= 2000 / 64);  // `second` is in the other thread's cache
    CHECK(marked.total("cache_to_cache") <= 2000 / 64 + 2);
    CHECK(marked.result.at("stats").at("memory").at("reads") == 0);  // and `first` in the thread's own
  }
  folder.write("t", loads(10));
  const Finished none =
      run_mesim({"run", main_config, "workload.path=t", "workload.region=marked"}, folder.path());
  CHECK(none.status == 2);
  CHECK(none.err.find("/workload/region: found 'marked', but no region of interest begins") !=
        std::string::npos);
}

TEST_CASE("a compressed trace that is cut or flipped gives the byte offset") {
  const TemporaryFolder folder;
  std::string text;
  for (std::uint64_t i = 0; i < 20000; ++i)
    text +=
        fmt::format(" {} {:x},{}\n", "LSM"[i * i % 3], 0x7fff0000 + (i * 2654435761 & 0xfff8), 1 << i % 4);
  folder.write("t", text);
  for (const std::string packer : {"gzip", "xz", "zstd", "bzip2"}) {
    if (run_shell("command -v " + packer).status != 0) continue;
    REQUIRE(run_shell(packer + " -c t > whole", folder.path()).status == 0);
    const std::string whole = read_file(folder.path() + "/whole");
    for (const double part : {0.3, 0.6, 0.9}) {
      const auto at = static_cast<std::size_t>(part * static_cast<double>(whole.size()));
      folder.write("cut", whole.substr(0, at));
      std::string flipped = whole;
      for (std::size_t i = at; i < at + 3; ++i) flipped[i] = static_cast<char>(~flipped[i]);
      folder.write("flipped", flipped);
      for (const std::string name : {"cut", "flipped"}) {
        const Finished bad =
            run_mesim({"run", main_config, "workload.path=" + name, "--progress=none"}, folder.path());
        INFO(packer << " at " << at << " of " << whole.size() << ": " << bad.err);
        CHECK(bad.status == 2);
        CHECK(bad.err.find("error: " + name + ": byte offset ") == 0);
        CHECK(bad.out.empty());
      }
    }
  }
}
