#include "sim/config_reader.hpp"

#include <catch2/catch.hpp>

#include "sim/config_writer.hpp"
#include "sim/error.hpp"
#include "sim/units.hpp"
#include "tests/sim/config_sample.hpp"

using mesim::ConfigSource;
using mesim::read_config;
using mesim::test::message_of;
using mesim::test::Sample;

namespace {

Sample read(const std::string& text, std::vector<std::string> overrides = {}) {
  return read_config<Sample>({"s.json", std::move(overrides), text});
}
std::string fault(const std::string& text, std::vector<std::string> overrides = {}) {
  return message_of([&] { read(text, overrides); });
}

}  // namespace

TEST_CASE("a config gives what it names and leaves the rest at the defaults") {
  const Sample s = read(R"({ // comment
    "$schema": "../schema.json", "name": "a", /* another */ "cache": {"ways": 4, "size_bytes": "64K"},
    "rate": 2.5e-1, "sizes": [1, 2], "list": [{"at": "/x"}, {"at": "/y", "limit": 3}]})");
  CHECK(s.name == "a");
  CHECK(s.cache.ways == 4);
  CHECK(s.cache.size_bytes == 64 * mesim::KiB);
  CHECK(s.cache.policy == "lru");
  CHECK(s.rate == 0.25);
  CHECK(s.sizes == std::vector<std::uint64_t>{1, 2});
  REQUIRE(s.list.size() == 2);
  CHECK(s.list[1].limit == 3);
  CHECK_FALSE(s.list[0].limit.has_value());
}

TEST_CASE("a byte-order mark and CRLF line ends are accepted, and places are still right") {
  CHECK(read("\xEF\xBB\xBF{\r\n\"name\": \"b\"\r\n}\r\n").name == "b");
  CHECK(fault("\xEF\xBB\xBF{\"nane\": 1}") == "s.json:1:2: /nane: unknown key; did you mean 'name'?");
  CHECK(fault("{\r\n  // c\r\n  \"nane\": 1}") == "s.json:3:3: /nane: unknown key; did you mean 'name'?");
  CHECK(fault("{\"name\": \"\xC3\xA4\xC3\xB6\", \"nane\": 1}") ==
        "s.json:1:16: /nane: unknown key; did you mean 'name'?");
}

TEST_CASE("a number that the field cannot hold exactly is refused, never converted") {
  const auto ways = [](const std::string& value) { return fault("{\"cache\":{\"ways\":" + value + "}}"); };
  const std::string at = "s.json:1:18: /cache/ways: found ";
  CHECK(ways("4.9") == at + "4.9, expected an integer from 1 to 64");
  CHECK(ways("-1") == at + "-1, expected an integer from 1 to 64");
  CHECK(ways("1e3") == at + "1e3, expected an integer from 1 to 64");
  CHECK(ways("8.0") == at + "8.0, expected an integer from 1 to 64");
  CHECK(ways("18446744073709551616") == at + "18446744073709551616, expected an integer from 1 to 64");
  CHECK(ways("\"4\"") == at + "'4', expected an integer from 1 to 64");
  CHECK(ways("null") == at + "null, expected an integer from 1 to 64");
  CHECK(ways("1e400") == at + "1e400, expected a number of magnitude at most 1.8e308");
  CHECK(fault("{\"factors\": [9007199254740993]}").find("that a double holds exactly") != std::string::npos);
  CHECK(fault("{\"rate\": 1e400}").find("/rate: found 1e400") != std::string::npos);
  CHECK(fault("{\"rate\": true}") ==
        "s.json:1:10: /rate: found true, expected a number of gbps from 0 to 1000");
  CHECK(fault("{\"small\": 256}") == "s.json:1:11: /small: found 256, expected an integer from 0 to 255");
}

TEST_CASE("a power of two names the nearest legal values") {
  const auto lines = [](const std::string& value) {
    return fault("{\"cache\":{\"line_bytes\":" + value + "}}");
  };
  CHECK(lines("48").find(
            "found 48, expected a power of two of bytes from 16 to 256; the nearest are 32 and 64") !=
        std::string::npos);
  CHECK(lines("0").find("found 0, expected a power of two of bytes from 16 to 256") != std::string::npos);
}

TEST_CASE("an unknown choice lists the names and the nearest") {
  CHECK(fault(R"({"cache":{"policy":"lur"}})") ==
        "s.json:1:20: /cache/policy: found 'lur', expected one of lru, random, fifo; did you mean 'lru'?");
  CHECK(read(R"({"cache":{"policy":"FIFO"}})").cache.policy == "fifo");
}

TEST_CASE("a duplicate key names both places") {
  CHECK(fault("{\"name\":\"a\",\n \"name\":\"b\"}") ==
        "s.json:2:2: /name: the key stands twice, first at 1:2");
  CHECK(fault("{\"list\":[{\"at\":\"a\"},{\"at\":\"b\",\"at\":\"c\"}]}")
            .find("/list/1/at: the key stands twice") != std::string::npos);
}

TEST_CASE("the first of several unknown keys in file order is reported, before broken rules") {
  CHECK(fault("{\"nane\": 1, \"cache\": {\"wayz\": 1}}").find("/nane") != std::string::npos);
  CHECK(fault("{\"cache\": {\"wayz\": 1}, \"nane\": 1}").find("/cache/wayz") != std::string::npos);
  CHECK(fault("{\"cache\": {\"size_bytes\": 49152, \"wayz\": 12}}").find("/cache/wayz") != std::string::npos);
}

