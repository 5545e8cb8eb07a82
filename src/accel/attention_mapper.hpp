// Attention as tile programs: softmax(Q K^T / sqrt(d)) V for every head, in the ways in which kernels do it.
//
//   naive     three kernels, each reading its operands once and writing its result: scores, softmax, product
//   fa1       FlashAttention: blocks of keys outside, of queries inside; results and their sums come and go
//             with each
//   fa2       FlashAttention-2: blocks of queries outside, keys and values pass by; results are written once
//   fa3       FlashAttention-3: as fa2, the two halves of a block of queries taking turns, so that the array
//             works for one while the vector engine does for the other
//   backward  the gradients: blocks of keys outside, of queries inside, as FlashAttention-2 has it; weights
//   are
//             computed again from the logarithms of the sums, query gradients come and go with each block of
//             keys
//
// Heads of queries that share keys (GQA, MQA) are stacked, so that a block of keys serves all of them; one
// step of decoding is a sequence of 1 with a cache of keys, which may lie in pages.
//
// Sources: T. Dao et al., arXiv 2205.14135 (block sizes of fa1: a quarter of the scratchpad's elements by
// head_dim, at most head_dim queries); T. Dao, arXiv 2307.08691 (backward: algorithm 2); J. Shah et al.,
// arXiv 2407.08608, section 3.1.
#pragma once
#include <string>
#include <vector>

#include "accel/accelerator_config.hpp"
#include "accel/kernel_mapper.hpp"
#include "accel/operator_config.hpp"
#include "accel/row_functions.hpp"
#include "accel/tile_engines.hpp"

namespace mesim::accel {

// What lies in memory for each head of keys, by its number there; a head's views follow those of the head
// before.
enum AttentionView : std::uint8_t {
  view_queries,
  view_keys,
  view_values,
  view_results,
  view_sums,  // fa1: maximum and sum of each row; fa2, fa3: the logarithm of the sum
  view_scores,
  view_weights,
  // Backward.
  view_result_gradients,
  view_products,  // of results and their gradients, summed along each row
  view_query_gradients,
  view_key_gradients,
  view_value_gradients,
  attention_views
};

class AttentionMapper final : public KernelMapper {
 public:
  // Throws bad_input, naming `source`, for blocks that the scratchpad does not hold.
  AttentionMapper(const AcceleratorConfig& config, const OperatorConfig& task, const std::string& source);

  std::vector<TileMachine::Queue> queues() const override;
  std::vector<RingKind> rings() const override;
  std::vector<std::uint64_t> ring_slots() const override;
  std::size_t kernels() const override { return backward_ ? 2 : naive() ? 3 : 1; }
  TileProgram kernel(std::size_t number) const override;
  std::vector<std::string> operand_names() const override;
  std::uint64_t compulsory_bytes() const override;

  BlockMask mask() const { return {causal_, queries_, keys_}; }
  std::uint64_t stacks() const { return stacks_; }      // heads of keys, over the batch
  std::uint64_t stacked_rows() const { return rows_; }  // queries of one

 private:
  struct Rings;
  struct QueryBlock;
  struct KeyStep;
  struct BackwardRings;
  struct BackwardStep;
  struct BackwardTiles;
  bool naive() const { return kernel_ == "naive"; }
  void size_blocks(const std::string& source);
  TileProgram queries_outside() const;  // fa2, fa3
  TileProgram query_block(Rings& ring, std::uint64_t stack, std::uint64_t number) const;
  TileProgram scores_of(Rings& ring, QueryBlock& block, std::uint64_t key_block) const;
  TileProgram products_of(Rings& ring, QueryBlock& block, std::uint64_t key_block) const;
  TileProgram finish(Rings& ring, QueryBlock& block) const;
  TileProgram keys_outside() const;  // fa1
  TileProgram key_block(Rings& ring, std::uint64_t stack, std::uint64_t number,
                        std::vector<std::uint64_t>& stored, std::uint64_t stored_before) const;
  TileProgram key_step(Rings& ring, KeyStep& step) const;
  TileProgram pages(Rings& ring, AttentionView view, std::uint64_t stack, std::uint64_t key_block,
                    SlotUse slot) const;
  TileProgram row_products() const;  // backward, in two
  TileProgram gradients() const;
  TileProgram gradients_of(BackwardRings& ring, const BackwardStep& step, std::uint64_t query_block,
                           std::uint64_t& stored) const;
  TileProgram gradient_loads(BackwardRings& ring, const BackwardStep& step, BackwardTiles& tiles,
                             std::uint64_t stored) const;
  TileProgram score_gradients(BackwardRings& ring, const BackwardStep& step, BackwardTiles& tiles) const;
  TileProgram gradient_sums(BackwardRings& ring, const BackwardStep& step, const BackwardTiles& tiles) const;
  std::uint64_t last_key_block(std::uint64_t query_block) const;
  std::uint64_t last_query_block(std::uint64_t key_block) const;
  TileProgram scores() const;  // naive, in three
  TileProgram softmax() const;
  TileProgram products() const;
  std::uint64_t parts() const { return kernel_ == "fa3" ? 2 : 1; }  // of a block of queries
  bool block_is_seen(std::uint64_t query_block, std::uint64_t key_block) const;
  std::vector<RingKind> backward_rings() const;
  std::vector<std::uint64_t> backward_slots() const;
  std::uint64_t address_of(AttentionView view, std::uint64_t stack, std::uint64_t row,
                           std::uint64_t column) const;
  TileOp transfer(OpKind kind, AttentionView view, std::uint64_t stack, std::uint64_t row, std::uint32_t rows,
                  std::uint32_t columns, std::uint64_t column = 0) const;
  std::uint64_t pieces_of(std::uint32_t rows) const;  // pages of a block

  AcceleratorConfig config_;
  std::string kernel_;
  bool causal_ = false;
  bool backward_ = false;
  std::uint64_t stacks_ = 1;
  std::uint64_t queries_ = 1;  // of one head
  std::uint64_t rows_ = 1;     // of the heads that share keys
  std::uint64_t keys_ = 1;
  std::uint32_t head_dim_ = 1;
  std::uint64_t block_rows_ = 1;
  std::uint64_t block_columns_ = 1;
  std::uint64_t row_blocks_ = 1;
  std::uint64_t key_blocks_ = 1;
  std::uint64_t page_ = 0;
  std::uint64_t buffers_ = 2;  // slots of what passes
  TileMatmul matmul_;
  TileVector vector_;
};

}  // namespace mesim::accel
