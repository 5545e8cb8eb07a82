#include "accel/accelerator_config.hpp"

#include <fmt/format.h>

namespace mesim::accel {

void SramConfig::fields(Fields& f) {
  const IntegerRule capacity{.min = 1, .max = 64 * GiB, .unit = "bytes"};
  const auto with = [&](std::string_view help) {
    IntegerRule rule = capacity;
    rule.help = help;
    return rule;
  };
  f.integer("ifmap_bytes", ifmap_bytes, with("buffer of the first operand: activations, the rows of a GEMM"));
  f.integer("filter_bytes", filter_bytes, with("buffer of the second operand: weights"));
  f.integer("ofmap_bytes", ofmap_bytes, with("buffer of results and partial sums"));
  f.integer("scratchpad_bytes", scratchpad_bytes, with("attention: what the blocks of all operands share"));
  f.integer(
      "partitions", partitions,
      {.max = 65536,
       .unit = "rows",
       .help =
           "work along rows: that a block may have, each in a partition of the scratchpad; 0: any number"});
  f.integer(
      "chunk", chunk,
      {.min = 1,
       .max = 1 << 20,
       .unit = "rows",
       .help = "rows of a streamed operand that one transfer moves; a buffer is a whole number of them"});
  f.integer(
      "banks", banks,
      {.max = 4096,
       .unit = "banks",
       .help = "of each buffer, words dealt out to them in turn; a row or column of a tile that meets a "
               "bank more often than it has ports takes further cycles; 0: never"});
  f.integer(
      "bank_bytes", bank_bytes,
      {.min = 1, .max = 4096, .unit = "bytes", .help = "of a bank's word, which a port gives in a cycle"});
  f.integer("bank_ports", bank_ports,
            {.min = 1, .max = 16, .unit = "ports", .help = "of each bank: words that it gives in a cycle"});
  f.integer(
      "pad_bytes", pad_bytes,
      {.max = 4096,
       .unit = "bytes",
       .help = "left free behind each row of a tile in a banked buffer, so that columns spread over banks"});
}

void DmaPathConfig::fields(Fields& f) {
  f.choice("memory", memory, {"ideal", "bandwidth", "dram"},
           "ideal: operands are there when the array asks, buffers hold everything; bandwidth: a read and a "
           "write channel of so many bytes a cycle, and buffers of the sizes of sram; dram: the memory of "
           "the config's "
           "key memory, by every command or in longer steps, and buffers of the sizes of sram");
  f.text("link", link, "its name in the ledger of bytes");
  f.choice(
      "activations", activations, {"memory", "on_chip"},
      "memory: a layer's inputs come from memory and its results go there; on_chip: they stay in the buffers "
      "between layers, only weights come");
  f.flag("whole_tiles", whole_tiles, "whether weights come as whole tiles of the array, also at the edges");
  f.flag(
      "prefetch_weights", prefetch_weights,
      "dataflow ws: whether the weights of the next layer come, as far as their buffer has room, while this "
      "one ends");
  f.number(
      "read_bytes_per_cycle", read_bytes_per_cycle,
      {.min = 1e-3, .max = 1e6, .unit = "bytes", .help = "bandwidth: from memory, per cycle of the array"});
  f.number(
      "write_bytes_per_cycle", write_bytes_per_cycle,
      {.min = 1e-3, .max = 1e6, .unit = "bytes", .help = "bandwidth: to memory, per cycle of the array"});
  f.integer("descriptor_cycles", descriptor_cycles,
            {.max = 1'000'000,
             .unit = "cycles",
             .help = "for which each transfer occupies its channel before its bytes move"});
  f.integer(
      "piece_cycles", piece_cycles,
      {.max = 1'000'000,
       .unit = "cycles",
       .help = "bandwidth: more for each piece but the first that lies apart in memory, such as the rows "
               "of a tile"});
  f.integer("burst_bytes", burst_bytes,
            {.min = 1, .max = 4096, .unit = "bytes", .help = "bandwidth: a piece moves in whole bursts"});
  f.integer(
      "latency_cycles", latency_cycles,
      {.max = 1'000'000,
       .unit = "cycles",
       .help = "from the last byte on the channel until it can be used; other transfers go on meanwhile"});
  f.integer("outstanding", outstanding,
            {.min = 1,
             .max = 1024,
             .unit = "transfers",
             .help = "dram: loads that may be under way at once, and as many stores"});
}

void VectorConfig::fields(Fields& f) {
  f.integer(
      "lanes", lanes,
      {.min = 1, .max = 65536, .unit = "elements", .help = "attention: elements that it takes in a cycle"});
  f.integer("latency_cycles", latency_cycles,
            {.max = 1'000'000, .unit = "cycles", .help = "attention: of one operation, beside its elements"});
}

void AcceleratorConfig::fields(Fields& f) {
  f.preset("accel", preset);
  f.path("scalesim_config", scalesim_config,
         "a configuration of SCALE-Sim (.cfg), whose array, dataflow, buffers and bandwidth stand over the "
         "keys here");
  f.integer("rows", rows, {.min = 1, .max = 65536, .unit = "rows", .help = "of the array of multipliers"});
  f.integer("columns", columns,
            {.min = 1, .max = 65536, .unit = "columns", .help = "of the array of multipliers"});
  f.choice("dataflow", dataflow, {"os", "ws", "is"},
           "what stays in the array: os the outputs, ws the weights, is the inputs");
  f.integer(
      "arrays", arrays,
      {.min = 1,
       .max = 16,
       .unit = "arrays",
       .help =
           "arrays beside each other, each with its own buffers; columns of tiles are dealt out to them"});
  f.flag("overlap_folds", overlap_folds,
         "whether the next fold follows without a gap: its weights are loaded into second registers "
         "meanwhile, its operands enter behind those of the last");
  f.choice(
      "drain", drain, {"hidden", "exposed"},
      "os: how outputs leave: hidden, by wires of their own; exposed, shifted down the rows, a cycle each");
  f.integer("mac_cycles", mac_cycles,
            {.min = 1,
             .max = 64,
             .unit = "cycles",
             .help = "that a multiplier with its adder takes, one result a cycle; ws, is: a sum reaches the "
                     "next row so many cycles later"});
  f.choice(
      "sparsity", sparsity, {"none", "layer", "row"},
      "which weights the array leaves out (N:M): layer, what a layer's file says of all its filters; row, "
      "each filter has a number of its own, at most half of every sparsity_block, so that two blocks share "
      "the rows of one; none, no weights");
  f.integer("sparsity_block", sparsity_block,
            {.min = 2, .max = 1024, .unit = "weights", .help = "sparsity row: the M of N:M, an even number"});
  f.number("clock_mhz", clock_mhz, {.min = 1, .max = 100'000, .unit = "MHz", .help = "the array's clock"});
  f.integer("operand_bytes", operand_bytes,
            {.min = 1, .max = 8, .help = "of an element in memory and buffers"});
  f.integer("accumulator_bytes", accumulator_bytes, {.min = 1, .max = 8, .help = "of a partial sum"});
  f.integer("queue_depth", queue_depth,
            {.min = 1, .max = 4096, .unit = "operations", .help = "that wait in front of each engine"});
  f.flag("jump_repetitions", jump_repetitions,
         "whether iterations are passed over once the machine's state has recurred; the result is the same");
  f.object("sram", sram, "the buffers; with dma.memory ideal they hold everything");
  f.object("dma", dma, "the way to memory");
  f.object("vector", vector, "the engine for softmax and other work along rows");
  f.require("sparsity", sparsity != "row" || dataflow == "ws", [this] {
    return "rows of weights are left out only where weights stay in the array: dataflow '" + dataflow +
           "', expected 'ws'";
  });
  f.require(
      "sparsity_block", sparsity != "row" || (sparsity_block % 2 == 0 && sparsity_block <= rows), [this] {
        return fmt::format("{} weights in a block, expected an even number of at most the array's {} rows",
                           sparsity_block, rows);
      });
  f.require("dma/prefetch_weights", !dma.prefetch_weights || dataflow == "ws", [this] {
    return "weights come early only where they stay in the array: dataflow '" + dataflow + "', expected 'ws'";
  });
}

void AcceleratorConfig::use(ElementType type) {
  if (type == ElementType::raw) return;
  operand_bits = format_of(type).bits;
  operand_bytes = (operand_bits + 7) / 8;
  accumulator_bytes = element_accumulator_bytes;
}

}  // namespace mesim::accel
