// What the arrays take out of their buffers and put into them, and in which cycles.
#include <algorithm>

#include "accel/layer_run.hpp"
#include "accel/systolic_mapper.hpp"
#include "accel/systolic_rings.hpp"

namespace mesim::accel {
namespace {

struct UsedCycles {
  CycleSpan left;  // the operand whose rows enter the array's rows
  CycleSpan top;   // the one that fills its registers, or with the outputs in it enters its columns
  CycleSpan result;
};

CycleSpan since(Cycles begun, const CycleSpan& span) {
  return {span.begin - std::min(begun, span.begin), span.end - begun};
}

// Words enter one row (or column) later each, and the fold's unused rows and columns have none. Weights
// shift in from the top: those of unused rows, which would be the first, are never read.
void take_array(const AcceleratorConfig& config, const SystolicMapper::FoldSizes& folds,
                const CycleSpan& fills, const CycleSpan& streams, UsedCycles& used) {
  const Cycles multiply = config.mac_cycles - 1;  // before the first sum is there
  if (config.dataflow != "os") {
    used.left.take(streams.begin, streams.end + (folds.last.rows - 1) * config.mac_cycles);
    used.top.take(fills.begin + config.rows - folds.first.rows, fills.end);
    const Cycles down = (config.rows - 1) * config.mac_cycles + multiply;
    used.result.take(streams.begin + down, streams.end + down + folds.last.columns - 1);
    return;
  }
  used.left.take(streams.begin, streams.end + folds.last.rows - 1);
  used.top.take(streams.begin, streams.end + folds.last.columns - 1);
  if (config.drain == "exposed") {
    used.result.take(fills.begin + config.rows - folds.first.rows, fills.end);
    return;
  }
  // Each output leaves as soon as it is summed up, the first fold's first when the reduction has entered.
  const Cycles first_fold_entered = fills.begin - (config.rows - 1) - (config.columns - 1);
  used.result.take(first_fold_entered - 1,
                   streams.end + multiply + folds.last.rows - 1 + folds.last.columns - 1);
}

UsedCycles used_cycles(const AcceleratorConfig& config, const LayerRun& layer) {
  UsedCycles used;
  const Cycles begun = layer.ended - layer.cycles;
  for (std::size_t array = 0; array < layer.fold_sizes.size(); ++array) {
    const QueueCounters& fills = layer.queues[first_array_queue + 2 * array];
    const QueueCounters& streams = layer.queues[first_array_queue + 2 * array + 1];
    if (fills.ops == 0 || streams.ops == 0) continue;  // stopped early
    take_array(config, layer.fold_sizes[array], since(begun, fills.span), since(begun, streams.span), used);
  }
  return used;
}

}  // namespace

// With the inputs in the array the filters stream. Words are elements; of results, sums.
std::array<BufferWords, 3> buffer_words(const AcceleratorConfig& config, const LayerRun& layer) {
  QueueCounters engines;
  for (const QueueCounters& queue : layer.queues) engines += queue;
  const UsedCycles used = used_cycles(config, layer);
  const auto& moved = layer.operands;
  const bool swapped = config.dataflow == "is";
  const std::uint64_t each = config.operand_bits == 0 ? 8 * config.operand_bytes : config.operand_bits;
  const std::uint64_t sum = 8 * config.accumulator_bytes;
  const std::uint64_t sums_out =
      8 * moved[operand_c].written_bytes / each + 8 * moved[operand_partial].written_bytes / sum;
  return {BufferWords{"ifmap", config.sram.ifmap_bytes, each, swapped ? engines.b_reads : engines.a_reads,
                      8 * moved[operand_a].read_bytes / each, swapped ? used.top : used.left},
          BufferWords{"filter", config.sram.filter_bytes, each, swapped ? engines.a_reads : engines.b_reads,
                      8 * moved[operand_b].read_bytes / each, swapped ? used.left : used.top},
          BufferWords{"ofmap", config.sram.ofmap_bytes, sum, engines.out_reads + sums_out,
                      engines.out_writes + 8 * moved[operand_partial].read_bytes / sum, used.result}};
}

}  // namespace mesim::accel
