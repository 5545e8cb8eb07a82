#include "app/trimmed_json.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "sim/random.hpp"

using namespace mesim;
using Json = nlohmann::ordered_json;

namespace {

Json random_value(Random& random, int depth) {
  const auto size = random.below(6);
  switch (depth == 0 ? random.below(3) : random.below(5)) {
    case 0:
      return random.next();
    case 1:
      return std::string("a\"\\]}[{,\n") + std::to_string(random.below(100));
    case 2:
      return nullptr;
    case 3: {
      Json list = Json::array();
      for (std::uint64_t i = 0; i < size; ++i) list.push_back(random_value(random, depth - 1));
      return list;
    }
    default: {
      Json object = Json::object();
      for (std::uint64_t i = 0; i < size; ++i)
        object["k,[" + std::to_string(i)] = random_value(random, depth - 1);
      return object;
    }
  }
}

void cut(Json& value, std::size_t most) {
  if (value.is_array() && value.size() > most)
    value.erase(value.begin() + static_cast<long>(most), value.end());
  if (value.is_structured()) {
    for (auto& inner : value) cut(inner, most);
  }
}

}  // namespace

TEST_CASE("a trimmed text is the same value with shorter arrays, indented or not") {
  Random random(5);
  for (int i = 0; i < 500; ++i) {
    Json value = random_value(random, 5);
    const std::string text = value.dump(i % 2 == 0 ? -1 : 2);
    CHECK(trimmed_json(text, 100) == text);
    const Json trimmed = Json::parse(trimmed_json(text, 2));
    cut(value, 2);
    if (trimmed != value) FAIL(text);
  }
}

TEST_CASE("what is no JSON stays none when it is trimmed") {
  for (const char* text : {"", "[", "[1,2,3", "\"abc", "]", "[1,\"", "\\"})
    CHECK_FALSE(Json::accept(trimmed_json(text, 1)));
}
