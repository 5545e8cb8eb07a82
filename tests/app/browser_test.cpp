// Every kind of page in a real browser: it renders, nothing is refused or complains, it is small enough, and
// it reaches its end without a script.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "tests/app/mesim_process.hpp"
#include "tests/shared_data.hpp"

using namespace mesim::test;
namespace fs = std::filesystem;

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

void check_page(const std::string& page, const std::vector<std::string>& sections) {
  INFO(page);
  REQUIRE(fs::exists(page));
  CHECK(fs::file_size(page) < 400'000);
  const Shown shown = show(page);
  CHECK(shown.messages.empty());
  CHECK(shown.picture_bytes > 10'000);
  CHECK(shown.dom.find("</main>") != std::string::npos);
  for (const std::string& section : sections) {
    INFO(section);
    CHECK(shown.dom.find("id=\"" + section + "-title\"") != std::string::npos);
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

  run_quietly({"run", configs + "/main.json", "order=timed", "coherence.interconnect=directory",
               "cores.count=8", "network.topology=mesh", "workload.pattern=migratory", "workload.rounds=100",
               "--out", at + "mesh"});
  check_page(at + "mesh/report.html",
             {"overview", "time", "latency", "bytes", "energy", "caches", "traffic", "origin"});

  run_quietly({"run", configs + "/main.json", "order=timed", "--out", at + "bus"});
  check_page(at + "bus/report.html", {"overview", "time", "latency", "sharing"});

  run_quietly({"compare", configs + "/main.json", "order=timed", "--vary",
               "coherence.protocol=MSI,MESI,MOESI", "--html", at + "compare.html"});
  check_page(at + "compare.html", {"overview", "time", "figures", "reasons"});

  run_quietly({"sweep", configs + "/sweeps/padding.json", "--out", at + "sweep"});
  check_page(at + "sweep/report.html", {"overview", "curves", "pareto", "points"});

  run_quietly({"run", configs + "/main.json", "cores.count=2", "workload.rounds=5", "--step", "--step-html",
               at + "steps.html"});
  check_page(at + "steps.html", {"steps", "sums"});

  const std::string litmus =
      folder.write("SB.litmus",
                   "X86 SB\n{ }\n P0          | P1          ;\n MOV [x],$1  | MOV [y],$1  ;\n"
                   " MOV EAX,[y] | MOV EAX,[x] ;\nexists (0:EAX=0 /\\ 1:EAX=0)\n");
  run_quietly({"litmus", litmus, "--model", "sc,tso", "--explain", "--html", at + "litmus.html"});
  check_page(at + "litmus.html", {"verdicts", "tests"});

  const std::string trace = folder.write("t.lackey", "I  1000,4\n L 2000,8\n S 2048,8\n L 2000,8\n");
  run_quietly({"trace", "curve", trace, "--html", at + "curve.html"});
  check_page(at + "curve.html", {"curve", "table"});
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
