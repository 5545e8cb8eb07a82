// An accelerator as a config describes it.
#pragma once
#include <cstdint>
#include <string>

#include "accel/element_type.hpp"
#include "sim/fields.hpp"
#include "sim/units.hpp"

namespace mesim::accel {

// On-chip buffers in front of the array, one for each operand.
struct SramConfig {
  std::uint64_t ifmap_bytes = 64 * KiB;
  std::uint64_t filter_bytes = 64 * KiB;
  std::uint64_t ofmap_bytes = 64 * KiB;
  std::uint64_t scratchpad_bytes = 96 * KiB;
  std::uint32_t chunk = 64;
  std::uint32_t banks = 0;
  std::uint32_t bank_bytes = 8;
  std::uint32_t bank_ports = 1;
  std::uint32_t pad_bytes = 0;
  std::uint32_t partitions = 0;

  void fields(Fields& f);
};

// How operands come and results go.
struct DmaPathConfig {
  std::string memory = "ideal";
  std::string link = "memory";
  std::string activations = "memory";
  bool whole_tiles = false;
  bool prefetch_weights = false;
  double read_bytes_per_cycle = 10;
  double write_bytes_per_cycle = 10;
  std::uint32_t burst_bytes = 1;
  std::uint32_t piece_cycles = 0;
  std::uint32_t descriptor_cycles = 0;
  std::uint32_t latency_cycles = 0;
  std::uint32_t outstanding = 8;

  void fields(Fields& f);
};

// What works along rows beside the array.
struct VectorConfig {
  std::uint32_t lanes = 128;
  std::uint32_t latency_cycles = 0;

  void fields(Fields& f);
};

struct AcceleratorConfig {
  std::string preset;
  InputPath scalesim_config;
  std::uint32_t rows = 32;
  std::uint32_t columns = 32;
  std::string dataflow = "os";
  std::uint32_t arrays = 1;
  bool overlap_folds = false;
  std::string drain = "hidden";
  std::uint32_t mac_cycles = 1;
  std::string sparsity = "layer";
  std::uint32_t sparsity_block = 8;
  double clock_mhz = 1000;
  std::uint32_t operand_bits = 0;  // of `use`; 0: operand_bytes says it
  std::uint32_t operand_bytes = 1;
  std::uint32_t accumulator_bytes = 4;
  std::uint32_t queue_depth = 64;
  bool jump_repetitions = true;
  SramConfig sram;
  DmaPathConfig dma;
  VectorConfig vector;

  // Elements of a type: what they and their sums take. `raw` leaves both as the config has them.
  void use(ElementType type);
  // Bytes of so many elements, in memory and buffers.
  std::uint64_t operand_size(std::uint64_t elements) const {
    return operand_bits == 0 ? elements * operand_bytes : (elements * operand_bits + 7) / 8;
  }
  // What moves of a piece that lies in memory by itself: whole bursts.
  std::uint64_t piece_size(std::uint64_t bytes) const {
    return dma.memory == "bandwidth" ? (bytes + dma.burst_bytes - 1) / dma.burst_bytes * dma.burst_bytes
                                     : bytes;
  }

  void fields(Fields& f);
};

}  // namespace mesim::accel
