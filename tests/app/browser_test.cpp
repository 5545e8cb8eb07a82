// Every kind of page in a real browser, as readers meet it: light, dark, on paper, on a narrow screen,
// without scripts, with a screen reader. It renders, nothing is refused or complains, it is small enough.
// playwright-core drives the browser; where npm did not bring it, chromium alone shows the pages.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/app/mesim_process.hpp"
#include "tests/shared_data.hpp"

using namespace mesim::test;
namespace fs = std::filesystem;
using Json = nlohmann::json;

namespace {

const std::string configs = MESIM_SOURCE_DIR "/configs";

bool browser_is_there() { return run_shell("chromium --version").status == 0; }

struct Shown {
  std::string dom;       // as the browser understood the page
  std::string messages;  // of the console
  std::uintmax_t picture_bytes = 0;
};

// `picture` empty: none is taken.
Shown show(const std::string& page, const std::string& more = "") {
  const std::string picture = page + ".png";
  const auto run = run_shell(
      fmt::format("home=$(mktemp -d); export HOME=$home; options='--headless --no-sandbox --disable-gpu "
                  "--hide-scrollbars "
                  "--disable-dev-shm-usage --user-data-dir='$home' --enable-logging=stderr {2}'; "
                  "chromium $options --window-size=1000,2400 --screenshot='{1}' 'file://{0}' 2>'{0}.log'; "
                  "chromium $options --dump-dom 'file://{0}' 2>>'{0}.log'; grep CONSOLE '{0}.log' >&2; rm "
                  "-rf \"$home\"; true",
                  page, picture, more));
  return {run.out, run.err, fs::exists(picture) ? fs::file_size(picture) : 0};
}

const std::string modules = MESIM_SOURCE_DIR "/build/npm/node_modules";

bool playwright_is_there() {
  return fs::exists(modules + "/playwright-core") && fs::exists(modules + "/axe-core") &&
         run_shell("node --version").status == 0;
}

struct WantedPage {
  std::string file;
  std::vector<std::string> sections;
  bool zooms = false;
};

void check_alone(const WantedPage& wanted) {
  const Shown shown = show(wanted.file);
  CHECK(shown.messages.empty());
  CHECK(shown.picture_bytes > 10'000);
  CHECK(shown.dom.find("</main>") != std::string::npos);
  CHECK((shown.dom.find("class=\"uplot") != std::string::npos) == wanted.zooms);
  for (const std::string& section : wanted.sections) {
    INFO(section);
    CHECK(shown.dom.find("id=\"" + section + "-title\"") != std::string::npos);
  }
}

void check_seen(const WantedPage& wanted, const Json& seen) {
  INFO(seen.dump(1));
  CHECK(seen.at("said").empty());    // console, refusals of the content security policy, requests
  CHECK(seen.at("reader").empty());  // violations of accessibility rules
  for (const char* way : {"light", "dark", "print", "narrow"}) CHECK(seen.at(way).at("bytes") > 10'000);
  CHECK(seen.at("dark").at("ink") == "rgb(232, 232, 232)");
  CHECK_FALSE(seen.at("narrow").at("wider_than_screen").get<bool>());
  CHECK(seen.at("print").at("zooms") == 0);
  CHECK(seen.at("plain").at("shown") == seen.at("plain").at("drawings"));
  for (const std::string& section : wanted.sections) {
    const auto& titles = seen.at("light").at("titles");
    INFO(section);
    CHECK(std::find(titles.begin(), titles.end(), section + "-title") != titles.end());
    if (section == "steps") CHECK(seen.at("plain").at("frames") == 1);
  }
  const Json& zoom = seen.at("light").at("zoom");
  REQUIRE(zoom.is_null() != wanted.zooms);
  if (zoom.is_null()) return;
  CHECK(zoom.at("plots") == zoom.at("drawings"));
  CHECK(zoom.at("key_zooms").get<bool>());
  CHECK(zoom.at("key_shows_all").get<bool>());
}

void check_pages(const std::vector<WantedPage>& pages) {
  std::string files;
  for (const WantedPage& page : pages) {
    INFO(page.file);
    REQUIRE(fs::exists(page.file));
    CHECK(fs::file_size(page.file) < 400'000);
    files += " '" + page.file + "'";
  }
  if (!playwright_is_there()) {
    WARN("playwright-core is not installed: pages are shown by chromium alone");
    for (const WantedPage& page : pages) check_alone(page);
    return;
  }
  const auto run = run_shell("node '" MESIM_SOURCE_DIR "/tests/app/browse.js' '" + modules +
                             "' \"$(command -v chromium)\"" + files);
  INFO(run.err);
  REQUIRE(run.status == 0);
  const Json seen = Json::parse(run.out);
  REQUIRE(seen.size() == pages.size());
  for (std::size_t i = 0; i < pages.size(); ++i) check_seen(pages[i], seen[i]);
  // To look at them: MESIM_PICTURES=folder
  if (const char* keep = std::getenv("MESIM_PICTURES")) {
    for (const WantedPage& page : pages) {
      const std::string name =
          fs::path(page.file).parent_path().filename().string() + "." + fs::path(page.file).stem().string();
      for (const char* way : {"light", "dark", "print", "plain", "narrow"})
        fs::copy_file(page.file + "." + way + ".png", fs::path(keep) / (name + "." + way + ".png"),
                      fs::copy_options::overwrite_existing);
    }
  }
}

void run_quietly(const std::vector<std::string>& arguments) {
  const auto run = run_mesim(arguments);
  INFO(run.err);
  REQUIRE((run.status == 0 || run.status == 1));
}

}  // namespace

TEST_CASE("every kind of page renders in a browser without a word on its console", "[slow]") {
  if (!browser_is_there()) return note_skipped();
  const TemporaryFolder folder;
  const std::string at = folder.path() + "/";
  std::vector<WantedPage> pages;
  const auto wants = [&](const std::string& file, std::vector<std::string> sections, bool zooms = false) {
    pages.push_back({at + file, std::move(sections), zooms});
  };

  run_quietly({"run", configs + "/main.json", "order=timed", "coherence.interconnect=directory",
               "cores.count=8", "network.topology=mesh", "workload.pattern=migratory", "workload.rounds=100",
               "--out", at + "mesh"});
  wants("mesh/report.html", {"overview", "time", "latency", "bytes", "energy", "caches", "traffic", "origin"},
        true);

  run_quietly({"run", configs + "/main.json", "order=timed", "--out", at + "bus"});
  wants("bus/report.html", {"overview", "time", "latency", "sharing"}, true);

  run_quietly({"compare", configs + "/main.json", "order=timed", "--vary",
               "coherence.protocol=MSI,MESI,MOESI", "--html", at + "compare.html"});
  wants("compare.html", {"overview", "time", "figures", "reasons"});

  run_quietly({"sweep", configs + "/sweeps/padding.json", "--out", at + "sweep"});
  wants("sweep/report.html", {"overview", "curves", "pareto", "points"}, true);

  run_quietly({"run", configs + "/main.json", "cores.count=2", "workload.rounds=5", "--step", "--step-html",
               at + "steps.html"});
  wants("steps.html", {"steps", "sums"});

  const std::string litmus =
      folder.write("SB.litmus",
                   "X86 SB\n{ }\n P0          | P1          ;\n MOV [x],$1  | MOV [y],$1  ;\n"
                   " MOV EAX,[y] | MOV EAX,[x] ;\nexists (0:EAX=0 /\\ 1:EAX=0)\n");
  run_quietly({"litmus", litmus, "--model", "sc,tso", "--explain", "--hardware",
               configs + "/hardware/tso.json", "--runs", "200", "--steps", "--html", at + "litmus.html"});
  wants("litmus.html", {"verdicts", "tests"});

  const std::string trace = folder.write("t.lackey", "I  1000,4\n L 2000,8\n S 2048,8\n L 2000,8\n");
  run_quietly({"trace", "curve", trace, "--html", at + "curve.html"});
  wants("curve.html", {"curve", "table"}, true);

  run_quietly({"run", configs + "/validation/dram.json", "workload.pattern=random", "workload.requests=2000",
               "--out", at + "dram"});
  wants("dram/report.html", {"overview", "time", "latency", "beginning", "bytes", "energy"}, true);

  run_quietly({"run", configs + "/validation/systolic.json", "--out", at + "systolic"});
  wants("systolic/report.html", {"overview", "time", "operators", "bytes", "energy"}, true);

  run_quietly({"exercise", "run", "COH-01", "MC-01", "--out", at + "exercises"});
  wants("exercises/COH-01/report.html", {"question", "figures", "answer", "expected", "runs"});
  wants("exercises/MC-01/report.html", {"question", "figures", "answer", "expected", "runs"});

  run_quietly({"report", at + "mesh", at + "bus", "-o", at + "two.html"});
  wants("two.html", {"overview", "time", "figures", "reasons"});

  check_pages(pages);
}

TEST_CASE("the browser's console is listened to: a script is refused aloud", "[slow]") {
  if (!browser_is_there()) return note_skipped();
  const TemporaryFolder folder;
  const std::string page = folder.write(
      "bad.html",
      "<!doctype html><meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'\">"
      "<title>x</title><script>document.title = 'y'</script><main></main>");
  CHECK(show(page).messages.find("Content Security Policy") != std::string::npos);
}
