// `mesim litmus` and `mesim litmus generate` as a user runs them.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/app/mesim_process.hpp"

using namespace mesim::test;
using Catch::Matchers::Contains;
using Json = nlohmann::json;

TEST_CASE("a generated test is a test that mesim litmus reads") {
  const TemporaryFolder folder;
  const Finished printed = run_mesim({"litmus", "generate", "SB+mfence+po"});
  REQUIRE(printed.status == 0);
  CHECK_THAT(printed.out, Contains("MFENCE") && Contains("exists (0:EAX=0 /\\ 1:EAX=0)"));
  const Finished written =
      run_mesim({"litmus", "generate", "SB+mfence+po", "PodWW Rfe PodRR Fre", "-o", folder.path()});
  REQUIRE(written.status == 0);
  CHECK(written.out.empty());
  CHECK(read_file(folder.path() + "/SB+mfence+po.litmus") == printed.out);
  const Finished run = run_mesim({"litmus", folder.path(), "--model", "tso", "--json"});
  REQUIRE(run.status == 0);
  const Json tests = Json::parse(run.out)["tests"];
  REQUIRE(tests.size() == 2);
  CHECK(tests[0]["name"] == "PodWW-Rfe-PodRR-Fre");
  CHECK(tests[0]["models"]["tso"]["verdict"] == "Forbid");
  CHECK(tests[1]["models"]["tso"]["verdict"] == "Allow");
}

TEST_CASE("a wrong name of a test to generate gets the nearest word") {
  const auto error = [](const std::string& name) {
    const Finished run = run_mesim({"litmus", "generate", name});
    CHECK(run.status == 2);
    CHECK(run.out.empty());
    return run.err;
  };
  CHECK_THAT(error("SB+mfance+po"), Contains("did you mean 'mfence'?"));
  CHECK_THAT(error("IRIV"), Contains("did you mean 'IRIW'?"));
  CHECK_THAT(error("PodWR Frr PodWR Fre"), Contains("did you mean 'Fre'?"));
  CHECK_THAT(error("PodWR Fre MFecedWR Fre"), Contains("did you mean 'MFence"));
  const Finished none = run_mesim({"litmus", "generate"});
  CHECK(none.status == 2);
  CHECK_THAT(none.err, Contains("SB+mfence+po") && Contains("--list"));
}

TEST_CASE("litmus --svg draws each explanation in a file of its test and model") {
  const TemporaryFolder folder;
  const std::string test = folder.write("sb.litmus", run_mesim({"litmus", "generate", "SB"}).out);
  const std::string copy = folder.write("again.litmus", run_mesim({"litmus", "generate", "SB"}).out);
  const std::string pictures = folder.path() + "/pictures";
  const Finished run = run_mesim({"litmus", test, copy, "--model", "sc,tso", "--explain", "--svg", pictures});
  REQUIRE(run.status == 0);
  for (const char* name : {"SB.sc.svg", "SB.tso.svg", "SB.sc.2.svg", "SB.tso.2.svg"})
    CHECK_THAT(read_file(pictures + "/" + name), Contains("<svg") && Contains("</svg>"));
  CHECK(run_mesim({"litmus", test, "--svg", pictures}).status == 2);
}

TEST_CASE(
    "litmus --hardware tells the steps of a forbidden run in the result, on the page and as a picture") {
  const TemporaryFolder folder;
  const std::string broken = MESIM_SOURCE_DIR "/configs/hardware/broken/fence-passes.json";
  const std::string test = broken.substr(0, broken.size() - 5) + ".litmus";
  const std::string page = folder.path() + "/page.html", pictures = folder.path() + "/pictures";
  const Finished run = run_mesim({"litmus", test, "--hardware", broken, "--runs", "200", "--steps", "--json",
                                  "--html", page, "--svg", pictures});
  CHECK(run.status == 1);
  const Json hardware = Json::parse(run.out)["tests"][0]["hardware"];
  const Json& outside = hardware["outside"][0];
  bool wrong = false;
  for (const Json& step : outside["steps"]) {
    CHECK(step.contains("cycle"));
    wrong |= step["kind"] == "wrong" && step["text"].get<std::string>().starts_with("a fence is passed");
  }
  CHECK(wrong);
  CHECK(outside["trace"].size() == outside["steps"].size());
  for (const Json& seen : hardware["seen"]) CHECK(seen["steps"].size() > 10);
  const std::string html = read_file(page);
  CHECK_THAT(html, Contains("forbidden</td>") && Contains("a fence is passed") && Contains("<svg") &&
                       !Contains("<script"));
  CHECK_THAT(read_file(fmt::format("{}/fence-passes.run{}.svg", pictures, outside["run"].get<int>())),
             Contains("a fence is passed"));
}

TEST_CASE("litmus --out keeps the document and the page beside each other") {
  const TemporaryFolder folder;
  const std::string test = folder.write("sb.litmus", run_mesim({"litmus", "generate", "SB"}).out);
  const std::string out = folder.path() + "/out";
  const Finished run = run_mesim({"litmus", test, "--model", "sc,tso", "--explain", "--out", out});
  REQUIRE(run.status == 0);
  CHECK(read_file(out + "/result.json") ==
        run_mesim({"litmus", test, "--model", "sc,tso", "--explain", "--states", "--json"}).out);
  CHECK_THAT(read_file(out + "/report.html"), Contains("</html>") && Contains("<svg"));
  CHECK(run_mesim({"report", out}).status == 2);  // its page is there already
}

TEST_CASE("interrupted litmus and exercise commands keep what is finished") {
  const TemporaryFolder folder;
  const std::string test = folder.write("sb.litmus", run_mesim({"litmus", "generate", "SB"}).out);
  std::string tests;
  for (int i = 0; i < 1000; ++i) tests += " sb.litmus";
  const auto stopped = [&](const std::string& command, const std::string& signal) {
    return run_shell("\"$MESIM\" " + command + " & p=$!; sleep 1; kill -" + signal + " $p; wait $p",
                     folder.path());
  };
  const Finished litmus =
      stopped("litmus" + tests +
                  " --json --out out --hardware '" MESIM_SOURCE_DIR "/configs/hardware/tso.json' --runs 3000",
              "INT");
  CHECK(litmus.status == 130);
  const Json document = Json::parse(litmus.out);
  CHECK(document["complete"] == false);
  CHECK(document["tests"].size() < 1000);
  for (const Json& entry : document["tests"]) CHECK(entry.contains("hardware"));
  CHECK(Json::parse(read_file(folder.path() + "/out/result.json"))["tests"].size() ==
        document["tests"].size());

  const Finished exercises = stopped("exercise check --json", "TERM");
  CHECK(exercises.status == 143);
  for (const Json& entry : Json::parse(exercises.out)["exercises"]) CHECK(entry["pass"] == true);
}
