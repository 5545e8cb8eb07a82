// `mesim trace info` and `mesim trace convert` as a user runs them.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/app/mesim_process.hpp"

using namespace mesim::test;

namespace {

const std::string lackey =
    "I  00400000,4\n L 1fff000008,8\nI  00400004,4\n M 1fff00003c,8\nI  00400008,2\n S 00001000,1\n";

}  // namespace

TEST_CASE("trace info: what a trace holds, as text and as JSON") {
  const TemporaryFolder folder;
  folder.write("t", lackey);
  const auto document = nlohmann::json::parse(run_mesim({"trace", "info", "t", "--json"}, folder.path()).out);
  CHECK(document["format"] == "lackey");
  CHECK(document["records"] == 6);
  CHECK(document["instructions"] == 3);
  CHECK(document["records_by_kind"]["modify"] == 1);
  CHECK(document["footprint"]["code"] == nlohmann::json({{"lines", 1}, {"bytes", 10}}));
  CHECK(document["footprint"]["data"] ==
        nlohmann::json({{"lines", 3}, {"bytes", 17}}));  // the modify crosses lines
  CHECK(document["bits_per_record"] == Approx(8.0 * static_cast<double>(lackey.size()) / 6));
  const Finished text = run_mesim({"trace", "info", "t"}, folder.path());
  CHECK(text.status == 0);
  CHECK(text.out.find("data touched 3 lines of 64 bytes, 17 bytes\n") != std::string::npos);
}

TEST_CASE("trace convert: the ending of the output names its format") {
  const TemporaryFolder folder;
  folder.write("t", lackey);
  for (const auto& [out, format] : {std::pair{"u.din", "din"}, {"u.lackey", "lackey"}, {"u", "mtr"}}) {
    CHECK(run_mesim({"trace", "convert", "t", out}, folder.path()).status == 0);
    const Finished info = run_mesim({"trace", "info", out, "--format", format, "--json"}, folder.path());
    CHECK(info.status == 0);
  }
}

TEST_CASE("trace convert: to mtr and back is the same text") {
  const TemporaryFolder folder;
  folder.write("t", lackey);
  const Finished there = run_mesim({"trace", "convert", "t", "t.mtr"}, folder.path());
  CHECK(there.status == 0);
  CHECK(there.out == "t.mtr: 6 records of lackey as mtr\n");
  const Finished back = run_mesim({"trace", "convert", "t.mtr", "u", "--to", "lackey"}, folder.path());
  CHECK(back.out == "u: 6 records of mtr as lackey\n");
  CHECK(read_file(folder.path() + "/u") == lackey);
}

TEST_CASE("trace convert: what another format cannot say is told") {
  const TemporaryFolder folder;
  folder.write("t", lackey);
  const Finished din = run_mesim({"trace", "convert", "t", "t.din", "--to", "din"}, folder.path());
  CHECK(din.out ==
        "t.din: 6 records of lackey as din\n  lost: 5 sizes dropped\n  lost: 3 program counters dropped\n");
  CHECK(read_file(folder.path() + "/t.din") ==
        "2 400000\n0 1fff000008\n2 400004\n0 1fff00003c\n1 1fff00003c\n2 400008\n1 1000\n");
  const Finished few = run_mesim({"trace", "convert", "t", "t.mtr", "--limit", "9"}, folder.path());
  CHECK(few.out.find("t: the trace is shorter than asked: 6 records of 9") != std::string::npos);
}
