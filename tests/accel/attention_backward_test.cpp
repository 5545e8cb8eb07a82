// The gradients of attention against those of softmax(Q K^T / sqrt(d)) V in double precision, by the chain
// rule with whole matrices.
#include <catch2/catch.hpp>
#include <cmath>
#include <memory>

#include "accel/attention_mapper.hpp"
#include "accel/kernel_run.hpp"
#include "accel/tile_interpreter.hpp"
#include "sim/random.hpp"

using namespace mesim;
using namespace mesim::accel;

namespace {

using Matrix = std::vector<double>;

struct Gradients {
  Matrix queries, keys, values;
};

// What the forward pass leaves: results and the logarithms of the sums.
struct Head {
  std::vector<float> q, k, v, o, logarithms, d_o, products, d_q, d_k, d_v;
  Gradients wanted;
};

Head drawn_head(const AttentionMapper& mapper, std::uint64_t dim, Random& random) {
  const std::uint64_t rows = mapper.stacked_rows();
  const std::uint64_t keys = mapper.mask().keys;
  Head head;
  const auto fill = [&](std::vector<float>& to, std::uint64_t size) {
    for (std::uint64_t i = 0; i < size; ++i) to.push_back(static_cast<float>(random.below(2001)) / 500 - 2);
  };
  fill(head.q, rows * dim);
  fill(head.k, keys * dim);
  fill(head.v, keys * dim);
  fill(head.d_o, rows * dim);
  head.o.assign(rows * dim, 0);
  head.logarithms.assign(rows, 0);
  head.products.assign(rows, -9);
  head.d_q.assign(rows * dim, -9);
  head.d_k.assign(keys * dim, -9);
  head.d_v.assign(keys * dim, -9);
  head.wanted = {Matrix(rows * dim), Matrix(keys * dim), Matrix(keys * dim)};
  const double scale = 1 / std::sqrt(static_cast<double>(dim));
  for (std::uint64_t r = 0; r < rows; ++r) {
    Matrix weight(keys), gradient(keys);
    double sum = 0;
    for (std::uint64_t c = 0; c < keys; ++c) {
      if (!mapper.mask().sees(r, c)) continue;
      double score = 0;
      for (std::uint64_t d = 0; d < dim; ++d)
        score += static_cast<double>(head.q[r * dim + d]) * head.k[c * dim + d];
      sum += weight[c] = std::exp(score * scale);
    }
    head.logarithms[r] = static_cast<float>(std::log(sum));
    double product = 0;
    for (std::uint64_t c = 0; c < keys; ++c) {
      weight[c] /= sum;
      for (std::uint64_t d = 0; d < dim; ++d) {
        const double d_o = head.d_o[r * dim + d];
        head.o[r * dim + d] += static_cast<float>(weight[c] * head.v[c * dim + d]);
        gradient[c] += d_o * head.v[c * dim + d];
        head.wanted.values[c * dim + d] += weight[c] * d_o;
      }
      product += weight[c] * gradient[c];
    }
    for (std::uint64_t c = 0; c < keys; ++c) {
      const double of_score = weight[c] * (gradient[c] - product) * scale;
      for (std::uint64_t d = 0; d < dim; ++d) {
        head.wanted.queries[r * dim + d] += of_score * head.k[c * dim + d];
        head.wanted.keys[c * dim + d] += of_score * head.q[r * dim + d];
      }
    }
  }
  return head;
}

double difference(const std::vector<float>& got, const Matrix& wanted) {
  double worst = 0;
  for (std::size_t i = 0; i < got.size(); ++i) worst = std::max(worst, std::abs(got[i] - wanted[i]));
  return worst;
}

}  // namespace

// Single precision over a few dozen keys and queries, numbers of a few units.
TEST_CASE("the backward pass computes the gradients of attention: any shape, causal or not, shared heads") {
  Random random(41);
  for (int i = 0; i < 120; ++i) {
    OperatorConfig task;
    task.operation = "attention";
    task.backward = true;
    task.batch = 1 + random.below(2);
    task.kv_heads = 1 + random.below(3);
    task.heads = task.kv_heads * (1 + random.below(3));
    task.sequence = 1 + random.below(40);
    task.keys = random.chance(0.5) ? 0 : task.sequence + random.below(40);
    task.head_dim = 1 + random.below(12);
    task.causal = random.chance(0.5);
    task.block_rows = 1 + random.below(20);
    task.block_columns = 1 + random.below(20);
    AcceleratorConfig config;
    config.operand_bytes = 2;
    config.rows = static_cast<std::uint32_t>(1 + random.below(8));
    config.columns = static_cast<std::uint32_t>(1 + random.below(8));
    config.queue_depth = static_cast<std::uint32_t>(1 + random.below(12));
    const char* const memories[] = {"ideal", "bandwidth", "dram"};
    config.dma.memory = memories[random.below(3)];
    config.dma.latency_cycles = static_cast<std::uint32_t>(random.below(40));
    config.vector.latency_cycles = static_cast<std::uint32_t>(random.below(40));
    const AttentionMapper mapper(config, task, "test");
    std::vector<Head> heads;
    for (std::uint64_t h = 0; h < mapper.stacks(); ++h)
      heads.push_back(drawn_head(mapper, task.head_dim, random));
    std::vector<std::unique_ptr<MatrixView>> owned;
    std::vector<MemoryView*> views;
    const auto view = [&](std::vector<float>& data, std::uint64_t stride) {
      owned.push_back(std::make_unique<MatrixView>(data.data(), stride, 1));
      views.push_back(owned.back().get());
    };
    for (Head& head : heads) {
      view(head.q, task.head_dim);
      view(head.k, task.head_dim);
      view(head.v, task.head_dim);
      view(head.o, task.head_dim);
      view(head.logarithms, 1);
      views.push_back(nullptr);
      views.push_back(nullptr);
      view(head.d_o, task.head_dim);
      view(head.products, 1);
      view(head.d_q, task.head_dim);
      view(head.d_k, task.head_dim);
      view(head.d_v, task.head_dim);
    }
    const auto scale = static_cast<float>(1 / std::sqrt(static_cast<double>(task.head_dim)));
    TileInterpreter values(views, mapper.ring_slots(), {scale, mapper.mask()});
    const auto memory = make_transfer_memory(config, MemoryConfig(), "test");
    run_kernels(config, mapper, *memory, nullptr, &values);
    INFO(i << ": " << task.heads << '/' << task.kv_heads << ' ' << task.sequence << ' ' << task.keys << ' '
           << task.head_dim << ' ' << task.causal << ' ' << task.block_rows << ' ' << task.block_columns
           << ' ' << config.dma.memory);
    for (const Head& head : heads) {
      REQUIRE(difference(head.d_q, head.wanted.queries) < 2e-4);
      REQUIRE(difference(head.d_k, head.wanted.keys) < 2e-4);
      REQUIRE(difference(head.d_v, head.wanted.values) < 2e-4);
    }
  }
}
