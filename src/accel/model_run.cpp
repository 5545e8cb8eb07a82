#include "accel/model_run.hpp"

#include "accel/window_mapper.hpp"

namespace mesim::accel {
namespace {

// A layer as a task for a mapper, done in the given way.
OperatorConfig task_of(const OperatorLayer& layer, const OperatorConfig& way) {
  OperatorConfig task = way;
  const auto take = [&](const ConvShape& shape) {
    task.batch = shape.batch;
    task.height = shape.height;
    task.width = shape.width;
    task.filter_height = shape.filter_height;
    task.filter_width = shape.filter_width;
    task.channels = shape.channels;
    task.filters = shape.filters;
    task.stride = shape.stride;
    task.depthwise = shape.depthwise;
  };
  if (const auto* conv = std::get_if<ConvShape>(&layer.shape)) {
    task.operation = "convolution";
    take(*conv);
    const bool three = conv->filter_height == 3 && conv->filter_width == 3 && conv->stride == 1;
    if (task.method == "winograd" && (!three || conv->depthwise)) task.method = "windows";
    if (task.method == "direct" && conv->depthwise && conv->filters != 1) task.method = "windows";
  } else if (const auto* pool = std::get_if<PoolShape>(&layer.shape)) {
    task.operation = pool->average ? "average_pool" : "max_pool";
    take(pool->windows);
  } else if (const auto* row = std::get_if<RowShape>(&layer.shape)) {
    task.operation = row->function;
    task.batch = 1;
    task.m = row->rows;
    task.n = row->columns;
  } else if (const auto* attention = std::get_if<AttentionShape>(&layer.shape)) {
    task.operation = "attention";
    task.batch = attention->batch;
    task.heads = attention->heads;
    task.kv_heads = attention->kv_heads;
    task.sequence = attention->queries;
    task.keys = attention->keys;
    task.head_dim = attention->head_dim;
    task.causal = attention->causal;
  } else {
    task.operation = "gemm";
  }
  return task;
}

class ModelRunner {
 public:
  ModelRunner(const AcceleratorConfig& config, const OperatorConfig& way, TransferMemory& memory,
              const std::string& source, RunWatch* watch)
      : config_(config), way_(way), memory_(memory), source_(source), watch_(watch) {}

  void run(const OperatorLayer& layer) {
    const OperatorConfig task = task_of(layer, way_);
    const bool conv = task.operation == "convolution";
    if (conv && task.method == "im2col") {
      add(layer.name + ".windows",
          run_kernels(config_, WindowMapper(config_, task, source_), memory_, watch_, nullptr, out_.cycles));
      if (!out_.complete) return;
    }
    if (layer.is_gemm() && (!conv || !(task.on_windows() || task.on_blocks()))) {
      product(layer);
    } else {
      add(layer.name, run_kernels(config_, task, memory_, source_, watch_, nullptr, out_.cycles));
    }
    out_.operators.back().macs = layer.macs();
    out_.operators.back().parameters = layer.parameters;
  }

  bool complete() const { return out_.complete; }
  ModelRun outcome() {
    out_.moved = memory_.moved();
    return std::move(out_);
  }

 private:
  void product(const OperatorLayer& layer) {
    const MovedBytes before = memory_.moved();
    NetworkRun run = run_layers(config_, {layer}, memory_, source_, watch_, out_.cycles);
    OperatorRun done;
    done.name = layer.name;
    done.queue_names = std::move(run.queue_names);
    done.moved.read_bytes = run.moved.read_bytes - before.read_bytes;
    done.moved.written_bytes = run.moved.written_bytes - before.written_bytes;
    done.run = std::move(run.layers.front());
    out_.cycles += done.cycles();
    out_.events += run.events;
    out_.complete = run.complete;
    out_.operators.push_back(std::move(done));
  }

  void add(const std::string& name, KernelRun run) {
    OperatorRun done;
    done.name = name;
    done.queue_names = run.queue_names;
    done.moved = run.moved;
    out_.cycles += run.cycles;
    out_.events += run.events;
    out_.complete = run.complete;
    done.run = std::move(run);
    out_.operators.push_back(std::move(done));
  }

  const AcceleratorConfig& config_;
  const OperatorConfig& way_;
  TransferMemory& memory_;
  const std::string& source_;
  RunWatch* watch_;
  ModelRun out_;
};

}  // namespace

ModelRun run_model(const AcceleratorConfig& config, const std::vector<OperatorLayer>& operators,
                   const OperatorConfig& way, TransferMemory& memory, const std::string& source,
                   RunWatch* watch) {
  ModelRunner runner(config, way, memory, source, watch);
  for (const OperatorLayer& layer : operators) {
    runner.run(layer);
    if (!runner.complete()) break;
  }
  return runner.outcome();
}

}  // namespace mesim::accel
