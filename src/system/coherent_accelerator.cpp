#include "system/coherent_accelerator.hpp"

#include "system/accelerator_energy.hpp"

namespace mesim {
namespace {

accel::AcceleratorConfig on_lines(const SystemConfig& system) {
  accel::AcceleratorConfig config = system.accel;
  config.use(accel::element_type(system.workload.dtype));
  // Its memory tells when a transfer has ended, as DRAM does.
  config.dma.memory = "dram";
  return config;
}

accel::GemmTask task_of(const WorkloadConfig& workload) {
  return {.m = workload.m,
          .n = workload.n,
          .k = workload.k,
          .transpose_a = workload.transpose_a,
          .transpose_b = workload.transpose_b,
          .transpose_c = workload.transpose_c};
}

std::uint64_t key_of(std::uint64_t line, bool write) { return line << 1 | (write ? 1 : 0); }

}  // namespace

accel::TransferTime CoherentPath::begin(const accel::TileOp& op, Cycles) {
  if (op.bytes == 0) return {};
  const std::uint64_t run = left_.size();
  const bool write = op.kind == accel::OpKind::store;
  std::uint64_t lines = 0;
  for (std::uint64_t piece = 0; piece * op.piece_bytes < op.bytes; ++piece) {
    const std::uint64_t address = op.address + piece * op.stride_bytes;
    const std::uint64_t last = (address + op.piece_bytes - 1) / line_bytes_;
    for (std::uint64_t line = address / line_bytes_; line <= last; ++line) {
      // Pieces beside each other may share a line.
      if (lines != 0 && lines_.back().line == line) continue;
      lines_.push_back({line, write, run});
      ++lines;
    }
  }
  left_.push_back(lines);
  return {0, 0, run};
}

DmaTransfer<NoData> CoherentPath::take() {
  const Line line = lines_.front();
  lines_.pop_front();
  waiting_for_[key_of(line.line, line.write)].push_back(line.run);
  ++under_way_;
  return {line.line, line.write, {}};
}

void CoherentPath::line_moved(const DmaTransfer<NoData>& transfer, Cycles now) {
  const auto found = waiting_for_.find(key_of(transfer.line, transfer.write));
  const std::uint64_t run = found->second.front();
  found->second.pop_front();
  if (found->second.empty()) waiting_for_.erase(found);
  --under_way_;
  if (--left_[run] == 0) done_.push_back({run, now});
}

std::optional<accel::TransferDone> CoherentPath::next(Cycles until) {
  if (done_.empty() || done_.front().at > until) return std::nullopt;
  const accel::TransferDone first = done_.front();
  done_.pop_front();
  return first;
}

AcceleratorFeed::AcceleratorFeed(const accel::AcceleratorConfig& config, const accel::SystolicMapper& mapper,
                                 std::uint32_t line_bytes)
    : path_(line_bytes),
      machine_(mapper.queues(), mapper.tokens(), mapper.token_names(), path_,
               {.jump_repetitions = config.jump_repetitions}) {
  machine_.begin(mapper.program());
}

void AcceleratorFeed::digest(Digest& digest) const {
  digest.add(machine_.now());
  digest.add(machine_.events());
  digest.add(path_.lines_under_way());
  digest.add(path_.moved().read_bytes);
  digest.add(path_.moved().written_bytes);
}

CoherentAccelerator::CoherentAccelerator(const SystemConfig& config, const std::string& source)
    : config_(on_lines(config)),
      mapper_(config_, task_of(config.workload), source),
      gemm_{1, config.workload.m, config.workload.n, config.workload.k},
      line_bytes_(config.l1d.line_bytes) {
  mapper_.place_at(config.dma.source_address);
}

std::unique_ptr<AcceleratorFeed> CoherentAccelerator::feed() const {
  return std::make_unique<AcceleratorFeed>(config_, mapper_, line_bytes_);
}

void CoherentAccelerator::collect(AcceleratorFeed& feed, const SystemConfig& config,
                                  RunResult& result) const {
  if (!feed.finished()) return;  // stopped early
  feed.end();
  const accel::TileMachine& machine = feed.machine();
  accel::NetworkRun run;
  accel::LayerRun layer;
  layer.gemm = gemm_;
  layer.cycles = layer.ended = machine.now();
  layer.folds = mapper_.folds();
  layer.used_multipliers = mapper_.used_multipliers();
  layer.compulsory_bytes = mapper_.compulsory_bytes();
  layer.queues = machine.queues();
  layer.operands = machine.operands();
  layer.operands.resize(accel::gemm_operands);
  for (std::size_t i = 0; i < layer.queues.size(); ++i) run.queue_names.push_back(machine.queue_name(i));
  run.cycles = layer.cycles;
  run.layers.push_back(std::move(layer));
  // Its lines are paid where they pass: homes, network and memory.
  const EnergyLedger energy = engine_energy(config, run.layers.front());
  add_energies({energy}, result.accounts.energy);
  const auto figures = [&](std::size_t, StatWriter& out) { write_energy(energy, out); };
  accel::write_statistics(config_, run, figures, result.stats);
  accel::account_queues(config_, run.queue_names, {run.layers[0].queues}, run.cycles, result.accounts.time);
}

}  // namespace mesim
