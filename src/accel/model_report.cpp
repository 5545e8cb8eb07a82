// What a model on an accelerator leaves in a result.
#include <algorithm>

#include "accel/model_run.hpp"
#include "accel/systolic_mapper.hpp"

namespace mesim::accel {

Cycles OperatorRun::cycles() const {
  return std::visit([](const auto& kind) { return kind.cycles; }, run);
}

const std::vector<QueueCounters>& OperatorRun::queues() const {
  return std::visit(
      [](const auto& kind) -> const auto& { return kind.queues; }, run);
}

const std::vector<OperandCounters>& OperatorRun::operands() const {
  return std::visit(
      [](const auto& kind) -> const auto& { return kind.operands; }, run);
}

std::vector<std::string> OperatorRun::operand_names() const {
  if (const auto* kernel = std::get_if<KernelRun>(&run)) return kernel->operand_names;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < gemm_operands; ++i) names.emplace_back(gemm_operand_name(i));
  return names;
}

std::uint64_t OperatorRun::compulsory_bytes() const {
  return std::visit([](const auto& kind) { return kind.compulsory_bytes; }, run);
}

void write_figures(const AcceleratorConfig& config, const OperatorRun& run, StatWriter& out) {
  std::visit([&](const auto& kind) { write_figures(config, kind, out); }, run.run);
  out.count("parameters", run.parameters);
}

void write_totals(const AcceleratorConfig& config, const ModelRun& run, StatWriter& out) {
  std::uint64_t macs = 0;
  std::uint64_t done = 0;
  std::uint64_t parameters = 0;
  std::uint64_t compulsory = 0;
  for (const OperatorRun& op : run.operators) {
    macs += op.macs;
    parameters += op.parameters;
    compulsory += op.compulsory_bytes();
    for (const QueueCounters& queue : op.queues()) done += queue.macs;
  }
  const double slots = static_cast<double>(std::uint64_t{config.rows} * config.columns * config.arrays) *
                       static_cast<double>(run.cycles);
  out.begin("model");
  out.count("cycles", run.cycles);
  out.count("operators", run.operators.size());
  out.count("macs", macs);
  out.count("array_macs", done);  // fewer by winograd, and by what a mask leaves out
  out.count("parameters", parameters);
  out.value("utilisation_percent", slots > 0 ? 100 * static_cast<double>(done) / slots : 0);
  out.count("read_bytes", run.moved.read_bytes);
  out.count("written_bytes", run.moved.written_bytes);
  out.count("compulsory_bytes", compulsory);
  out.end();
}

void account(const AcceleratorConfig& config, const ModelRun& run, Accounts& accounts) {
  std::vector<std::string> units;
  for (const OperatorRun& op : run.operators) {
    for (std::size_t q = 0; q < op.queue_names.size(); ++q) {
      const std::string& name = op.queue_names[q];
      if (!has_unit(config, name, q) || std::find(units.begin(), units.end(), name) != units.end()) continue;
      units.push_back(name);
      accounts.time.unit(name, run.cycles);
    }
  }
  for (const OperatorRun& op : run.operators) {
    for (const std::string& unit : units) {
      const auto found = std::find(op.queue_names.begin(), op.queue_names.end(), unit);
      if (found == op.queue_names.end()) {
        accounts.time.owner(unit, "other operators", op.cycles());
        continue;
      }
      const auto queue = static_cast<std::size_t>(found - op.queue_names.begin());
      account_queue(unit, queue, op.queues()[queue], accounts.time);
    }
  }
  const std::string& link = config.dma.link;
  accounts.bytes.link(link, run.moved.read_bytes, run.moved.written_bytes);
  for (const OperatorRun& op : run.operators) {
    const std::vector<std::string> names = op.operand_names();
    for (std::size_t i = 0; i < op.operands().size(); ++i) {
      const OperandCounters& operand = op.operands()[i];
      if (operand.transfers == 0) continue;
      accounts.bytes.share(link, names[i], operand.read_bytes, operand.written_bytes);
    }
  }
}

}  // namespace mesim::accel
