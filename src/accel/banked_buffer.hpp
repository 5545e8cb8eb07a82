// A buffer of banks: words are dealt out to them in turn, and each gives as many words a cycle as it has
// ports. Vectors are read one after another; one whose elements meet a bank more often than it has ports
// takes further cycles, and so whoever reads it waits: a bank conflict. Elements in one word come together.
//
// Source of the model: interleaved memories as in J. Hennessy, D. Patterson, Computer Architecture: A
// Quantitative Approach, 6th ed., appendix G.5 (strides and banks). tests/accel/bank_conflict_test.cpp counts
// every word of every cycle.
#pragma once
#include <cstdint>
#include <map>
#include <vector>

#include "accel/accelerator_config.hpp"

namespace mesim::accel {

// `count` elements, `stride_bytes` apart; the next vector begins `step_bytes` further on.
struct VectorAccess {
  std::uint64_t count = 0;
  std::uint64_t stride_bytes = 0;
  std::uint64_t step_bytes = 0;

  auto operator<=>(const VectorAccess&) const = default;
};

// Rows or columns of a tile that lies row by row, `row_elements` to a row.
struct TileLayout {
  std::uint64_t element_bytes = 1;
  std::uint64_t pitch_bytes = 1;

  VectorAccess rows_of(std::uint64_t elements) const { return {elements, element_bytes, pitch_bytes}; }
  VectorAccess columns_of(std::uint64_t elements) const { return {elements, pitch_bytes, element_bytes}; }
};

class BankedBuffer {
 public:
  BankedBuffer(const SramConfig& sram, std::uint64_t element_bytes)
      : banks_(sram.banks),
        word_bytes_(sram.bank_bytes),
        ports_(sram.bank_ports),
        pad_bytes_(sram.pad_bytes),
        element_bytes_(element_bytes) {}

  TileLayout tile(std::uint64_t row_elements) const {
    return {element_bytes_, row_elements * element_bytes_ + pad_bytes_};
  }
  // Cycles in which `steps` vectors cannot be read because of others; vectors begin at the first bank.
  Cycles conflicts(const VectorAccess& access, std::uint64_t steps) const;
  // Of two buffers like this one that are read together.
  Cycles conflicts(const VectorAccess& first, const VectorAccess& second, std::uint64_t steps) const;

 private:
  // Of each vector until they repeat: its cycles beyond the first.
  const std::vector<std::uint32_t>& period_of(const VectorAccess& access) const;
  std::uint32_t extra_cycles(const VectorAccess& access, std::uint64_t begin) const;

  std::uint64_t banks_;
  std::uint64_t word_bytes_;
  std::uint64_t ports_;
  std::uint64_t pad_bytes_;
  std::uint64_t element_bytes_;
  mutable std::map<VectorAccess, std::vector<std::uint32_t>> known_;
};

}  // namespace mesim::accel
