#include "litmus/operational/trace.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "litmus/operational/buffer_choice.hpp"
#include "litmus/operational/path_search.hpp"
#include "litmus/operational/weak_world.hpp"

namespace mesim::litmus {
namespace {

using namespace operational;

std::string instruction_text(const Test& test, std::size_t thread, std::size_t pc) {
  const Thread& t = test.threads[thread];
  const auto source = t.code[pc].source;
  return source < t.sources.size() ? t.sources[source].text : std::string();
}

void append(std::string& list, const std::string& item) {
  if (!list.empty()) list += ' ';
  list += item;
}

std::string word_text(const Test& test, std::size_t word, Value value) {
  return fmt::format("{}={}", test.locations[word].name, value_text(test, value));
}

// `effect` has a place for the value.
void set(MachineStep& step, MachineStep::Kind kind, const std::string& value, fmt::string_view effect) {
  step.kind = kind;
  step.value = value;
  step.effect = fmt::vformat(effect, fmt::make_format_args(value));
}

void tell_exchange(MachineStep& step, const std::string& was, const std::string& is) {
  step.kind = MachineStep::Kind::exchange;
  step.value = was + "->" + is.substr(is.find('=') + 1);
  step.effect = fmt::format("reads {} and leaves {} in memory in one step", was, is);
}

// A run of the machine with store buffers in words.
class BufferTeller {
 public:
  explicit BufferTeller(BufferMachine& machine) : machine_(machine), test_(machine.test()) {}

  MachineStep tell(const Cell* before, const Action& action, const Cell* after) {
    MachineStep step;
    step.thread = action.thread;
    if (action.kind == Action::Kind::drain) {
      step.kind = MachineStep::Kind::buffer_to_memory;
      step.value = word_text(test_, action.word, value(after[action.word]));
      step.effect = step.value + " drains to memory";
    } else {
      const auto pc = before[machine_.program().threads[action.thread].pc];
      step.instruction = instruction_text(test_, action.thread, pc);
      tell_core(before, action, after, step);
    }
    for (std::size_t t = 0; t < test_.threads.size(); ++t) step.waiting.push_back(buffer_text(after, t));
    for (std::size_t w = 0; w < test_.locations.size(); ++w)
      append(step.memory, word_text(test_, w, value(after[w])));
    return step;
  }

 private:
  Value value(Cell number) const { return machine_.values()[number]; }

  std::string buffer_text(const Cell* s, std::size_t t) const {
    std::string text;
    for (unsigned e = 0; e < machine_.entries(s, t); ++e) {
      const Cell* entry = machine_.entry(s, t, e);
      append(text, entry[0] == BufferMachine::marker    ? "|"
                   : entry[0] == BufferMachine::barrier ? "/"
                                                        : word_text(test_, entry[0], value(entry[1])));
    }
    return text;
  }

  bool in_buffer(const Cell* s, std::size_t t, std::size_t word, Cell& newest) const {
    for (unsigned e = machine_.entries(s, t); e-- > 0;)
      if (machine_.entry(s, t, e)[0] == word) {
        newest = machine_.entry(s, t, e)[1];
        return true;
      }
    return false;
  }

  void tell_core(const Cell* before, const Action& action, const Cell* after, MachineStep& step) {
    const auto kind = machine_.point(before, action.thread).step;
    if (kind == Step::drain || kind == Step::marker || kind == Step::barrier) {
      step.effect = kind == Step::drain    ? "passes: the store buffer is empty"
                    : kind == Step::marker ? "separates the stores before from those after"
                                           : "holds later loads until the stores before are in memory";
      return;
    }
    const auto word = static_cast<std::size_t>(machine_.next_word(before, action.thread));
    const auto was = word_text(test_, word, value(before[word]));
    const auto is = word_text(test_, word, value(after[word]));
    Cell newest = 0;
    if (kind == Step::load && in_buffer(before, action.thread, word, newest))
      set(step, MachineStep::Kind::buffer_to_core, word_text(test_, word, value(newest)),
          "reads {} from its own store buffer");
    else if (kind == Step::load)
      set(step, MachineStep::Kind::memory_to_core, was, "reads {} from memory");
    else if (kind == Step::store && in_buffer(after, action.thread, word, newest))
      set(step, MachineStep::Kind::core_to_buffer, word_text(test_, word, value(newest)),
          "{} goes to the store buffer");
    else if (kind == Step::store)
      set(step, MachineStep::Kind::core_to_memory, is, "{} goes to memory");
    else if (kind == Step::conditional && action.kind == Action::Kind::conditional_fails)
      step.effect = "fails";
    else if (kind == Step::conditional)
      set(step, MachineStep::Kind::core_to_memory, is, "{} goes to memory, the reservation held");
    else
      tell_exchange(step, was, is);
  }

