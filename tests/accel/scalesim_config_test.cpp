// SCALE-Sim's configurations.
#include "accel/scalesim_config.hpp"

#include <catch2/catch.hpp>

#include "sim/error.hpp"
#include "sim/random.hpp"

using namespace mesim;
using namespace mesim::accel;

namespace {

const std::string google = R"([general]
run_name = GoogleTPU_v1_ws

[architecture_presets]
ArrayHeight:    256
ArrayWidth:     128
IfmapSramSzkB:   6144
FilterSramSzkB:  6144
OfmapSramSzkB:   2048
IfmapOffset:    0
Dataflow : ws
Bandwidth : 10,10,10
MemoryBanks:   1

[run_presets]
InterfaceBandwidth: )";

std::string fault_of(const std::string& text) {
  try {
    parse_scalesim_config({}, text, "x.cfg");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a configuration of SCALE-Sim sets array, dataflow, buffers and bandwidth") {
  const AcceleratorConfig calc = parse_scalesim_config({}, google + "CALC\n", "x.cfg");
  CHECK(calc.rows == 256);
  CHECK(calc.columns == 128);
  CHECK(calc.dataflow == "ws");
  CHECK(calc.sram.ifmap_bytes == 6144 * KiB);
  CHECK(calc.sram.ofmap_bytes == 2048 * KiB);
  CHECK(calc.dma.memory == "ideal");
  const AcceleratorConfig user = parse_scalesim_config({}, google + "USER\n", "x.cfg");
  CHECK(user.dma.memory == "bandwidth");
  CHECK(user.dma.read_bytes_per_cycle == 10);
}

TEST_CASE("what is no such configuration is told with its line") {
  CHECK(fault_of("[a]\nArrayHeight: 0\n").find("x.cfg:2:1: found '0', expected a number from 1") == 0);
  CHECK(
      fault_of("ArrayHeight: 8\nDataflow: wx\n").find("x.cfg:2:1: found 'wx', expected one of os, ws, is") ==
      0);
  CHECK(fault_of("ArrayHeight 8\n").find("x.cfg:1:1: found 'ArrayHeight 8'") == 0);
  CHECK(fault_of("[a]\n").find("no ArrayHeight") != std::string::npos);
  CHECK(fault_of("ArrayHeight: 8\nArrayHeight: 9\n")
            .find("x.cfg:2:1: the key 'arrayheight' for the second time") == 0);
  CHECK(fault_of("ArrayHeight: 8\nArrayWidht: 9\n").find("x.cfg:2:1: found the key 'arraywidht'") == 0);
  const std::string rows = "SparsitySupport: true\nOptimizedMapping: true\n";
  CHECK(fault_of("ArrayHeight: 8\nDataflow: ws\n" + rows)
            .find("x.cfg: OptimizedMapping is true, expected a Block") == 0);
  CHECK(fault_of("ArrayHeight: 8\nDataflow: os\n" + rows + "BlockSize: 4\n")
            .find("x.cfg: OptimizedMapping with the dataflow os, expected ws") == 0);
  for (const char* block : {"3", "16"}) {
    CHECK(fault_of("ArrayHeight: 8\nDataflow: ws\n" + rows + "BlockSize: " + block + "\n")
              .find(std::string("x.cfg:5:1: found a BlockSize of ") + block) == 0);
  }
  CHECK(fault_of("ArrayHeight: 8\nMemoryBanks: many\n").find("x.cfg:2:1: found 'many', expected a number") ==
        0);
}

TEST_CASE("the sparsity of a configuration says whether weights are left out, and whose number holds") {
  const auto with = [](const std::string& text) {
    return parse_scalesim_config({}, "ArrayHeight: 8\nDataflow: ws\n[sparsity]\n" + text, "x.cfg");
  };
  CHECK(with("").sparsity == "layer");
  CHECK(with("SparsitySupport: false\nOptimizedMapping: true\n").sparsity == "none");
  CHECK(with("SparsitySupport: true\nOptimizedMapping: false\n").sparsity == "layer");
  const AcceleratorConfig rows = with("SparsitySupport: true\nOptimizedMapping: true\nBlockSize: 4\n");
  CHECK(rows.sparsity == "row");
  CHECK(rows.sparsity_block == 4);
}

// Keys that SCALE-Sim's own parser stops for when they are missing, and what other versions of it have.
TEST_CASE("every section is read, and none has to be there") {
  const std::string every = google + R"(USER
UseRamulatorTrace = False

[layout]
IfmapCustomLayout = False
IfmapSRAMBankBandwidth = 10
FilterSRAMBankNum : 10

[sparsity]
SparsitySupport = false
SparseRep = ellpack_block
OptimizedMapping = false
BlockSize = 8
RandomNumberGeneratorSeed = 40
)";
  CHECK(fault_of(every).empty());
  CHECK(fault_of("ArrayHeight = 8\nIfmapOffset : 0\nFilterOffset : 10000000000\nNotes of my own: "
                 "1\nOnChipMemoryBanks : 4\n")
            .empty());
  const AcceleratorConfig config =
      parse_scalesim_config({}, every + "ReadRequestBuffer = 32\n[x]\n", "x.cfg");
  CHECK(config.dma.outstanding == 32);
  const AcceleratorConfig each =
      parse_scalesim_config({}, "ArrayHeight=8\nBandwidth=20,10,5\nInterfaceBandwidth=USER\n", "x.cfg");
  CHECK(each.dma.read_bytes_per_cycle == 20);
  CHECK(each.dma.write_bytes_per_cycle == 5);
  CHECK(parse_scalesim_config({}, "ArrayHeight=8\nUseRamulatorTrace=True\n", "x.cfg").dma.memory == "dram");
}

TEST_CASE("a damaged configuration is read or told of, whatever it holds") {
  Random random(71);
  const std::string pieces[] = {"\n", ":", "=", "[", ",", "-1", "99999999999999999999", std::string(1, '\0'),
                                "ws", "#"};
  for (int i = 0; i < 3000; ++i) {
    std::string text = google + "USER\nUseRamulatorTrace = False\n[sparsity]\nSparseRep = csr\n";
    for (std::uint64_t n = 1 + random.below(5); n > 0; --n) {
      const std::size_t at = random.below(text.size() + 1);
      if (random.chance(0.4)) {
        text.insert(at, pieces[random.below(std::size(pieces))]);
      } else if (random.chance(0.5)) {
        text.erase(at, random.below(30));
      } else if (at < text.size()) {
        text[at] = static_cast<char>(text[at] ^ (1 << random.below(8)));
      }
    }
    const std::string fault = fault_of(text);
    if (fault.empty()) continue;
    CHECK(fault.find("x.cfg") == 0);
    CHECK(fault.find('\n') == std::string::npos);
  }
}

TEST_CASE("what is no text is told in text, and a folder is told of") {
  CHECK(fault_of(std::string("\0\xff\n", 3)) ==
        "x.cfg:1:1: found '?\\xff', expected 'key : value' or '[section]'");
  CHECK(fault_of("ArrayHeight: " + std::string(1000, '9') + "\n").size() < 150);
  CHECK_THROWS_WITH(with_scalesim_config({}, "/"), Catch::Matchers::Contains("is a folder, expected a file"));
}
