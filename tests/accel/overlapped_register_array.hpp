// The register array with a second set of weights: while a fold streams, the next one's weights move down,
// each column one cycle after the column beside it, and every multiplier changes over when the first row of
// the next fold reaches it. One register for each multiplier holds a weight that is passing or waiting.
#pragma once
#include "tests/accel/register_array.hpp"

namespace mesim::test {

class OverlappedWeightArray {
 public:
  OverlappedWeightArray(std::size_t rows, std::size_t columns)
      : rows_(rows),
        columns_(columns),
        weight_(zeros(rows, columns)),
        left_(rows, std::vector<Value>(columns)),
        sum_(rows, std::vector<Sum>(columns)),
        second_(rows, std::vector<Second>(columns)) {}

  // Folds one after another; out[f] gets a[f] times weights[f]. Returns the cycles.
  std::uint64_t run(const std::vector<Matrix>& weights, const std::vector<Matrix>& a,
                    std::vector<Matrix>& out) {
    std::size_t left_over = 0;
    for (const Matrix& fold : a) left_over += fold.size() * columns_;
    std::vector<std::size_t> fill_at(weights.size(), never_yet);
    std::vector<std::size_t> stream_at(weights.size(), never_yet);
    fill_at[0] = 0;
    std::size_t streaming = 0;  // the fold that streams or comes next
    std::size_t cycle = 0;
    for (; left_over != 0; ++cycle) {
      // A fold follows when the edge is free and its weights are in.
      if (streaming < a.size() && stream_at[streaming] == never_yet && cycle >= fill_at[streaming] + rows_ &&
          fill_at[streaming] != never_yet &&
          (streaming == 0 || cycle >= stream_at[streaming - 1] + a[streaming - 1].size())) {
        stream_at[streaming] = cycle;
        if (streaming + 1 < a.size()) fill_at[streaming + 1] = cycle;
        ++streaming;
      }
      left_over -= tick(cycle, weights, a, fill_at, stream_at, out);
    }
    return cycle;
  }

 private:
  static constexpr std::size_t never_yet = ~std::size_t{0};
  struct Value {
    long value = 0;
    bool first = false;  // of its fold
  };
  struct Sum {
    long value = 0;
    std::size_t fold = 0;
    std::size_t row = 0;
    bool valid = false;
  };
  struct Second {
    long value = 0;
    std::size_t to = 0;
    bool valid = false;
  };

  std::size_t tick(std::size_t cycle, const std::vector<Matrix>& weights, const std::vector<Matrix>& a,
                   const std::vector<std::size_t>& fill_at, const std::vector<std::size_t>& stream_at,
                   std::vector<Matrix>& out) {
    auto left = left_;
    auto sum = sum_;
    auto second = second_;
    std::size_t finished = 0;
    for (std::size_t r = 0; r < rows_; ++r) {
      for (std::size_t c = 0; c < columns_; ++c) {
        Value in = c != 0 ? left_[r][c - 1] : Value{};
        Sum above = r != 0 ? sum_[r - 1][c] : Sum{};
        for (std::size_t f = 0; f < a.size(); ++f) {
          if (stream_at[f] == never_yet || cycle < stream_at[f]) continue;
          const std::size_t since = cycle - stream_at[f];
          if (c == 0 && since >= r && since - r < a[f].size()) in = {a[f][since - r][r], since == r};
          if (r == 0 && since >= c && since - c < a[f].size()) above = {0, f, since - c, true};
        }
        left[r][c] = in;
        if (in.first) weight_[r][c] = second_[r][c].value;
        above.value += in.value * weight_[r][c];
        sum[r][c] = above;
        if (r + 1 == rows_ && above.valid) {
          out[above.fold][above.row][c] += above.value;
          ++finished;
        }
        // What comes into the second register: from the one above, if it only passes there; at the top a new
        // one.
        if (r != 0 && second_[r - 1][c].valid && second_[r - 1][c].to > r - 1)
          second[r][c] = second_[r - 1][c];
        for (std::size_t f = 0; r == 0 && f < weights.size(); ++f) {
          if (fill_at[f] == never_yet || cycle < fill_at[f] + c || cycle - fill_at[f] - c >= rows_) continue;
          const std::size_t to = rows_ - 1 - (cycle - fill_at[f] - c);
          second[0][c] = {weights[f][to][c], to, true};
        }
      }
    }
    left_ = std::move(left);
    sum_ = std::move(sum);
    second_ = std::move(second);
    return finished;
  }

  std::size_t rows_;
  std::size_t columns_;
  Matrix weight_;
  std::vector<std::vector<Value>> left_;
  std::vector<std::vector<Sum>> sum_;
  std::vector<std::vector<Second>> second_;
};

inline ArrayOutcome multiply_by_overlapped_registers(std::size_t rows, std::size_t columns, const Matrix& a,
                                                     const Matrix& b) {
  const std::size_t m = a.size();
  const std::size_t n = b[0].size();
  std::vector<Matrix> weights, streams, outs;
  for (std::size_t across = 0; across < n; across += columns) {
    for (std::size_t down = 0; down < b.size(); down += rows) {
      weights.push_back(part(b, down, across, rows, columns));
      streams.push_back(part(a, 0, down, m, rows));
      outs.push_back(zeros(m, columns));
    }
  }
  OverlappedWeightArray array(rows, columns);
  ArrayOutcome outcome{zeros(m, n), array.run(weights, streams, outs)};
  std::size_t fold = 0;
  for (std::size_t across = 0; across < n; across += columns) {
    for (std::size_t down = 0; down < b.size(); down += rows, ++fold) {
      for (std::size_t r = 0; r < m; ++r) {
        for (std::size_t c = 0; c < columns && across + c < n; ++c) {
          outcome.product[r][across + c] += outs[fold][r][c];
        }
      }
    }
  }
  return outcome;
}

}  // namespace mesim::test
