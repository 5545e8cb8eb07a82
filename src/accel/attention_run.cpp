#include "accel/attention_run.hpp"

#include <algorithm>

namespace mesim::accel {

AttentionRun run_attention(const AcceleratorConfig& config, const OperatorConfig& task,
                           TransferMemory& memory, const std::string& source, RunWatch* watch,
                           OpListener* listener) {
  const AttentionMapper mapper(config, task, source);
  TileMachine machine(mapper.queues(), mapper.tokens(), mapper.token_names(), memory,
                      {.jump_repetitions = config.jump_repetitions, .listener = listener});
  for (std::size_t kernel = 0; kernel < mapper.kernels() && !machine.stopped(); ++kernel) {
    machine.run(mapper.kernel(kernel), watch);
  }
  AttentionRun run;
  run.cycles = machine.now();
  run.queues = machine.queues();
  for (std::size_t i = 0; i < run.queues.size(); ++i) run.queue_names.push_back(machine.queue_name(i));
  run.operands = machine.operands();
  run.operands.resize(attention_views);
  run.moved = memory.moved();
  run.compulsory_bytes = mapper.compulsory_bytes();
  run.events = machine.events();
  run.complete = !machine.stopped();
  return run;
}

void write_statistics(const AcceleratorConfig& config, const AttentionRun& run, StatWriter& out) {
  constexpr std::size_t matmul = 2;
  constexpr std::size_t vector = 3;
  const std::uint64_t bytes = run.moved.read_bytes + run.moved.written_bytes;
  const auto multipliers = static_cast<double>(std::uint64_t{config.rows} * config.columns);
  const auto ratio = [](double part, double whole) { return whole > 0 ? part / whole : 0; };
  out.begin("kernel");
  out.count("cycles", run.cycles);
  out.value("simulated_ns", static_cast<double>(run.cycles) * 1000 / config.clock_mhz);
  out.count("macs", run.queues[matmul].macs);
  out.value("utilisation_percent", 100 * ratio(static_cast<double>(run.queues[matmul].macs),
                                               multipliers * static_cast<double>(run.cycles)));
  out.count("matmul_cycles", run.queues[matmul].busy);
  out.count("vector_cycles", run.queues[vector].busy);
  out.count("read_bytes", run.moved.read_bytes);
  out.count("written_bytes", run.moved.written_bytes);
  out.count("compulsory_bytes", run.compulsory_bytes);
  out.value("operations_per_byte",
            ratio(2 * static_cast<double>(run.queues[matmul].macs), static_cast<double>(bytes)));
  for (std::size_t view = 0; view < run.operands.size(); ++view) {
    std::string name = attention_view_name(view);
    std::replace(name.begin(), name.end(), ' ', '_');
    out.begin(name);
    out.count("read_bytes", run.operands[view].read_bytes);
    out.count("written_bytes", run.operands[view].written_bytes);
    out.count("transfers", run.operands[view].transfers);
    out.end();
  }
  out.end();
}

void account(const AcceleratorConfig& config, const AttentionRun& run, Accounts& accounts) {
  account_queues(config, run.queue_names, {run.queues}, run.cycles, accounts.time);
  const std::string& link = config.dma.link;
  accounts.bytes.link(link, run.moved.read_bytes, run.moved.written_bytes);
  for (std::size_t view = 0; view < run.operands.size(); ++view) {
    const OperandCounters& operand = run.operands[view];
    if (operand.transfers == 0) continue;
    accounts.bytes.share(link, attention_view_name(view), operand.read_bytes, operand.written_bytes);
  }
}

}  // namespace mesim::accel
