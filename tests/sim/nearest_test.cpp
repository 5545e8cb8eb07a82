#include "sim/nearest.hpp"

#include <catch2/catch.hpp>

using mesim::nearest_name;

TEST_CASE("a name with one edit is recognised") {
  const std::vector<std::string> names = {"size_bytes", "ways", "line_bytes"};
  CHECK(nearest_name("wayz", names) == "ways");
  CHECK(nearest_name("szie_bytes", names) == "size_bytes");
  CHECK(nearest_name("Ways", names) == "ways");
}

TEST_CASE("a word unlike any name gets no suggestion") {
  CHECK_FALSE(nearest_name("prefetcher", {"size_bytes", "ways"}));
}

TEST_CASE("a name cut short or written out is recognised however much is missing") {
  const std::vector<std::string> names = {"ac", "accel", "coherence"};
  CHECK(nearest_name("accelerator", names) == "accel");
  CHECK(nearest_name("coh", names) == "coherence");
  CHECK_FALSE(nearest_name("co", {"coherence"}));
}
