// A GEMM on a systolic array as a tile program: which part of which operand is in the array when, what is
// kept in the buffers, and what comes again.
//
// With the weights in the array (ws) the outer loop goes over columns of tiles, the inner over the reduction;
// all rows of the first operand stream through each tile. With the inputs in the array (is) it is the same
// with the operands' roles exchanged and everything transposed. With the outputs in the array (os) the outer
// loop goes over rows of tiles, the inner over columns, the reduction streams.
//
// Streamed operands come in chunks. A buffer keeps the first chunks of what will be needed again, all of it
// if it fits; through its last two slots the other chunks pass, fetched again each time. Partial sums that do
// not fit go to memory and back. A larger buffer therefore never fetches more, and no order changes with its
// size.
#pragma once
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "accel/accelerator_config.hpp"
#include "accel/systolic_array.hpp"
#include "accel/tile_machine.hpp"

namespace mesim::accel {

// Whose bytes a transfer moves.
enum GemmOperand : std::uint8_t { operand_a, operand_b, operand_c, operand_partial };
inline constexpr std::size_t gemm_operands = 4;
const char* gemm_operand_name(std::size_t operand);

// C[m x n] = A[m x k] B[k x n]
struct GemmTask {
  std::uint64_t m = 1;
  std::uint64_t n = 1;
  std::uint64_t k = 1;
  // B holds `kept` of every `of` rows of a larger one (N:M sparsity, k counts what it holds): A comes in
  // whole, and each element of B with its place among `of`.
  std::uint32_t kept = 1;
  std::uint32_t of = 1;
  // How a matrix lies in memory: its columns one behind the other instead of its rows.
  bool transpose_a = false;
  bool transpose_b = false;
  bool transpose_c = false;

  bool transposes(GemmOperand operand) const {
    return operand == operand_a ? transpose_a : operand == operand_b ? transpose_b : transpose_c;
  }
};

// What the array sees of a task: its operands in the order in which it uses them.
enum GemmView : std::uint32_t { view_first, view_second, view_out };

struct ArrayRings;

class SystolicMapper {
 public:
  // Throws bad_input, naming `source`, for buffers that hold no two chunks.
  SystolicMapper(const AcceleratorConfig& config, const GemmTask& task, const std::string& source);

  // What the machine has to have for the program.
  std::vector<TileMachine::Queue> queues() const;
  std::vector<WaitOwner> tokens() const;
  std::vector<std::string> token_names() const;
  std::vector<std::uint64_t> ring_slots() const;  // for the values
  TileProgram program() const;
  // The program as part `part` of a longer one, whose weights come while the part before ends (ws). Parts
  // take their tokens from three banks in turn.
  void follow(std::uint32_t part, const SystolicMapper* before);
  static constexpr std::uint32_t token_banks = 3;
  std::uint32_t parts_done_token() const { return 2 * token_banks * rings_of_bank(); }
  // Tokens of all banks, and that of the parts that are done.
  std::vector<WaitOwner> bank_tokens() const;
  std::vector<std::string> bank_token_names() const;

  std::uint64_t folds() const { return outer_ * inner_; }
  // Multipliers that hold a value in a fold, over all folds; of rows x columns x folds.
  std::uint64_t used_multipliers() const;
  std::size_t stream_queue(std::size_t array) const { return 2 + 2 * array + 1; }
  // Of the folds of one array, which has one at least, the first and the last.
  struct FoldSize {
    std::uint32_t rows = 0;  // of the array that are used
    std::uint32_t columns = 0;
  };
  struct FoldSizes {
    FoldSize first;
    FoldSize last;
  };
  FoldSizes fold_sizes(std::uint64_t array) const;
  std::uint64_t used_arrays() const {
    return std::min<std::uint64_t>(config_.arrays, outputs_stay_ ? inner_ : outer_);
  }
  // The least that has to move: each operand once.
  std::uint64_t compulsory_bytes() const;
  // From this address on the operands lie one behind the other, row by row.
  void place_at(std::uint64_t address) { base_ = address; }
  std::uint64_t footprint_bytes() const;

  bool outputs_stay() const { return outputs_stay_; }
  bool transposed() const { return transposed_; }
  const GemmTask& task() const { return task_; }  // as the array sees it

 private:
  TileProgram stationary_operand() const;  // ws, is
  TileProgram stationary_outputs() const;  // os
  void size_buffers(const std::string& source);
  std::vector<ArrayRings> array_rings() const;
  std::uint32_t rings_of_bank() const;
  TileOp hold() const;
  // Before what reads results of the part in front of this one.
  TokenWait part_before() const { return {parts_done_token(), chained_ ? part_ : 0}; }
  std::uint64_t tiles_of_array(std::uint64_t array) const {
    return array < outer_ ? inner_ * ((outer_ - array - 1) / config_.arrays + 1) : 0;
  }
  std::uint64_t alike_folds(std::uint64_t fold, std::uint64_t folds, std::uint64_t kept_chunks) const;
  TileOp transfer(OpKind kind, GemmOperand operand, std::uint32_t rows, std::uint32_t columns, GemmView view,
                  std::uint64_t row, std::uint64_t column) const;

  AcceleratorConfig config_;
  GemmTask task_;
  bool outputs_stay_ = false;
  bool transposed_ = false;
  std::uint64_t outer_ = 0;  // columns of tiles (ws), rows of tiles (os)
  std::uint64_t inner_ = 0;  // reduction (ws), columns of tiles (os)
  std::uint64_t chunk_ = 0;  // rows of a streamed chunk
  std::uint64_t chunks_ = 0;
  // Slots, in chunks or tiles.
  std::uint64_t first_kept_ = 0;  // ws: streamed operand; os: the first operand, of one row of tiles
  std::uint64_t first_passing_ = 0;
  std::uint64_t second_kept_ = 0;     // os: the second operand
  std::uint64_t second_passing_ = 0;  // ws: tiles of the stationary operand
  std::uint64_t out_kept_ = 0;
  std::uint64_t out_passing_ = 0;
  std::uint64_t register_slots_ = 1;
  std::uint64_t base_ = 0;
  bool chained_ = false;
  std::uint32_t part_ = 0;
  const SystolicMapper* before_ = nullptr;
  ArrayFill fill_;
  ArrayStream stream_;
};

}  // namespace mesim::accel
