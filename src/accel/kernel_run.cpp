#include "accel/kernel_run.hpp"

#include "accel/attention_mapper.hpp"
#include "accel/convolution_mapper.hpp"
#include "accel/op_timeline.hpp"
#include "accel/operator_figures.hpp"
#include "accel/row_mapper.hpp"
#include "accel/window_mapper.hpp"

namespace mesim::accel {

KernelRun run_kernels(const AcceleratorConfig& config, const KernelMapper& mapper, TransferMemory& memory,
                      RunWatch* watch, OpListener* listener, Cycles begin) {
  const auto timeline = OpTimeline::of(watch, config.clock_mhz, mapper.queues());
  if (timeline) listener = timeline.get();
  const MovedBytes before = memory.moved();
  TileMachine machine(mapper.queues(), mapper.tokens(), mapper.token_names(), memory,
                      {.jump_repetitions = config.jump_repetitions, .listener = listener});
  machine.start_at(begin);
  for (std::size_t kernel = 0; kernel < mapper.kernels() && !machine.stopped(); ++kernel) {
    machine.run(mapper.kernel(kernel), watch);
  }
  KernelRun run;
  run.cycles = machine.now() - begin;
  run.queues = machine.queues();
  for (std::size_t i = 0; i < run.queues.size(); ++i) run.queue_names.push_back(machine.queue_name(i));
  run.operand_names = mapper.operand_names();
  run.operands = machine.operands();
  run.operands.resize(run.operand_names.size());
  run.moved.read_bytes = memory.moved().read_bytes - before.read_bytes;
  run.moved.written_bytes = memory.moved().written_bytes - before.written_bytes;
  run.peak = memory.peak();
  run.programs = mapper.kernels();
  run.compulsory_bytes = mapper.compulsory_bytes();
  run.events = machine.events();
  run.complete = !machine.stopped();
  return run;
}

std::unique_ptr<KernelMapper> make_kernel_mapper(const AcceleratorConfig& config, const OperatorConfig& task,
                                                 const std::string& source) {
  if (task.along_rows()) return std::make_unique<RowMapper>(config, task, source);
  if (task.on_windows()) return std::make_unique<WindowMapper>(config, task, source);
  if (task.operation == "convolution") return std::make_unique<ConvolutionMapper>(config, task, source);
  return std::make_unique<AttentionMapper>(config, task, source);
}

KernelRun run_kernels(const AcceleratorConfig& config, const OperatorConfig& task, TransferMemory& memory,
                      const std::string& source, RunWatch* watch, OpListener* listener, Cycles begin) {
  return run_kernels(config, *make_kernel_mapper(config, task, source), memory, watch, listener, begin);
}

OperatorWork work_of(const AcceleratorConfig& config, const KernelRun& run) {
  OperatorWork work;
  QueueCounters engines;
  for (const QueueCounters& queue : run.queues) engines += queue;
  work.cycles = run.cycles;
  work.macs = engines.macs;
  work.vector_operations = engines.vector_operations;
  work.multipliers = std::uint64_t{config.rows} * config.columns;
  work.read_bytes = run.moved.read_bytes;
  work.written_bytes = run.moved.written_bytes;
  work.compulsory_bytes = run.compulsory_bytes;
  const std::uint64_t sum = config.accumulator_bytes;
  work.buffer_read_bytes = config.operand_size(engines.a_reads + engines.b_reads) +
                           engines.out_reads * sum + work.written_bytes;
  work.buffer_written_bytes = engines.out_writes * sum + work.read_bytes;
  return work;
}

void write_figures(const AcceleratorConfig& config, const KernelRun& run, StatWriter& out) {
  constexpr std::size_t first_engine = 2;
  const OperatorWork work = work_of(config, run);
  const auto bytes = static_cast<double>(work.read_bytes + work.written_bytes);
  const auto ratio = [](double part, double whole) { return whole > 0 ? part / whole : 0; };
  out.count("cycles", run.cycles);
  out.value("simulated_ns", static_cast<double>(run.cycles) * 1000 / config.clock_mhz);
  out.count("macs", work.macs);
  out.count("vector_operations", work.vector_operations);
  out.value("utilisation_percent",
            100 * ratio(static_cast<double>(work.macs),
                        static_cast<double>(work.multipliers) * static_cast<double>(run.cycles)));
  for (std::size_t q = first_engine; q < run.queues.size(); ++q) {
    out.count(run.queue_names[q] + "_cycles", run.queues[q].busy);
  }
  out.count("read_bytes", work.read_bytes);
  out.count("written_bytes", work.written_bytes);
  out.count("compulsory_bytes", run.compulsory_bytes);
  out.value("operations_per_byte", ratio(2 * static_cast<double>(work.macs), bytes));
  for (std::size_t i = 0; i < run.operands.size(); ++i) {
    out.begin(statistic_name(run.operand_names[i]));
    out.count("read_bytes", run.operands[i].read_bytes);
    out.count("written_bytes", run.operands[i].written_bytes);
    out.count("transfers", run.operands[i].transfers);
    out.end();
  }
  for (std::size_t q = first_engine; q < run.queues.size(); ++q) {
    if (run.queue_names[q] == "matmul") write_losses(config, run.queues[q], out);
  }
  write_traffic(config, work, out);
  write_roofline(config, work, run.peak, out);
}

void write_statistics(const AcceleratorConfig& config, const KernelRun& run, StatWriter& out) {
  out.begin("kernel");
  write_figures(config, run, out);
  out.end();
}

void account(const AcceleratorConfig& config, const KernelRun& run, Accounts& accounts) {
  account_queues(config, run.queue_names, {run.queues}, run.cycles, accounts.time);
  const std::string& link = config.dma.link;
  accounts.bytes.link(link, run.moved.read_bytes, run.moved.written_bytes);
  for (std::size_t i = 0; i < run.operands.size(); ++i) {
    const OperandCounters& operand = run.operands[i];
    if (operand.transfers == 0) continue;
    accounts.bytes.share(link, run.operand_names[i], operand.read_bytes, operand.written_bytes);
  }
}

}  // namespace mesim::accel
