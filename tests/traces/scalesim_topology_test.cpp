// SCALE-Sim's topology files: those that its own loader reads, those that stop it, and what is no layer.
#include "traces/operators/scalesim_topology.hpp"

#include <catch2/catch.hpp>

#include "sim/error.hpp"
#include "sim/random.hpp"
#include "traces/operators/operator_limits.hpp"

using namespace mesim;

namespace {

std::vector<OperatorLayer> parsed(const std::string& text, const std::vector<std::string>& symbols = {}) {
  return parse_scalesim_topology(text, "net.csv", symbols);
}

std::string fault_of(const std::string& text, const std::vector<std::string>& symbols = {}) {
  try {
    parsed(text, symbols);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

const std::string conv_titles =
    "Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, Strides,\n";

}  // namespace

TEST_CASE("a convolution is the GEMM of its windows") {
  const auto layers = parsed(conv_titles + "Conv1, 224, 224, 7, 7, 3, 64, 2,\n");
  REQUIRE(layers.size() == 1);
  CHECK(layers[0].name == "Conv1");
  const GemmShape gemm = layers[0].as_gemm();
  CHECK(gemm.m == 110 * 110);  // ceil((224 - 7 + 2) / 2)
  CHECK(gemm.n == 64);
  CHECK(gemm.k == 7 * 7 * 3);
}

TEST_CASE("a GEMM topology is told by its titles") {
  const auto layers = parsed("Layer,M,N,K,\nQKT,1024,512,64,\n\nQKTV,1024,64,512\n");
  REQUIRE(layers.size() == 2);
  CHECK(layers[1].as_gemm().n == 64);
  CHECK(layers[0].as_gemm().macs() == 1024 * 512 * 64);
}

TEST_CASE("what stops SCALE-Sim's own loader is read") {
  // Blank rows, titles of sections, further columns, a byte order mark, carriage returns, tabs, a batch size.
  CHECK(
      parsed("\xef\xbb\xbf" + conv_titles + ",,,,,,,,\r\nAlphaGoZero,\r\nConv, 19, 19, 3, 3, 17, 256, 1,\r\n")
          .size() == 1);
  CHECK(parsed("Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, "
               "Strides,,,Eh,Ew,e2\n,,,,,,,,,,,,\nConv1,224,224,7,7,3,64,2,,,110,110,12100\n")
            .size() == 1);
  CHECK(parsed("Layer name\tH\tW\tFH\tFW\tC\tN\tS\nConv\t19\t19\t3\t3\t17\t256\t1\n")[0].as_gemm().k == 153);
  const auto batched = parsed(
      "Layer name, H, W, FH, FW, Channels, Num Filter, Strides, Batch Size,\n"
      "Conv, 10, 10, 3, 3, 4, 8, 1, 16,\n");
  CHECK(batched[0].as_gemm().m == 16 * 64);
  CHECK(parsed(conv_titles + "igate, 1, B, 1, 1, H, H, 1,\n", {"B=8", "H=256"})[0].as_gemm().k == 256);
  CHECK(parsed(conv_titles + "FC, 1, 1, 1, ,1 3, 2, 1,\n")[0].as_gemm().k == 3);
  CHECK(parsed(conv_titles + "Conv_DP1, 10, 10, 3, 3, 4, 1, 1,\n")[0].as_gemm().batch == 4);
}

TEST_CASE("N:M sparsity stands behind the sizes") {
  const auto layers = parsed("Layer, M, N, K, Sparsity,\nA, 8, 8, 64, 2:4,\nB, 8, 8, 64,\n");
  CHECK(layers[0].kept == 2);
  CHECK(layers[0].of == 4);
  CHECK(layers[1].of == 1);
}

TEST_CASE("a line that is no layer is told with its place and what was expected") {
  CHECK(fault_of(conv_titles + "Conv, 19, 19, 3, 3, 17,\n").find("net.csv:2:") == 0);
  CHECK(fault_of(conv_titles + "Conv, 19, 19, 3, 3, 17,\n").find("no filters") != std::string::npos);
  CHECK(fault_of(conv_titles + "Conv, 19, x9, 3, 3, 17, 8, 1,\n")
            .find("net.csv:2:11: ifmap width: found 'x9'") == 0);
  CHECK(fault_of(conv_titles + "Conv, 2, 19, 3, 3, 17, 8, 1,\n").find("filter's height is 3") !=
        std::string::npos);
  CHECK(fault_of(conv_titles + "Conv, 9, 19, 3, 3, 0, 8, 1,\n").find("channels is 0") != std::string::npos);
  CHECK(fault_of("Layer,M,N,K,\nA,1,2,3,5:4,\n").find("sparsity: found '5:4'") != std::string::npos);
  CHECK(fault_of("Conv, 19, 19, 3, 3, 17, 8, 1,\n").find("no line of titles") != std::string::npos);
  CHECK(fault_of(conv_titles).find("no layer in it") != std::string::npos);
}

TEST_CASE("a damaged topology is read or told of with its line, whatever it holds") {
  Random random(72);
  const std::string pieces[] = {
      "\n",  ",",  ",,,,", " ",  "\t", "-1", "99999999999999999999", std::string(1, '\0'),
      "2:4", "DP", "B",    "\r", "1 2"};
  const std::string seeds[] = {
      conv_titles + "Conv1, 224, 224, 7, 7, 3, 64, 2,\n,,,,,,,\nsection\nDP2, 14, 14, 3, 3, 512, 1, 1,\n",
      "Layer,M,N,K,\nQKT,1024,512,64,\n\nQKTV,1024,64,512,2:4\n"};
  std::uint64_t read = 0;
  for (int i = 0; i < 4000; ++i) {
    std::string text = seeds[random.below(2)];
    for (std::uint64_t n = 1 + random.below(4); n > 0; --n) {
      const std::size_t at = random.below(text.size() + 1);
      if (random.chance(0.4)) {
        text.insert(at, pieces[random.below(std::size(pieces))]);
      } else if (random.chance(0.5)) {
        text.erase(at, random.below(12));
      } else if (at < text.size()) {
        text[at] = static_cast<char>(text[at] ^ (1 << random.below(8)));
      }
    }
    try {
      // What is read is a layer that can be run.
      for (const OperatorLayer& layer : parsed(text)) {
        const GemmShape gemm = layer.as_gemm();
        CHECK(gemm.batch * gemm.m * gemm.n * gemm.k > 0);
        CHECK(layer.kept <= layer.of);
      }
      ++read;
    } catch (const Error& error) {
      const std::string fault = error.what();
      CHECK(fault.find("net.csv") == 0);
      CHECK(fault.find('\n') == std::string::npos);
    }
  }
  CHECK(read > 400);
}

TEST_CASE("lists of layers that no run could count or hold are told of") {
  OperatorLayer layer{.name = "wide", .shape = GemmShape{1, 1'000'000'000, 1'000'000'000, 1'000'000'000}};
  CHECK_THROWS_WITH(require_countable({layer}, {"net.csv"}, ""),
                    Catch::Matchers::Contains("net.csv: with 'wide' it comes to 1e+27 products"));
  layer.shape = GemmShape{1, 1'000'000'000, 60'000'000, 1};
  CHECK_NOTHROW(require_countable({layer}, {"net.csv"}, ""));
  CHECK_THROWS_WITH(require_countable({layer, layer}, {"net.csv"}, ""), Catch::Matchers::Contains("1.2e+17"));
  CHECK_THROWS_WITH(require_countable(std::vector<OperatorLayer>(1'000'000), {"net.csv"}, ""),
                    Catch::Matchers::Contains("1000000 layers, expected at most 20000"));
}
