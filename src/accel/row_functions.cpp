#include "accel/row_functions.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mesim::accel {
namespace {

constexpr float lowest = -std::numeric_limits<float>::infinity();

bool seen(const RowContext& rows, const BlockPlace& place, std::uint32_t row, std::uint32_t column) {
  return rows.mask.sees(place.query + row, place.key + column);
}

float greatest(Tile& scores, std::uint32_t row, const RowContext& rows, const BlockPlace& place,
               float so_far) {
  for (std::uint32_t c = 0; c < scores.columns; ++c) {
    if (seen(rows, place, row, c)) so_far = std::max(so_far, scores.at(row, c) * rows.scale);
  }
  return so_far;
}

// exp(a - b), where nothing was seen yet 0.
float shrunk(float a, float b) { return a == lowest ? 0 : std::exp(a - b); }

// Scores of a row become exp(score - maximum), times a factor; returns their sum without it.
float exponentials(Tile& scores, std::uint32_t row, const RowContext& rows, const BlockPlace& place,
                   float maximum, Tile& out) {
  float sum = 0;
  for (std::uint32_t c = 0; c < scores.columns; ++c) {
    const float weight =
        seen(rows, place, row, c) ? std::exp(scores.at(row, c) * rows.scale - maximum) : 0.0F;
    out.at(row, c) = weight;
    sum += weight;
  }
  return sum;
}

void scale_row(Tile& tile, std::uint32_t row, float factor) {
  for (std::uint32_t c = 0; c < tile.columns; ++c) tile.at(row, c) *= factor;
}

}  // namespace

void Tile::reset(std::uint32_t new_rows, std::uint32_t new_columns) {
  rows = new_rows;
  columns = new_columns;
  values.assign(std::size_t{rows} * columns, 0);
}

void softmax(Tile& scores, Tile& weights, const RowContext& rows, const BlockPlace& place) {
  if (&weights != &scores) weights.reset(scores.rows, scores.columns);
  for (std::uint32_t r = 0; r < scores.rows; ++r) {
    const float maximum = greatest(scores, r, rows, place, lowest);
    const float sum = exponentials(scores, r, rows, place, maximum, weights);
    scale_row(weights, r, 1 / sum);
  }
}

void running_block(Tile& scores, Tile& sums, Tile& results, bool first, const RowContext& rows,
                   const BlockPlace& place) {
  if (first) {
    sums.reset(scores.rows, 2);
    for (std::uint32_t r = 0; r < scores.rows; ++r) sums.at(r, 0) = lowest;
  }
  for (std::uint32_t r = 0; r < scores.rows; ++r) {
    const float before = sums.at(r, 0);
    const float maximum = greatest(scores, r, rows, place, before);
    const float factor = shrunk(before, maximum);
    sums.at(r, 0) = maximum;
    sums.at(r, 1) = sums.at(r, 1) * factor + exponentials(scores, r, rows, place, maximum, scores);
    if (!first) scale_row(results, r, factor);
  }
}

void running_finish(Tile& sums, Tile& results) {
  Tile logarithms;
  logarithms.reset(sums.rows, 1);
  for (std::uint32_t r = 0; r < results.rows; ++r) {
    scale_row(results, r, 1 / sums.at(r, 1));
    logarithms.at(r, 0) = sums.at(r, 0) + std::log(sums.at(r, 1));
  }
  sums = std::move(logarithms);
}

void rescaled_block(Tile& scores, Tile& sums, Tile& results, const RowContext& rows,
                    const BlockPlace& place) {
  for (std::uint32_t r = 0; r < scores.rows; ++r) {
    const float before = sums.at(r, 0);
    const float maximum = greatest(scores, r, rows, place, before);
    if (maximum == lowest) {  // the row sees nothing of the block, and saw nothing before
      for (std::uint32_t c = 0; c < scores.columns; ++c) scores.at(r, c) = 0;
      continue;
    }
    const float kept = sums.at(r, 1) * shrunk(before, maximum);
    const float sum = kept + exponentials(scores, r, rows, place, maximum, scores);
    scale_row(results, r, kept / sum);
    scale_row(scores, r, 1 / sum);
    sums.at(r, 0) = maximum;
    sums.at(r, 1) = sum;
  }
}

