// Number formats: every value of the small ones against their bits, and products in each format within the
// bound that its rounding allows.
#include "accel/element_type.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <set>

#include "accel/tile_interpreter.hpp"
#include "sim/random.hpp"
#include "tests/accel/systolic_helpers.hpp"

using namespace mesim;
using namespace mesim::accel;
using namespace mesim::test;

namespace {

// The values of a format by its bits: sign, exponent, significand (OFP8; IEEE 754).
std::set<double> all_values(int exponent_bits, int significand_bits, double greatest) {
  std::set<double> values;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  for (int exponent = 0; exponent < 1 << exponent_bits; ++exponent) {
    for (int significand = 0; significand < 1 << significand_bits; ++significand) {
      const double fraction = std::ldexp(significand, -significand_bits);
      const double value =
          exponent == 0 ? std::ldexp(fraction, 1 - bias) : std::ldexp(1 + fraction, exponent - bias);
      if (value > greatest) continue;
      values.insert(value);
      values.insert(-value);
    }
  }
  return values;
}

}  // namespace

TEST_CASE(
    "the formats of 8 and 16 bits have the values that their bits say, and others round to the nearest") {
  struct Format {
    ElementType type;
    int exponent_bits, significand_bits;
    double greatest;
  };
  Random random(51);
  for (const Format& format :
       {Format{ElementType::fp8_e4m3, 4, 3, 448}, Format{ElementType::fp8_e5m2, 5, 2, 57344},
        Format{ElementType::fp16, 5, 10, 65504}}) {
    const std::set<double> values =
        all_values(format.exponent_bits, format.significand_bits, format.greatest);
    std::uint64_t wrong = 0;
    for (const double value : values)
      wrong += rounded(format.type, static_cast<float>(value)) != value ? 1 : 0;
    for (int i = 0; i < 5000; ++i) {
      const auto value = static_cast<float>(std::ldexp(static_cast<double>(random.below(1 << 20)) - (1 << 19),
                                                       -static_cast<int>(random.below(40))));
      if (std::abs(value) > format.greatest) continue;
      const double got = rounded(format.type, value);
      const auto above = values.lower_bound(value);
      double nearest = *above;
      if (above != values.begin()) {
        const double below = *std::prev(above);
        if (value - below < nearest - value) nearest = below;
        if (value - below == nearest - value) continue;  // a tie: to the even one
      }
      wrong += values.count(got) == 0 || got != nearest ? 1 : 0;
    }
    INFO(format_of(format.type).name);
    CHECK(wrong == 0);
  }
  CHECK(rounded(ElementType::fp8_e4m3, 1000) == 448);
  CHECK(rounded(ElementType::fp8_e5m2, -1e6F) == -57344);
  CHECK(std::isinf(rounded(ElementType::fp16, 65520)));
  CHECK(rounded(ElementType::fp16, 65519) == 65504);
  CHECK(rounded(ElementType::bf16, 1.00390625F) == 1);  // halfway: to the even one
  CHECK(rounded(ElementType::bf16, 1.01171875F) == 1.015625F);
  CHECK(rounded(ElementType::tf32, 1.00048828125F) == 1);
  CHECK(rounded(ElementType::int8, 200) == 127);
  CHECK(rounded(ElementType::int8, -2.5F) == -2);
  CHECK(rounded(ElementType::int4, -9) == -8);
}

TEST_CASE("an element takes the bytes of its type, sums four") {
  AcceleratorConfig config;
  config.use(ElementType::int4);
  CHECK(config.operand_size(7) == 4);
  config.use(ElementType::tf32);
  CHECK(config.operand_size(7) == 28);
  config.use(ElementType::fp8_e5m2);
  CHECK(config.operand_size(7) == 7);
  CHECK(config.accumulator_bytes == 4);
}