  BufferMachine& machine_;
  const Test& test_;
};

std::optional<MachineTrace> buffer_trace(const Test& test, Model model, const Outcome& outcome,
                                         const Limits& limits) {
  BufferMachine machine(test, buffer_rules(model), true);
  BufferChoice choice(machine);
  std::vector<Cell> first(machine.cells()), next(machine.cells());
  machine.initial(first.data());
  std::vector<Action> actions;
  const auto path = shortest_path<Cell, Action>(
      first, machine.cells(), limits.states,
      [&](const Cell* s, auto emit) {
        choice.choose(s, actions);
        for (const Action& action : actions) {
          next.assign(s, s + machine.cells());
          machine.apply(action, next.data());
          emit(action, next.data());
        }
      },
      [&](const Cell* s) { return machine.finished(s) && machine.outcome(s) == outcome; });
  if (!path.found) return std::nullopt;
  MachineTrace trace;
  trace.buffers = true;
  BufferTeller teller(machine);
  const Cell* before = path.start.data();
  for (std::size_t i = 0; i < path.moves.size(); ++i) {
    trace.steps.push_back(teller.tell(before, path.moves[i], path.states[i].data()));
    before = path.states[i].data();
  }
  return trace;
}

MachineStep tell_weak(const WeakWorld& world, const Row* before, WeakMove move, const Row* after) {
  const Test& test = world.test();
  MachineStep step;
  step.thread = move.thread;
  const ThreadState& state = world.thread(before, move.thread);
  const Offer& offer = state.offers[move.offer];
  step.instruction = instruction_text(test, move.thread, state.window[offer.at].pc);
  const auto was = word_text(test, offer.word, world.word(before, offer.word));
  const auto is = word_text(test, offer.word, world.word(after, offer.word));
  if (offer.forwarded)
    set(step, MachineStep::Kind::buffer_to_core, word_text(test, offer.word, world.values()[offer.value]),
        "reads {} from its own store that is not in memory yet");
  else if (offer.reads && offer.writes)
    tell_exchange(step, was, is);
  else if (offer.reads)
    set(step, MachineStep::Kind::memory_to_core, was, "reads {} from memory");
  else
    set(step, MachineStep::Kind::core_to_memory, is, "{} goes to memory");
  for (std::size_t t = 0; t < test.threads.size(); ++t) {
    std::string waiting;
    for (const Reached& r : world.thread(after, t).window)
      if (is_memory(test.threads[t].code[r.pc].op) && !r.performed && !r.fails)
        waiting += (waiting.empty() ? "" : "; ") + instruction_text(test, t, r.pc);
    step.waiting.push_back(waiting);
  }
  for (std::size_t w = 0; w < test.locations.size(); ++w)
    append(step.memory, word_text(test, w, world.word(after, w)));
  return step;
}

std::optional<MachineTrace> weak_trace(const Test& test, Model model, const Outcome& outcome,
                                       const Limits& limits) {
  WeakWorld world(test, weak_rules(model), limits);
  std::vector<WeakMove> moves;
  std::vector<Row> next;
  const auto path = shortest_path<Row, WeakMove>(
      world.first(), world.rows(), limits.states,
      [&](const Row* s, auto emit) {
        if (world.done(s)) return;
        world.choose(s, true, moves);
        for (const WeakMove move : moves) {
          next.clear();
          world.perform(s, move, next);
          for (std::size_t at = 0; at < next.size(); at += world.rows()) emit(move, next.data() + at);
        }
      },
      [&](const Row* s) { return world.done(s) && world.outcome(s) == outcome; });
  if (!path.found) return std::nullopt;
  MachineTrace trace;
  const Row* before = path.start.data();
  for (std::size_t i = 0; i < path.moves.size(); ++i) {
    trace.steps.push_back(tell_weak(world, before, path.moves[i], path.states[i].data()));
    before = path.states[i].data();
  }
  return trace;
}

}  // namespace

std::optional<MachineTrace> machine_trace(const Test& test, Model model, const Outcome& outcome,
                                          const Limits& limits) {
  const bool weak = model == Model::rmo || model == Model::ztso || model == Model::rvwmo;
  return weak ? weak_trace(test, model, outcome, limits) : buffer_trace(test, model, outcome, limits);
}

std::string trace_text(const MachineTrace& trace) {
  std::size_t instruction = 0, effect = 0;
  for (const MachineStep& step : trace.steps) {
    instruction = std::max(instruction, step.instruction.size());
    effect = std::max(effect, step.effect.size());
  }
  std::string text;
  for (std::size_t i = 0; i < trace.steps.size(); ++i) {
    const MachineStep& step = trace.steps[i];
    std::string waiting;
    for (std::size_t t = 0; t < step.waiting.size(); ++t)
      if (!step.waiting[t].empty()) waiting += fmt::format("  P{}: [{}]", t, step.waiting[t]);
    auto line = fmt::format("{:3}  P{}  {:<{}}  {:<{}}  memory {}", i + 1, step.thread, step.instruction,
                            instruction, step.effect, effect, step.memory);
    if (!waiting.empty()) line += (trace.buffers ? "; buffers" : "; waiting") + waiting;
    text += line + "\n";
  }
  return text;
}

}  // namespace mesim::litmus