TEST_CASE("a rule between fields points at its key") {
  CHECK(fault("{\"cache\":{\"size_bytes\": 1000}}") ==
        "s.json:1:25: /cache/size_bytes: 1000 bytes are not a multiple of 8 ways x 64 bytes");
  CHECK(fault("{\"cache\":{\"ways\": 7}}") ==
        "s.json:1:10: /cache/size_bytes: 32768 bytes are not a multiple of 7 ways x 64 bytes");
}

TEST_CASE("overrides address objects and lists, and are JSON or else words") {
  const std::string text = R"({"list": [{"at": "/x"}]})";
  CHECK(read(text, {"cache.ways=2", "cache.size_bytes=4K", "name=a b"}).cache.ways == 2);
  CHECK(read(text, {"cache.size_bytes=4K"}).cache.size_bytes == 4096);
  CHECK(read(text, {"list.0.at=/z"}).list[0].at == "/z");
  CHECK(read(text, {"list.1.at=/z"}).list.size() == 2);
  CHECK(read(text, {"/list/0/limit=7"}).list[0].limit == 7);
  CHECK(read("{}", {"list.0.at=/z", "list.1.at=/y"}).list.size() == 2);
  CHECK(read("{}", {"sizes=[1,2,3]"}).sizes.size() == 3);
  CHECK(read("{}", {"sizes=[1,2,3]", "sizes.1=9"}).sizes[1] == 9);
  CHECK(read("{}", {"name=2024"}).name == "2024");
  CHECK(read("{}", {"name=null"}).name == "null");
  CHECK(read("{}", {"name="}).name.empty());
}

TEST_CASE("a wrong override is quoted in its error") {
  CHECK(fault("{}", {"cache.ways=8.5"}) ==
        "cache.ways=8.5: /cache/ways: found 8.5, expected an integer from 1 to 64");
  CHECK(fault("{}", {"cache.wayz=8"}) == "cache.wayz=8: /cache/wayz: unknown key; did you mean 'ways'?");
  CHECK(fault("{}", {"cache.ways"}).find("expected PATH=VALUE") != std::string::npos);
  CHECK(fault("{}", {"cache..ways=1"}).find("empty key") != std::string::npos);
  CHECK(fault("{}", {"list.3.at=1"}) == "list.3.at=1: found element 3, expected 0 to 0");
  CHECK(fault("{}", {"name.x=1"}) == "name.x=1: /name: found an object, expected a string");
  CHECK(fault(R"({"cache": {"ways": 70}})", {"cache.policy=lru"}).find("s.json:1:20: /cache/ways") == 0);
}

TEST_CASE("paths are relative to the file that names them, on the command line to the working directory") {
  CHECK(read_config<Sample>({"dir/s.json", {}, R"({"input": "../t.txt"})"}).input.path == "t.txt");
  CHECK(read_config<Sample>({"dir/s.json", {"input=t.txt"}, "{}"}).input.path == "t.txt");
  CHECK(read_config<Sample>({"dir/s.json", {}, R"({"input": "/abs/t"})"}).input.path == "/abs/t");
}

TEST_CASE("syntax errors name line and column and show the line") {
  CHECK(fault("{\"name\":\"a\",}").find("s.json:1:13: trailing comma: found '}' after ','") == 0);
  CHECK(fault("{\"sizes\":[1,2,]}").find("s.json:1:15: trailing comma: found ']'") == 0);
  CHECK(fault("{\"name\":\"a\",}").find("\n    {\"name\":\"a\",}\n                ^") != std::string::npos);
  CHECK(fault("{\n\"cache\": {\"ways\": 1\n")
            .find("s.json:3:1: the text ends here, expected the '}' of the '{' at 2:10") == 0);
  CHECK(fault("{\"name\" \"a\"}").find("s.json:1:9: syntax error") == 0);
  CHECK(fault("{\"sizes\":[1,,2]}").find("s.json:1:13: syntax error") == 0);
  CHECK(fault("{\"rate\": NaN}").find("s.json:1:10: syntax error") == 0);
  CHECK(fault("{} x").find("s.json:1:4: syntax error") == 0);
  CHECK(fault("") == "s.json:1:1: nothing in it, expected a JSON object");
  CHECK(fault("// only a comment\n") == "s.json:1:1: nothing in it, expected a JSON object");
  CHECK(fault("[1]") == "s.json:1:1: found a list, expected an object");
  CHECK(fault(std::string("{}\0", 3)).find("s.json:1:3: found a NUL byte") == 0);
}

TEST_CASE("nesting beyond the limit is refused") {
  CHECK(fault("{\"any\": " + std::string(63, '[') + std::string(63, ']') + "}").empty());
  CHECK(fault("{\"any\": " + std::string(64, '[') + std::string(64, ']') + "}") ==
        "s.json:1:72: nested deeper than 64 levels");
  CHECK(fault(std::string(100000, '[')).find("nested deeper than 64 levels") != std::string::npos);
}

TEST_CASE("a resolved config reads back as the same struct") {
  const Sample s =
      read(R"({"name": "q\"\u00e4", "cache": {"ways": 4}, "rate": 0.1, "sizes": [3], "any": {"b": [1, null]},
                            "list": [{"at": "/x", "limit": 18}], "share": 0.30000000000000004})");
  const auto written = mesim::write_config(s);
  const Sample again = read(mesim::pretty_json(written));
  CHECK(mesim::write_config(again) == written);
  CHECK(again.rate == s.rate);
  CHECK(again.share == s.share);
  CHECK(again.any == R"({"b":[1,null]})");
  CHECK(written["cache"]["policy"] == "lru");
}
