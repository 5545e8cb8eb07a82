#include "sim/config_description.hpp"

#include <catch2/catch.hpp>

#include "sim/config_explain.hpp"
#include "sim/config_schema.hpp"
#include "tests/sim/config_sample.hpp"

using Catch::Matchers::Contains;
using mesim::describe_config;
using mesim::test::message_of;
using mesim::test::Sample;

TEST_CASE("a key is explained with help, type, unit, default and range") {
  const auto root = describe_config<Sample>();
  CHECK(mesim::explain_config(root, "cache.ways") ==
        "cache.ways\n  associativity\n\n  type     integer\n  default  8\n  range    1 to 64\n");
  const auto size = mesim::explain_config(root, "/cache/size_bytes");
  CHECK_THAT(size, Contains("unit     bytes; also as \"32K\"") && Contains("default  32768") &&
                       Contains("range    64 to 1073741824"));
  CHECK_THAT(mesim::explain_config(root, "cache.line_bytes"), Contains("a power of two, 16 to 256"));
  CHECK_THAT(mesim::explain_config(root, "cache.policy"), Contains("one of lru, random, fifo"));
  CHECK_THAT(mesim::explain_config(root, "share"), Contains("number, or null") && Contains("default  null"));
  CHECK_THAT(mesim::explain_config(root, "list.7.limit"), Contains("the most it may be"));
  CHECK_THAT(mesim::explain_config(root, "cache"), Contains("cache.policy = \"lru\""));
}

TEST_CASE("without a path every key is listed, as text and as JSON") {
  const auto root = describe_config<Sample>();
  const auto text = mesim::explain_config(root, "");
  const auto json = mesim::explain_config_json(root, "");
  CHECK(json.size() == mesim::paths_of(root).size());
  for (const auto& [path, field] : mesim::paths_of(root)) CHECK_THAT(text, Contains(path));
}

TEST_CASE("a path that is none is refused with the nearest or the place of the same key") {
  const auto root = describe_config<Sample>();
  const auto fault = [&](const std::string& path) {
    return message_of([&] { mesim::explain_config(root, path); });
  };
  CHECK_THAT(fault("cache.wayz"), Contains("did you mean 'cache.ways'?"));
  CHECK_THAT(fault("ways"), Contains("did you mean cache.ways?"));
  CHECK_THAT(fault("zzz"), Contains("found 'zzz', expected a key of the config"));
}

TEST_CASE("the schema states types, ranges, choices and defaults and allows no other keys") {
  const auto schema = mesim::config_schema(describe_config<Sample>(), "sample");
  CHECK(schema["$schema"] == "http://json-schema.org/draft-07/schema#");
  CHECK(schema["additionalProperties"] == false);
  CHECK(schema["properties"].contains("$schema"));
  CHECK(schema["properties"].contains("include"));
  const auto& cache = schema["properties"]["cache"];
  CHECK(cache["additionalProperties"] == false);
  CHECK(cache["properties"]["ways"] ==
        nlohmann::ordered_json::parse(
            R"({"description":"associativity","type":"integer","minimum":1,"maximum":64,"default":8})"));
  CHECK(cache["properties"]["policy"]["enum"] == nlohmann::ordered_json({"lru", "random", "fifo"}));
  CHECK(cache["properties"]["line_bytes"]["anyOf"][0]["enum"] ==
        nlohmann::ordered_json({16, 32, 64, 128, 256}));
  CHECK(schema["properties"]["list"]["items"]["properties"].contains("limit"));
}
