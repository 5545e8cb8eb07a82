#include "coherence/checker/split_bus_model.hpp"

#include <fmt/format.h>

#include "coherence/checker/split_bus_world.hpp"
#include "coherence/checker/table_coverage.hpp"
#include "sim/error.hpp"

namespace mesim::checker {
namespace {

using namespace split_bus;
using World = SplitBusWorld;
using In = Incoming<std::uint8_t>;

class SplitBusModel final : public Model {
 public:
  SplitBusModel(const Protocol& protocol, unsigned caches, unsigned snoop_queue)
      : protocol_(protocol),
        caches_(caches),
        snoop_queue_(snoop_queue),
        cache_reached_(cache_state_count * cache_event_count),
        memory_reached_(memory_state_count * memory_event_count) {}

  std::string name() const override { return protocol_.name(); }
  bool symmetric() const override { return true; }
  std::vector<std::string> participants() const override {
    std::vector<std::string> out;
    for (unsigned i = 0; i < caches_; ++i) out.push_back(fmt::format("P{}", i));
    out.emplace_back("bus");
    out.emplace_back("memory");
    return out;
  }
  Packed initial() const override {
    World world(caches_);
    world.memory.state = protocol_.initial_memory();
    return packed(world);
  }
  Packed canonical(const Packed& state) const override {
    return canonical_packed(unpacked_split_bus(state.bytes(), caches_), protocol_.ordered_data());
  }
  void successors(std::span<const std::uint8_t> state, bool explain, Successors& out) override;
  std::string_view broken_invariant(std::span<const std::uint8_t> state, std::string& detail) const override {
    const char* broken = unpacked_split_bus(state, caches_).broken_invariant(detail);
    return broken == nullptr ? std::string_view{} : broken;
  }
  bool quiescent(std::span<const std::uint8_t> state) const override {
    return unpacked_split_bus(state, caches_).quiescent();
  }
  Coverage coverage() const override;

 private:
  class Step;

  void core_events(const World& now, NodeId self);
  void snoops(const World& now);
  void data(const World& now);
  static std::string node_name(NodeId node) {
    return node == memory_node ? "memory" : fmt::format("P{}", node);
  }
  static std::string text(const SplitData& m);

  Protocol protocol_;
  unsigned caches_;
  unsigned snoop_queue_;
  std::vector<bool> cache_reached_;  // [state][event]
  std::vector<bool> memory_reached_;
  Successors* out_ = nullptr;
  bool explain_ = false;
};

// One step under construction: a copy of the world, and the environment that the actions act on.
class SplitBusModel::Step {
 public:
  Step(SplitBusModel& model, const World& now) : model_(model), world_(now) {}

  World& world() { return world_; }

  // the environment of the actions
  NodeId self() const { return self_; }
  void request(RequestKind kind) {
    world_.wanted[self_] = kind;
    if (model_.explain_) text_.sent.push_back(fmt::format("{}(P{}) to bus", split_bus::name(kind), self_));
  }
  void send(const SplitData& m) {
    world_.send(m, model_.protocol_.ordered_data());
    if (model_.explain_) text_.sent.push_back(text(m));
  }
  void load(std::uint8_t) {}  // what a core may read is checked in every drained state
  void load_once(std::uint8_t) {}
  void store(std::uint8_t& value) { value = world_.ghost ^= 1; }

  void grant(NodeId cache) {
    const RequestKind kind = world_.wanted[cache];
    const std::string request =
        model_.explain_ ? fmt::format("{}(P{})", split_bus::name(kind), cache) : std::string();
    world_.grant(cache);
    if (model_.explain_) {
      for (unsigned i = 0; i < world_.count; ++i) text_.sent.push_back(fmt::format("{} to P{}", request, i));
      text_.sent.push_back(request + " to memory");
    }
    emit("bus", "-", "-", split_bus::name(kind), request + " to bus", Outcome::done);
  }
  // Whatever the controller takes in: emits the step unless it has to wait or is a hit that changes nothing.
  void cache(NodeId self, CacheEvent event, const In& in, const std::string& received) {
    self_ = self;
    CacheLine<std::uint8_t>& line = world_.caches[self];
    const CacheState before = line.state;
    model_.cache_reached_[static_cast<std::size_t>(before) * cache_event_count +
                          static_cast<std::size_t>(event)] = true;
    const Outcome outcome = apply(model_.protocol_.cache(), event, in, line, *this);
    if (outcome == Outcome::stalled) return;
    if (event == CacheEvent::Load && outcome == Outcome::done && line.state == before) return;
    emit(node_name(self), split_bus::name(before), split_bus::name(line.state), split_bus::name(event),
         received, outcome);
  }
  void memory(MemoryEvent event, const In& in, const std::string& received) {
    MemoryLine<std::uint8_t>& line = world_.memory;
    const MemoryState before = line.state;
    model_.memory_reached_[static_cast<std::size_t>(before) * memory_event_count +
                           static_cast<std::size_t>(event)] = true;
    const Outcome outcome = apply(model_.protocol_.memory(), event, in, line, *this);
    if (outcome == Outcome::stalled) return;
    emit("memory", split_bus::name(before), split_bus::name(line.state), split_bus::name(event), received,
         outcome);
  }

