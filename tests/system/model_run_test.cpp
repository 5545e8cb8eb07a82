// Whole networks on an accelerator: what stands for each operator adds up to what stands for all.
#include <catch2/catch.hpp>

#include "sim/result.hpp"
#include "tests/system/run_helpers.hpp"

using namespace mesim;
using namespace mesim::test;
using Json = nlohmann::ordered_json;

namespace {

Json run_model(std::vector<std::string> overrides) {
  overrides.insert(
      overrides.begin(),
      {"order=accelerator", "accel.rows=128", "accel.columns=128", "accel.dataflow=ws",
       "accel.overlap_folds=true", "accel.sram.ifmap_bytes=4M", "accel.sram.filter_bytes=1M",
       "accel.sram.ofmap_bytes=4M", "accel.sram.scratchpad_bytes=8M", "accel.dma.memory=bandwidth",
       "accel.dma.read_bytes_per_cycle=300", "accel.dma.write_bytes_per_cycle=300"});
  return result_document(run_with(overrides));
}

double sum(const Json& operators, const char* figure) {
  double all = 0;
  for (const auto& [name, op] : operators.items())
    all += op.at(Json::json_pointer("/" + std::string(figure))).get<double>();
  return all;
}

void check_sums(const Json& result) {
  const Json& operators = result.at("stats").at("operators");
  const Json& model = result.at("stats").at("model");
  CHECK(model.at("operators") == operators.size());
  CHECK(sum(operators, "cycles") == result.at("time").at("cycles").get<double>());
  CHECK(sum(operators, "parameters") == model.at("parameters").get<double>());
  CHECK(sum(operators, "macs") == model.at("array_macs").get<double>());
  const Json& link = result.at("ledgers").at("bytes").at("memory");
  CHECK(sum(operators, "read_bytes") == link.at("read").get<double>());
  CHECK(sum(operators, "written_bytes") == link.at("written").get<double>());
  CHECK(sum(operators, "energy_pj/total") ==
        Approx(result.at("ledgers").at("energy_pj").at("total").get<double>()).epsilon(1e-9));
}

}  // namespace

TEST_CASE("time, bytes and energy of a network's operators add up to those of the network") {
  for (const char* network : {"alexnet", "resnet-18", "resnet-50", "vit-b-16"}) {
    INFO(network);
    const Json result = run_model({std::string("model.preset=") + network, "workload.batch=2"});
    check_sums(result);
    const Json& model = result.at("stats").at("model");
    CHECK(model.at("macs") == model.at("array_macs"));
    CHECK(model.at("read_bytes").get<double>() + model.at("written_bytes").get<double>() >=
          model.at("compulsory_bytes").get<double>());
  }
  check_sums(run_model({"model.preset=gpt-2", "workload.sequence=256"}));
  check_sums(run_model({"model.preset=gpt-2", "workload.sequence=256", "workload.phase=decode"}));
}

TEST_CASE("each way to convolve does the network's work, winograd with fewer products") {
  std::uint64_t before = 0;
  for (const char* method : {"windows", "im2col", "direct", "winograd"}) {
    INFO(method);
    const Json result = run_model({"model.preset=resnet-18", std::string("workload.method=") + method});
    check_sums(result);
    const Json& model = result.at("stats").at("model");
    CHECK(model.at("macs") == 1'814'073'344);
    const auto macs = model.at("array_macs").get<std::uint64_t>();
    CHECK((std::string(method) == "winograd") == (macs < 1'814'073'344));
    if (before != 0) CHECK(model.at("read_bytes") != before);
    before = model.at("read_bytes").get<std::uint64_t>();
  }
}

// All weights of the model come once for each token, in every type; the cache of keys and values beside them.
TEST_CASE("a step of decoding moves the weights and the cache, a number of half the bits half as much") {
  const std::vector<std::string> step = {"model.preset=gpt-2", "workload.phase=decode",
                                         "workload.sequence=511"};
  std::uint64_t bytes[3] = {};
  std::size_t at = 0;
  for (const char* type : {"fp16", "fp8_e4m3", "int4"}) {
    std::vector<std::string> overrides = step;
    overrides.push_back(std::string("workload.dtype=") + type);
    const Json result = run_model(overrides);
    std::uint64_t weights = 0;
    std::uint64_t cache = 0;
    for (const auto& [name, op] : result.at("stats").at("operators").items()) {
      if (op.contains("filter")) weights += op.at("filter").at("read_bytes").get<std::uint64_t>();
      if (op.contains("keys")) cache += op.at("keys").at("read_bytes").get<std::uint64_t>();
      if (op.contains("values")) cache += op.at("values").at("read_bytes").get<std::uint64_t>();
    }
    const std::uint64_t bits = std::string(type) == "fp16" ? 16 : std::string(type) == "int4" ? 4 : 8;
    // Products of 12 layers, and the table of tokens for the output, whose odd rows end at a whole byte.
    CHECK(weights == (12ull * 12 * 768 * 768 + 50257ull * 768) * bits / 8 + (bits == 4 ? 768 / 2 : 0));
    CHECK(cache == 12ull * 2 * 768 * 512 * bits / 8);
    bytes[at++] = weights + cache - (bits == 4 ? 768 / 2 : 0);
  }
  CHECK(bytes[0] == 2 * bytes[1]);
  CHECK(bytes[1] == 2 * bytes[2]);
}

TEST_CASE("activations apart from the products cost traffic of their own") {
  const Json together = run_model({"model.preset=resnet-18"});
  const Json apart = run_model({"model.preset=resnet-18", "model.fused=false"});
  check_sums(apart);
  CHECK(apart.at("stats").at("operators").contains("conv2.0.conv1.relu"));
  CHECK(apart.at("stats").at("model").at("written_bytes") >
        together.at("stats").at("model").at("written_bytes"));
  CHECK(apart.at("time").at("cycles") > together.at("time").at("cycles"));
}

TEST_CASE("the host's overhead counts once for each operator") {
  const Json without = run_model({"model.preset=alexnet"});
  const Json with = run_model({"model.preset=alexnet", "workload.host_overhead_us=5"});
  CHECK(with.at("time").at("cycles") == without.at("time").at("cycles"));
  CHECK(with.at("time").at("simulated_ns").get<double>() ==
        Approx(without.at("time").at("simulated_ns").get<double>() + 11 * 5000));
}

TEST_CASE("every network that is shipped runs on every accelerator that is shipped") {
  for (const char* accelerator : {"tpu-v1", "tpu-v4"}) {
    std::uint64_t parameters = 0;
    for (const char* network : {"alexnet", "resnet-18", "resnet-50", "gpt-2", "vit-b-16", "llama3.1-8b"}) {
      const RunResult run = run_with({"order=accelerator", std::string("accel.preset=") + accelerator,
                                      "accel.sram.scratchpad_bytes=8M",
                                      std::string("model.preset=") + network, "workload.sequence=128"});
      INFO(accelerator << ' ' << network);
      CHECK(run.complete);
      const StatNode* model = run.stats.component("model");
      REQUIRE(model != nullptr);
      // What a causal mask leaves out is not multiplied.
      CHECK(model->count("array_macs") <= model->count("macs"));
      CHECK(model->count("array_macs") > model->count("macs") / 10 * 9);
      // Weights come once at least; embeddings are looked up.
      CHECK(model->count("read_bytes") > model->count("parameters") / 2);
      parameters += model->count("parameters");
    }
    CHECK(parameters == 61'100'840 + 11'689'512 + 25'557'032 + 124'439'808 + 86'567'656 + 8'030'261'248);
  }
}
