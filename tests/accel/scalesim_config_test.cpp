// SCALE-Sim's configurations.
#include "accel/scalesim_config.hpp"

#include <catch2/catch.hpp>

#include "sim/error.hpp"

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
}
