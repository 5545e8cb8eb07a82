#include "accel/operator_config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "accel/element_type.hpp"

namespace mesim::accel {

bool OperatorConfig::along_rows() const {
  static constexpr std::string_view names[] = {
      "softmax", "online_softmax", "chain", "layer_norm", "rms_norm", "batch_norm", "copy",
      "rotary",  "relu",           "gelu",  "silu",       "add",      "multiply"};
  return std::find(std::begin(names), std::end(names), operation) != std::end(names);
}

bool OperatorConfig::on_windows() const {
  return operation == "max_pool" || operation == "average_pool" ||
         (operation == "convolution" && depthwise && filters == 1 && method == "direct");
}

namespace {

void size(Fields& f, std::string_view key, std::uint64_t& value, std::uint64_t least, std::string_view help) {
  f.integer(key, value, {.min = least, .max = 1'000'000'000, .help = help});
}

void list_products_and_rows(OperatorConfig& task, Fields& f) {
  f.choice(
      "operator", task.operation,
      {"gemm", "convolution", "max_pool", "average_pool", "attention", "softmax", "online_softmax",
       "layer_norm", "rms_norm", "batch_norm", "copy", "rotary", "relu", "gelu", "silu", "add", "multiply",
       "chain"},
      "order=accelerator, what it runs when no path of layers and no model is given: gemm, C[m x n] = "
      "A[m x k] B[k x n]; convolution; max_pool and average_pool of windows; attention, softmax(Q K^T) V "
      "for every head; softmax, layer_norm and rms_norm along m rows of n elements; batch_norm, rotary "
      "(position embedding), relu, gelu, silu and copy of such a matrix; add and multiply, two of them "
      "element by element; online_softmax with the maximum and the sum in one pass; chain, several of add "
      "and multiply, each of what came before and a further matrix");
  f.text_list("chain", task.chain,
              "chain: add and multiply in their order; one matrix more than these goes in");
  f.require("chain",
            std::all_of(task.chain.begin(), task.chain.end(),
                        [](const std::string& name) { return name == "add" || name == "multiply"; }) &&
                !task.chain.empty() && task.chain.size() <= 6,
            [&task] {
              return fmt::format("[{}], expected one to six of add and multiply",
                                 fmt::join(task.chain, ", "));
            });
  f.number("host_overhead_us", task.host_overhead_us,
           {.max = 1e6,
            .unit = "us",
            .help = "of the host, before each operator begins; in simulated_ns, not in cycles"});
  size(f, "m", task.m, 1, "gemm: rows of A and C");
  size(f, "n", task.n, 1, "gemm: columns of B and C");
  size(f, "k", task.k, 1, "gemm: columns of A, rows of B; what is summed over");
  size(f, "batch", task.batch, 1,
       "how many of them, each with operands of its own; of a model: images, or sequences");
  f.choice(
      "dtype", task.dtype, element_type_names(),
      "format of an element: what it takes in memory, and what sums are kept in (32-bit integers for int8 "
      "and int4, else fp32); raw: accel.operand_bytes and accumulator_bytes say it");
  f.flag("transpose_a", task.transpose_a, "gemm: A lies in memory column by column instead of row by row");
  f.flag("transpose_b", task.transpose_b, "gemm: B lies in memory column by column instead of row by row");
  f.flag("transpose_c", task.transpose_c, "gemm: C lies in memory column by column instead of row by row");
  f.integer(
      "buffers", task.buffers,
      {.min = 1,
       .max = 64,
       .help = "work along rows: slots of each operand in the scratchpad; 2, a block is loaded while the one "
               "before is worked on; 1, none is"});
  f.choice(
      "phase", task.phase, {"prefill", "decode"},
      "a model of tokens: prefill, all tokens of `sequence` at once; decode, one more for each sequence, "
      "whose keys and values lie in a cache");
}

void list_convolution(OperatorConfig& task, Fields& f) {
  size(f, "height", task.height, 1, "convolution: of the input, with what is padded");
  size(f, "width", task.width, 1, "convolution: of the input, with what is padded");
  size(f, "filter_height", task.filter_height, 1, "convolution, pools: of a window");
  size(f, "filter_width", task.filter_width, 1, "convolution, pools: of a window");
  size(f, "channels", task.channels, 1, "convolution: of the input");
  size(f, "filters", task.filters, 1,
       "convolution: channels of the output; of a depthwise one, for each of the input");
  size(f, "stride", task.stride, 1, "convolution: from window to window, in both directions");
  f.flag("depthwise", task.depthwise, "convolution: whether each channel is by itself");
  f.choice(
      "method", task.method, {"windows", "im2col", "direct", "winograd"},
      "convolution: windows, as a GEMM whose rows, the windows, the DMA engine gathers; im2col, they are "
      "first laid out in memory; direct, products for each position of the window on bands of the input "
      "in the scratchpad, a depthwise one on the vector engine; winograd, F(2 x 2, 3 x 3) on such bands");
  f.require("filter_height", task.filter_height <= task.height && task.filter_width <= task.width, [&task] {
    return fmt::format("a window of {} x {} in an input of {} x {}, expected a smaller one",
                       task.filter_height, task.filter_width, task.height, task.width);
  });
}

void list_attention(OperatorConfig& task, Fields& f) {
  f.choice(
      "kernel", task.kernel, {"naive", "fa1", "fa2", "fa3"},
      "attention: naive, three kernels with the scores in memory between them; fa1 and fa2, FlashAttention, "
      "blocks of keys or of queries outside, the scores never in memory; fa3, as fa2, two halves of a block "
      "of queries taking turns at the array and the vector engine");
  f.flag("backward", task.backward,
         "attention: the gradients of queries, keys and values from that of the results, instead of the "
         "results; with FlashAttention-2's order of blocks, so not with kernel naive");
  size(f, "heads", task.heads, 1, "attention: of queries");
  size(f, "kv_heads", task.kv_heads, 0,
       "attention: of keys and values, each for heads / kv_heads heads of queries (GQA, "
       "MQA with 1); 0: as many as heads");
  size(f, "sequence", task.sequence, 1,
       "attention: queries of a head; 1 is a step of decoding; a model: tokens");
  size(f, "keys", task.keys, 0,
       "attention: keys and values of a head, a cache of them with sequence 1; 0: as many as "
       "sequence");
  size(f, "head_dim", task.head_dim, 1, "attention: elements of a query, key or value");
  f.flag("causal", task.causal, "attention: whether a query sees no later key");
  size(f, "block_rows", task.block_rows, 1, "fa1, fa2: queries of a block");
  size(f, "block_columns", task.block_columns, 0,
       "fa1, fa2: keys of a block; 0 with fa1: as many as a quarter of accel.sram.scratchpad_bytes holds");
  size(f, "page", task.page, 0,
       "attention: keys of a page, if the cache of keys lies in pages that are fetched one by one; "
       "0: in one piece");
  f.require("kv_heads", task.kv_heads == 0 || task.heads % task.kv_heads == 0, [&task] {
    return fmt::format("{} heads of queries share {} of keys, expected a whole number for each", task.heads,
                       task.kv_heads);
  });
  f.require("keys", !task.causal || task.keys == 0 || task.keys >= task.sequence, [&task] {
    return fmt::format("{} keys for {} causal queries, expected at least as many", task.keys, task.sequence);
  });
  f.require("backward", !task.backward || task.kernel != "naive",
            [] { return std::string("true with kernel 'naive', expected 'fa1', 'fa2' or 'fa3'"); });
  f.require("block_columns", task.block_columns != 0 || task.kernel == "fa1", [] {
    return std::string("0 stands for a size that follows from the scratchpad with kernel fa1 only");
  });
}

}  // namespace

void OperatorConfig::fields(Fields& f) {
  list_products_and_rows(*this, f);
  list_convolution(*this, f);
  list_attention(*this, f);
}

}  // namespace mesim::accel
