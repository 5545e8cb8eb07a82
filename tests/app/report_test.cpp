// The HTML reports: whole, safe, self-contained, and telling what the result holds.
#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "app/report/html.hpp"
#include "app/report/page.hpp"
#include "app/report/sections.hpp"
#include "tests/app/mesim_process.hpp"

using namespace mesim;
using Json = nlohmann::ordered_json;

namespace {

Json result_of(const std::vector<std::string>& more) {
  std::vector<std::string> arguments = {"run", MESIM_SOURCE_DIR "/configs/main.json", "--json"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return Json::parse(test::run_mesim(arguments).out);
}

// Tags that are opened and not closed, or closed and not open; an attribute's text may hold no bare '<'.
std::string first_fault(const std::string& page) {
  const std::set<std::string> alone = {"meta", "!doctype", "br", "input"};
  std::vector<std::string> open;
  for (std::size_t at = page.find('<'); at != std::string::npos; at = page.find('<', at + 1)) {
    const std::size_t end = page.find('>', at);
    if (end == std::string::npos) return "no end of the tag at " + std::to_string(at);
    std::string tag = page.substr(at + 1, end - at - 1);
    if (tag.find('<') != std::string::npos) return "a '<' inside " + tag;
    if (tag.back() == '/') continue;
    tag = tag.substr(0, tag.find_first_of(" \n"));
    if (alone.count(tag) != 0) continue;
    if (tag[0] != '/') {
      open.push_back(tag);
    } else if (open.empty() || open.back() != tag.substr(1)) {
      return "'" + tag + "' closes '" + (open.empty() ? "nothing" : open.back()) + "'";
    } else {
      open.pop_back();
    }
  }
  return open.empty() ? "" : "'" + open.back() + "' stays open";
}

// The page without its scripts: data, and the one that zooms, which holds no end of itself.
std::string without_scripts(std::string page) {
  for (std::size_t at = page.find("<script"); at != std::string::npos; at = page.find("<script", at)) {
    const std::string kind = page.substr(at, 40);
    const bool ours =
        kind.rfind("<script>/*", 0) == 0 || kind.rfind("<script type=\"application/json\">", 0) == 0;
    if (!ours) break;  // is found by the test
    page.erase(at, page.find("</script>", at) + 9 - at);
  }
  return page;
}

void is_self_contained(const std::string& whole) {
  const std::string page = without_scripts(whole);
  const bool zooms = page.find("<div class=\"plot\">") != std::string::npos;
  CHECK(zooms == (whole.find("script-src 'sha256-") != std::string::npos));
  CHECK(zooms == (whole.find("The MIT License (MIT)") != std::string::npos));
  CHECK(first_fault(page) == "");
  CHECK(page.find("default-src 'none'") != std::string::npos);
  for (const char* outside : {"<script", "http://", "https://", "url(", "@import", "javascript:"}) {
    INFO(outside);
    CHECK(page.find(outside) == std::string::npos);
  }
  CHECK(whole.size() < 400'000);
}

}  // namespace

TEST_CASE("a report is one page without scripts or network, with every section that its result fills") {
  const auto [arguments, ids] = GENERATE(table<std::vector<std::string>, std::vector<std::string>>({
      {{}, {"overview", "bytes", "energy", "caches", "sharing", "origin"}},
      {{"order=timed"}, {"overview", "time", "bytes", "energy", "caches", "sharing", "origin"}},
      {{"order=timed", "coherence.interconnect=directory", "cores.count=16"},
       {"overview", "time", "latency", "beginning", "bytes", "energy", "caches", "traffic", "origin"}},
      {{"order=memory", "memory.preset=ddr4-3200", "workload.pattern=random", "workload.requests=2000"},
       {"overview", "latency", "beginning", "bytes", "energy"}},
      {{R"(expect=[{"at":"/stats/bus/transactions","equals":7999}])"}, {"expected", "origin"}},
  }));
  const std::string page = report_page(result_of(arguments));
  is_self_contained(page);
  for (const auto& id : ids) {
    INFO(id);
    CHECK(page.find("<section id=\"" + id + "\"") != std::string::npos);
  }
  if (arguments.empty()) CHECK(page.find("<section id=\"time\"") == std::string::npos);
}

TEST_CASE("a result of more than a hundred megabytes has its page within a second of computing") {
  const test::TemporaryFolder folder;
  Json result = result_of({"order=timed", "coherence.interconnect=directory"});
  const std::size_t nodes = 3000;
  const Json row(std::vector<int>(nodes, 12345));
  result["traffic"]["nodes"] = Json(std::vector<std::string>(nodes, "core"));
  result["traffic"]["messages"] = Json(std::vector<Json>(nodes, row));
  result["traffic"]["bytes"] = result["traffic"]["messages"];
  const std::string file = folder.write("result.json", result.dump());
  CHECK(std::filesystem::file_size(file) > 100'000'000);
  const auto run = test::run_shell("ulimit -t 1; \"$MESIM\" report '" + file + "'");  // seconds of CPU
  REQUIRE(run.status == 0);
  const std::string page = test::read_file(folder.path() + "/report.html");
  is_self_contained(page);
  CHECK(page.find("first 40 of") != std::string::npos);
}

TEST_CASE("names of inputs and variables cannot break out of a page") {
  Json result = result_of({});
  const std::string evil = "<script>alert(\"x\")</script>&'";
  result["name"] = evil;
  result["notes"] = {evil};
  result["inputs"] = {{{"path", evil}, {"records", 1}, {"sha256", evil}}};
  result["sharing"]["lines"] = {{{"address", evil}, {"variables", {evil}}, {"kind", "true"}}};
  is_self_contained(report_page(result));
}

TEST_CASE("the bar of every unit is as long as its cycles and divided among their owners") {
  const Json result = {{"ledgers",
                        {{"time",
                          {{"core0", {{"compute", 30}, {"memory", 10}, {"total", 40}}},
                           {"core1", {{"compute", 20}, {"total", 20}}}}}}}};
  const std::string body = time_html(result);
  CHECK(body.find("width=\"330.00\"") != std::string::npos);  // 30 of 40 cycles on 440 units
  CHECK(body.find("width=\"110.00\"") != std::string::npos);
  CHECK(body.find("width=\"220.00\"") != std::string::npos);
  CHECK(body.find("compute: 30 cycles, 75.0 %") != std::string::npos);
}

TEST_CASE("the overview says what bounds cores, memories and accelerators") {
  const auto overview = [](const Json& ledger) {
    return overview_html({{"complete", true},
                          {"config", {{"order", "memory"}}},
                          {"time", {{"cycles", 100}, {"simulated_ns", 50.0}}},
                          {"stats", Json::object()},
                          {"ledgers", {{"time", ledger}, {"energy_pj", Json::object()}}}});
  };
  CHECK(overview({{"core0", {{"busy", 40}, {"load_miss/memory", 60}, {"total", 100}}}})
            .find("Bound by <b>memory</b>: 60.0 %") != std::string::npos);
  CHECK(overview({{"memory0", {{"transfer", 30}, {"row wait", 70}, {"total", 100}}}})
            .find("Bound by <b>rows that had to be opened</b>: 70.0 %") != std::string::npos);
  const std::string engines = overview({{"load", {{"moving", 20}, {"buffer wait", 80}, {"total", 100}}},
                                        {"array0", {{"working", 90}, {"drain", 10}, {"total", 100}}}});
  CHECK(engines.find("Bound by <b>array0</b>: 90.0 %") != std::string::npos);
  CHECK(engines.find("Most of the time of array0 went to</p><ol><li><b>working</b>: 90.0 %") !=
        std::string::npos);
}

TEST_CASE("a curve's points stand at their place on the axes") {
  const std::string drawn = html::curves({"x", "y", true}, {{"a", {{1, 0}, {2, 50}, {4, 100}}}});
  CHECK(drawn.find("points=\"80.0,272.0 390.0,142.0 700.0,12.0 \"") != std::string::npos);
}

TEST_CASE("report and run write the same page; a file that is no result is refused") {
  const test::TemporaryFolder folder;
  const std::string out = folder.path() + "/run";
  REQUIRE(test::run_mesim({"run", MESIM_SOURCE_DIR "/configs/main.json", "--out", out}).status == 0);
  const std::string page = folder.path() + "/page.html";
  REQUIRE(test::run_mesim({"report", out, "-o", page}).status == 0);
  CHECK(test::read_file(page) == test::read_file(out + "/report.html"));
  CHECK(test::run_mesim({"report", MESIM_SOURCE_DIR "/configs/main.json"}).status == 2);
  CHECK(test::run_mesim({"report", folder.path() + "/nowhere"}).status == 5);
}

TEST_CASE("several results make one page that compares them") {
  const test::TemporaryFolder folder;
  std::vector<std::string> arguments = {"report"};
  for (const char* protocol : {"MSI", "MESI"}) {
    arguments.push_back(folder.path() + "/" + protocol);
    REQUIRE(test::run_mesim({"run", MESIM_SOURCE_DIR "/configs/main.json", "order=timed",
                             std::string("coherence.protocol=") + protocol, "--out", arguments.back()})
                .status == 0);
  }
  REQUIRE(test::run_mesim(arguments, folder.path()).status == 0);
  const std::string page = test::read_file(folder.path() + "/comparison.html");
  is_self_contained(page);
  CHECK(page.find("Why they differ") != std::string::npos);
  arguments.push_back("nowhere");
  CHECK(test::run_mesim(arguments, folder.path()).status == 5);
}

TEST_CASE("an exercise leaves its page and a page of each machine") {
  const test::TemporaryFolder folder;
  REQUIRE(test::run_mesim({"exercise", "run", "COH-01", "--out", folder.path()}).status == 0);
  const std::string at = folder.path() + "/COH-01/";
  const std::string page = test::read_file(at + "report.html");
  is_self_contained(page);
  CHECK(page.find("7999") != std::string::npos);
  for (const char* run : {"msi_packed", "mesi_padded"}) {
    CHECK(page.find(std::string("href=\"") + run + "/report.html\"") != std::string::npos);
    is_self_contained(test::read_file(at + run + "/report.html"));
  }
  REQUIRE(test::run_mesim({"report", at, "-o", at + "again.html"}).status == 0);
  CHECK(test::read_file(at + "again.html") == page);
}

TEST_CASE("a curve of many points keeps its peaks and a page's size") {
  html::Curve curve{"c", {}};
  for (int i = 0; i < 200'000; ++i) curve.points.emplace_back(i, i == 123'456 ? 1000.0 : i % 7);
  const std::string drawn = html::curves({"x", "y"}, {curve});
  CHECK(drawn.size() < 60'000);
  CHECK(drawn.find("[123456.0,1000.0]") != std::string::npos);
}

TEST_CASE("the page of a sweep draws each figure over the last key with numbers") {
  const test::TemporaryFolder folder;
  const std::string out = folder.path() + "/sweep";
  REQUIRE(test::run_mesim({"sweep", MESIM_SOURCE_DIR "/configs/sweeps/padding.json", "--out", out}).status ==
          0);
  const std::string page = test::read_file(out + "/report.html");
  is_self_contained(page);
  CHECK(page.find("time/cycles over workload.stride_bytes") != std::string::npos);
  CHECK(page.find("coherence.protocol=&quot;MSI&quot;") == std::string::npos);
  CHECK(page.find("coherence.protocol=MSI, cores.count=2") != std::string::npos);
}