 private:
  void emit(const std::string& actor, std::string_view before, std::string_view after, std::string_view event,
            const std::string& received, Outcome outcome) {
    Successor& s = model_.out_->add();
    s.delivery = !received.empty();
    if (outcome == Outcome::undefined) {
      s.broken = "undefined event";
      s.detail = fmt::format("{} in {} gets {}, and the table has no row for it", actor, before, event);
    }
    s.state = packed(world_);
    if (!model_.explain_) return;
    text_.actor = actor;
    text_.before = before;
    text_.after = after;
    text_.event = actor == "bus" ? fmt::format("grants {}", event)
                  : s.delivery   ? fmt::format("receives {}", event)
                                 : std::string(event);
    text_.received = received;
    s.text = text_;
  }

  SplitBusModel& model_;
  World world_;
  NodeId self_ = no_node;
  StepText text_;
};

std::string SplitBusModel::text(const SplitData& m) {
  std::string out(split_bus::name(m.kind));
  if (m.to == memory_node) out += fmt::format("({} of P{})", m.for_put ? "PutM" : "GetS", m.requestor);
  return out + " to " + node_name(m.to);
}

void SplitBusModel::successors(std::span<const std::uint8_t> state, bool explain, Successors& out) {
  out.clear();
  out_ = &out;
  explain_ = explain;
  const World now = unpacked_split_bus(state, caches_);
  for (unsigned i = 0; i < caches_; ++i) core_events(now, static_cast<NodeId>(i));
  if (now.can_grant(snoop_queue_)) {
    for (unsigned i = 0; i < caches_; ++i) {
      if (now.wanted[i] != RequestKind::none) Step(*this, now).grant(static_cast<NodeId>(i));
    }
  }
  snoops(now);
  data(now);
}

void SplitBusModel::core_events(const World& now, NodeId self) {
  for (const CacheEvent event : {CacheEvent::Load, CacheEvent::Store, CacheEvent::Evict}) {
    if (event == CacheEvent::Evict && now.caches[self].state == CacheState::I) continue;
    Step(*this, now).cache(self, event, {}, {});
  }
}

// The oldest request that an agent has not seen.
void SplitBusModel::snoops(const World& now) {
  const auto received = [&](const Request& request, NodeId agent) {
    return fmt::format("{}(P{}) to {}", split_bus::name(request.kind), request.requestor, node_name(agent));
  };
  for (unsigned i = 0; i < caches_; ++i) {
    if (now.snoops[i].size() == 0) continue;
    const Request request = now.snoops[i][0];
    Step step(*this, now);
    step.world().snoops[i].erase(0);
    const auto self = static_cast<NodeId>(i);
    step.cache(self, cache_event(request.kind, request.requestor == self), {request, {}},
               explain_ ? received(request, self) : "-");
  }
  const World::SnoopQueue& queue = now.snoops[split_bus_model_caches];
  if (queue.size() == 0) return;
  Step step(*this, now);
  step.world().snoops[split_bus_model_caches].erase(0);
  step.memory(memory_event(queue[0].kind), {queue[0], {}}, explain_ ? received(queue[0], memory_node) : "-");
}

void SplitBusModel::data(const World& now) {
  for (std::size_t at = 0; at < now.to_caches.size(); ++at) {
    const SplitData m = now.to_caches[at];
    Step step(*this, now);
    step.world().to_caches.erase(at);
    step.cache(m.to, m.kind == DataKind::DataE ? CacheEvent::DataE : CacheEvent::Data, {{}, m},
               explain_ ? text(m) : "-");
  }
  for (unsigned i = 0; i < caches_; ++i) {
    const auto& list = now.to_memory[i];
    const std::size_t deliverable =
        protocol_.ordered_data() ? std::min<std::size_t>(list.size(), 1) : list.size();
    for (std::size_t at = 0; at < deliverable; ++at) {
      Step step(*this, now);
      step.world().to_memory[i].erase(at);
      step.memory(memory_event(list[at].kind), {{}, list[at]}, explain_ ? text(list[at]) : "-");
    }
  }
}

Coverage SplitBusModel::coverage() const {
  Coverage out;
  const auto more = [&](auto, auto) {
    return fmt::format("takes more than {} caches or snoop queues longer than {}", caches_, snoop_queue_);
  };
  const auto never = [](auto state, auto event) { return why_impossible(state, event); };
  add_coverage("cache", protocol_.cache(), cache_reached_, more, never, out);
  add_coverage("memory", protocol_.memory(), memory_reached_, more, never, out);
  return out;
}

}  // namespace

std::unique_ptr<Model> split_bus_model(const Protocol& protocol, unsigned caches, unsigned snoop_queue) {
  if (caches < 1 || caches > split_bus_model_caches) {
    throw bad_input({}, fmt::format("--caches: {} is outside 1 .. {}", caches, split_bus_model_caches));
  }
  if (snoop_queue < 1 || snoop_queue > split_bus_snoop_queue) {
    throw bad_input({},
                    fmt::format("--snoop-queue: {} is outside 1 .. {}", snoop_queue, split_bus_snoop_queue));
  }
  return std::make_unique<SplitBusModel>(protocol, caches, snoop_queue);
}

}  // namespace mesim::checker
