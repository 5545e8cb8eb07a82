#include "accel/kernel_run.hpp"

#include <algorithm>

#include "accel/attention_mapper.hpp"
#include "accel/convolution_mapper.hpp"
#include "accel/op_timeline.hpp"
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

void write_figures(const AcceleratorConfig& config, const KernelRun& run, StatWriter& out) {
  constexpr std::size_t first_engine = 2;
  const std::uint64_t bytes = run.moved.read_bytes + run.moved.written_bytes;
  const auto multipliers = static_cast<double>(std::uint64_t{config.rows} * config.columns);
  const auto ratio = [](double part, double whole) { return whole > 0 ? part / whole : 0; };
  std::uint64_t macs = 0;
  for (const QueueCounters& queue : run.queues) macs += queue.macs;
  out.count("cycles", run.cycles);
  out.value("simulated_ns", static_cast<double>(run.cycles) * 1000 / config.clock_mhz);
  out.count("macs", macs);
  out.value("utilisation_percent",
            100 * ratio(static_cast<double>(macs), multipliers * static_cast<double>(run.cycles)));
  for (std::size_t q = first_engine; q < run.queues.size(); ++q) {
    out.count(run.queue_names[q] + "_cycles", run.queues[q].busy);
  }
  out.count("read_bytes", run.moved.read_bytes);
  out.count("written_bytes", run.moved.written_bytes);
  out.count("compulsory_bytes", run.compulsory_bytes);
  out.value("operations_per_byte", ratio(2 * static_cast<double>(macs), static_cast<double>(bytes)));
  for (std::size_t i = 0; i < run.operands.size(); ++i) {
    std::string name = run.operand_names[i];
    std::replace(name.begin(), name.end(), ' ', '_');
    out.begin(name);
    out.count("read_bytes", run.operands[i].read_bytes);
    out.count("written_bytes", run.operands[i].written_bytes);
    out.count("transfers", run.operands[i].transfers);
    out.end();
  }
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