void recomputed_block(Tile& scores, Tile& logarithms, const RowContext& rows, const BlockPlace& place) {
  for (std::uint32_t r = 0; r < scores.rows; ++r) {
    exponentials(scores, r, rows, place, logarithms.at(r, 0), scores);
  }
}

void row_products(Tile& a, Tile& b, Tile& out) {
  out.reset(a.rows, 1);
  for (std::uint32_t r = 0; r < a.rows; ++r) {
    for (std::uint32_t c = 0; c < a.columns; ++c) out.at(r, 0) += a.at(r, c) * b.at(r, c);
  }
}

void gradient_block(Tile& gradient, Tile& products, Tile& weights, const RowContext& rows) {
  for (std::uint32_t r = 0; r < gradient.rows; ++r) {
    for (std::uint32_t c = 0; c < gradient.columns; ++c) {
      gradient.at(r, c) = weights.at(r, c) * (gradient.at(r, c) - products.at(r, 0)) * rows.scale;
    }
  }
}

void norm(Tile& in, Tile& out, bool centred) {
  out.reset(in.rows, in.columns);
  const auto size = static_cast<float>(in.columns);
  for (std::uint32_t r = 0; r < in.rows; ++r) {
    float mean = 0;
    for (std::uint32_t c = 0; centred && c < in.columns; ++c) mean += in.at(r, c) / size;
    float square = 0;
    for (std::uint32_t c = 0; c < in.columns; ++c) {
      const float off = in.at(r, c) - mean;
      square += off * off / size;
    }
    const float factor = 1 / std::sqrt(square + norm_epsilon);
    for (std::uint32_t c = 0; c < in.columns; ++c) out.at(r, c) = (in.at(r, c) - mean) * factor;
  }
}

void element_by_element(Tile& a, Tile& b, Tile& out, RowFunction function) {
  if (&a != &out) out.reset(a.rows, a.columns);
  for (std::size_t i = 0; i < std::min(a.values.size(), b.values.size()); ++i) {
    out.values[i] = function == RowFunction::add ? a.values[i] + b.values[i] : a.values[i] * b.values[i];
  }
}

void element_by_element(Tile& in, Tile& out, RowFunction function) {
  out.reset(in.rows, in.columns);
  const auto result = [function](float x) {
    if (function == RowFunction::relu) return std::max(x, 0.0F);
    if (function == RowFunction::gelu) return 0.5F * x * (1 + std::erf(x * std::sqrt(0.5F)));
    return function == RowFunction::silu ? x / (1 + std::exp(-x)) : x;
  };
  std::transform(in.values.begin(), in.values.end(), out.values.begin(), result);
}

void batch_norm(Tile& in, Tile& parameters, Tile& out) {
  out.reset(in.rows, in.columns);
  for (std::uint32_t r = 0; r < in.rows; ++r) {
    for (std::uint32_t c = 0; c < in.columns; ++c) {
      out.at(r, c) = in.at(r, c) * parameters.at(0, c) + parameters.at(1, c);
    }
  }
}

void rotary(Tile& in, Tile& out, std::uint64_t first_row, const RowContext& rows) {
  out = in;
  for (std::uint32_t r = 0; r < in.rows; ++r) {
    const auto position = static_cast<double>((first_row + r) / rows.rows_per_position);
    for (std::uint32_t c = 0; c + 1 < in.columns; c += 2) {
      const double angle = position * std::pow(10000.0, -static_cast<double>(c) / in.columns);
      const auto cosine = static_cast<float>(std::cos(angle));
      const auto sine = static_cast<float>(std::sin(angle));
      out.at(r, c) = in.at(r, c) * cosine - in.at(r, c + 1) * sine;
      out.at(r, c + 1) = in.at(r, c) * sine + in.at(r, c + 1) * cosine;
    }
  }
}

}  // namespace mesim::accel
