// A systolic array moved register by register, values included: the slow, obvious counterpart of the
// machine's array. Every `tick` is a cycle. Matrices are vectors of rows.
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

namespace mesim::test {

using Matrix = std::vector<std::vector<long>>;

inline Matrix zeros(std::size_t rows, std::size_t columns) {
  return Matrix(rows, std::vector<long>(columns, 0));
}

// Weights stay: they shift in from the top, A enters from the left, sums fall out of the last row.
class WeightArray {
 public:
  // A multiplier with its adder has `stages` registers behind each other.
  WeightArray(std::size_t rows, std::size_t columns, std::size_t stages = 1)
      : rows_(rows),
        columns_(columns),
        stages_(stages),
        weight_(zeros(rows, columns)),
        left_(weight_),
        sums_(stages, weight_) {}

  std::uint64_t cycles() const { return cycles_; }

  // The last row of weights enters first.
  void fill(const Matrix& weights) {
    for (std::size_t i = 0; i < rows_; ++i) {
      for (std::size_t r = rows_; r-- > 1;) weight_[r] = weight_[r - 1];
      weight_[0] = weights[rows_ - 1 - i];
      ++cycles_;
    }
  }

  // out[t][c] += sum over r of a[t][r] * weight[r][c]; row r of the array is fed r x stages cycles late.
  void stream(const Matrix& a, Matrix& out) {
    const std::size_t length = a.size();
    std::size_t left_over = length * columns_;
    for (std::size_t cycle = 0; left_over != 0; ++cycle) {
      Matrix next_left = left_;
      Matrix next_sum = zeros(rows_, columns_);
      for (std::size_t r = 0; r < rows_; ++r) {
        for (std::size_t c = 0; c < columns_; ++c) {
          const std::size_t fed = r * stages_;
          const bool entering = cycle >= fed && cycle - fed < length;
          const long value = c != 0 ? left_[r][c - 1] : entering ? a[cycle - fed][r] : 0;
          next_left[r][c] = value;
          next_sum[r][c] = (r != 0 ? sums_.back()[r - 1][c] : 0) + value * weight_[r][c];
        }
      }
      left_ = std::move(next_left);
      sums_.insert(sums_.begin(), std::move(next_sum));
      sums_.pop_back();
      ++cycles_;
      for (std::size_t c = 0; c < columns_; ++c) {
        const std::size_t late = rows_ * stages_ - 1 + c;
        if (cycle < late || cycle - late >= length) continue;
        out[cycle - late][c] += sums_.back()[rows_ - 1][c];
        --left_over;
      }
    }
  }

 private:
  std::size_t rows_;
  std::size_t columns_;
  std::size_t stages_;
  Matrix weight_;
  Matrix left_;
  std::vector<Matrix> sums_;  // stage by stage
  std::uint64_t cycles_ = 0;
};

// Outputs stay: A enters from the left, B from above, each row and column one cycle later.
class OutputArray {
 public:
  OutputArray(std::size_t rows, std::size_t columns)
      : rows_(rows), columns_(columns), left_(zeros(rows, columns)), top_(left_) {}

  std::uint64_t cycles() const { return cycles_; }

  // a[r][k] b[k][c], of exactly the array's size.
  Matrix fold(const Matrix& a, const Matrix& b) {
    Matrix sum = zeros(rows_, columns_);
    const std::size_t length = b.size();
    Matrix done = zeros(rows_, columns_);
    std::size_t left_over = rows_ * columns_;
    for (std::size_t cycle = 0; left_over != 0; ++cycle) {
      Matrix next_left = left_;
      Matrix next_top = top_;
      for (std::size_t r = 0; r < rows_; ++r) {
        for (std::size_t c = 0; c < columns_; ++c) {
          const bool from_left = cycle >= r && cycle - r < length;
          const bool from_top = cycle >= c && cycle - c < length;
          next_left[r][c] = c != 0 ? left_[r][c - 1] : from_left ? a[r][cycle - r] : 0;
          next_top[r][c] = r != 0 ? top_[r - 1][c] : from_top ? b[cycle - c][c] : 0;
          sum[r][c] += next_left[r][c] * next_top[r][c];
          if (cycle >= r + c && cycle - r - c < length && static_cast<std::size_t>(++done[r][c]) == length) {
            --left_over;
          }
        }
      }
      left_ = std::move(next_left);
      top_ = std::move(next_top);
      ++cycles_;
    }
    return sum;
  }

 private:
  std::size_t rows_;
  std::size_t columns_;
  Matrix left_;
  Matrix top_;
  std::uint64_t cycles_ = 0;
};

// The part of a matrix from (row, column), with zeros beyond its edges.
inline Matrix part(const Matrix& m, std::size_t row, std::size_t column, std::size_t rows,
                   std::size_t columns) {
  Matrix out = zeros(rows, columns);
  for (std::size_t r = 0; r < rows && row + r < m.size(); ++r) {
    for (std::size_t c = 0; c < columns && column + c < m[row + r].size(); ++c)
      out[r][c] = m[row + r][column + c];
  }
  return out;
}

inline Matrix transposed(const Matrix& m) {
  Matrix out = zeros(m[0].size(), m.size());
  for (std::size_t r = 0; r < m.size(); ++r) {
    for (std::size_t c = 0; c < m[0].size(); ++c) out[c][r] = m[r][c];
  }
  return out;
}

struct ArrayOutcome {
  Matrix product;
  std::uint64_t cycles = 0;
};

// A whole GEMM, fold after fold. `stages` of a multiplier count where operands stay.
inline ArrayOutcome multiply_by_registers(std::size_t rows, std::size_t columns, const std::string& dataflow,
                                          const Matrix& a, const Matrix& b, std::size_t stages = 1) {
  if (dataflow == "is") {
    ArrayOutcome outcome = multiply_by_registers(rows, columns, "ws", transposed(b), transposed(a), stages);
    outcome.product = transposed(outcome.product);
    return outcome;
  }
  const std::size_t m = a.size();
  const std::size_t n = b[0].size();
  const std::size_t k = b.size();
  ArrayOutcome outcome{zeros(m, n), 0};
  if (dataflow == "ws") {
    WeightArray array(rows, columns, stages);
    for (std::size_t across = 0; across < n; across += columns) {
      for (std::size_t down = 0; down < k; down += rows) {
        Matrix out = zeros(m, columns);
        array.fill(part(b, down, across, rows, columns));
        array.stream(part(a, 0, down, m, rows), out);
        for (std::size_t r = 0; r < m; ++r) {
          for (std::size_t c = 0; c < columns && across + c < n; ++c)
            outcome.product[r][across + c] += out[r][c];
        }
      }
    }
    outcome.cycles = array.cycles();
    return outcome;
  }
  OutputArray array(rows, columns);
  for (std::size_t down = 0; down < m; down += rows) {
    for (std::size_t across = 0; across < n; across += columns) {
      const Matrix sum = array.fold(part(a, down, 0, rows, k), part(b, 0, across, k, columns));
      for (std::size_t r = 0; r < rows && down + r < m; ++r) {
        for (std::size_t c = 0; c < columns && across + c < n; ++c) {
          outcome.product[down + r][across + c] = sum[r][c];
        }
      }
    }
  }
  outcome.cycles = array.cycles();
  return outcome;
}

}  // namespace mesim::test