// Elements are rounded where they lie in memory; products are exact in fp32, every addition of k rounds by
// half a last place of fp32, the result is rounded once more. Integers: exact.
TEST_CASE("a product in every format stays within the bound of its rounding") {
  Random random(52);
  for (const std::string& name : element_type_names()) {
    const ElementType type = element_type(name);
    if (type == ElementType::raw) continue;  // no format, no bound
    double closest = 0;
    for (int i = 0; i < 40; ++i) {
      AcceleratorConfig config;
      config.rows = static_cast<std::uint32_t>(1 + random.below(8));
      config.columns = static_cast<std::uint32_t>(1 + random.below(8));
      const char* const dataflows[] = {"os", "ws", "is"};
      config.dataflow = dataflows[random.below(3)];
      config.dma.memory = random.chance(0.5) ? "ideal" : "bandwidth";
      config.sram.chunk = static_cast<std::uint32_t>(1 + random.below(16));
      config.use(type);
      const std::uint64_t m = 1 + random.below(20), n = 1 + random.below(20), k = 1 + random.below(60);
      const bool integers = format_of(type).significand == 0;
      const auto drawn = [&](std::uint64_t size) {
        std::vector<float> out;
        for (std::uint64_t e = 0; e < size; ++e) {
          out.push_back(integers ? static_cast<float>(random.below(15)) - 7
                                 : static_cast<float>(random.below(4001)) / 1000 - 2);
        }
        return out;
      };
      std::vector<float> a = drawn(m * k), b = drawn(k * n), c(m * n, -1);
      MatrixView view_a(a.data(), k, 1), view_b(b.data(), n, 1), view_c(c.data(), n, 1);
      MatrixView view_at(a.data(), 1, k), view_bt(b.data(), 1, n), view_ct(c.data(), 1, n);
      std::vector<MemoryView*> views = {&view_a, &view_b, &view_c};
      if (config.dataflow == "is") views = {&view_bt, &view_at, &view_ct};
      TileInterpreter values(views, SystolicMapper(config, {m, n, k}, "test").ring_slots());
      values.round_to(type, {operand_partial});
      run_systolic(config, {m, n, k}, &values);
      for (std::uint64_t r = 0; r < m; ++r) {
        for (std::uint64_t column = 0; column < n; ++column) {
          double exact = 0;
          double sizes = 0;
          for (std::uint64_t d = 0; d < k; ++d) {
            const double term =
                static_cast<double>(rounded(type, a[r * k + d])) * rounded(type, b[d * n + column]);
            exact += term;
            sizes += std::abs(term);
          }
          // Integer results leave as numbers of their type.
          const double wanted = integers ? rounded(type, static_cast<float>(exact)) : exact;
          const double added = static_cast<double>(k) * std::ldexp(1, -24) * sizes;
          const int last_place =
              format_of(type).least_exponent - static_cast<int>(format_of(type).significand);
          const double bound = integers ? 0
                                        : added + unit_roundoff(type) * (std::abs(exact) + added) +
                                              std::ldexp(0.5, last_place);
          const double off = std::abs(c[r * n + column] - wanted);
          INFO(name << ' ' << m << ' ' << n << ' ' << k << ": " << c[r * n + column] << ", exactly "
                    << exact);
          REQUIRE(off <= bound);
          if (bound > 0) closest = std::max(closest, off / bound);
        }
      }
    }
    if (format_of(type).significand != 0) CHECK(closest > 0.01);  // the bound says something
  }
}

// 127 x 127 x 1040 is below 2^24, one term more is not always.
TEST_CASE("sums of integers are exact to 2^24, and beyond that an error") {
  const auto product = [](std::uint64_t k) {
    AcceleratorConfig config;
    config.rows = config.columns = 8;
    config.dataflow = "os";
    config.use(ElementType::int8);
    std::vector<float> a(k, 127), b(k, 127), c(1);
    MatrixView view_a(a.data(), k, 1), view_b(b.data(), 1, 1), view_c(c.data(), 1, 1);
    TileInterpreter values({&view_a, &view_b, &view_c},
                           SystolicMapper(config, {1, 1, k}, "test").ring_slots());
    values.round_to(ElementType::int8, {operand_partial, operand_c});
    run_systolic(config, {1, 1, k}, &values);
    return c[0];
  };
  CHECK(product(1040) == 127 * 127 * 1040);
  CHECK_THROWS_WITH(product(1041), Catch::Contains("a sum of int8 has come to 167902") &&
                                       Catch::Contains("expected at most 16777216"));
}
