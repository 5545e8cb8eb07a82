#include "coherence/checker/directory_model.hpp"

#include <fmt/format.h>

#include <array>

#include "coherence/checker/directory_world.hpp"
#include "coherence/checker/table_coverage.hpp"
#include "coherence/directory_actions.hpp"
#include "sim/error.hpp"

namespace mesim::checker {
namespace {

using namespace directory;

class DirectoryModel final : public Model {
 public:
  DirectoryModel(const Protocol& protocol, unsigned caches)
      : protocol_(protocol),
        caches_(caches),
        cache_reached_(cache_state_count * cache_event_count),
        home_reached_(home_state_count * home_event_count) {}

  std::string name() const override { return protocol_.name(); }
  // a coarse vector knows neighbours
  bool symmetric() const override { return format().kind != DirectoryKind::coarse; }
  std::vector<std::string> participants() const override {
    std::vector<std::string> out;
    for (unsigned i = 0; i < caches_; ++i) out.push_back(node_name(static_cast<NodeId>(i)));
    out.push_back("home");
    if (protocol_.options().all_events) out.push_back("dma");
    return out;
  }
  Packed initial() const override { return packed(World(caches_, format())); }
  Packed canonical(const Packed& state) const override {
    return canonical_packed(unpacked(state.bytes(), caches_, format()), protocol_.ordered_forwards());
  }
  void successors(std::span<const std::uint8_t> state, bool explain, Successors& out) override;
  std::string_view broken_invariant(std::span<const std::uint8_t> state, std::string& detail) const override;
  bool quiescent(std::span<const std::uint8_t> state) const override {
    return unpacked(state, caches_, format()).quiescent();
  }
  Coverage coverage() const override;

 private:
  class Step;

  const DirectoryFormat& format() const { return protocol_.options().directory; }

  void core_events(const World& now, NodeId self);
  void home_and_dma_events(const World& now);
  void deliveries(const World& now);
  std::string node_name(NodeId node) const {
    if (node == home_node) return "home";
    return node < caches_ ? fmt::format("P{}", node) : "dma";
  }
  std::string text(const Msg& m) const;

  Protocol protocol_;
  unsigned caches_;
  std::vector<bool> cache_reached_;  // [state][event]
  std::vector<bool> home_reached_;
  Successors* out_ = nullptr;
  bool explain_ = false;
};

// One step under construction: a copy of the world, and the environment that the actions act on.
class DirectoryModel::Step {
 public:
  Step(DirectoryModel& model, const World& now) : model_(model), world_(now) {}

  World& world() { return world_; }

  // the environment of the actions
  NodeId self() const { return self_; }
  void send(const Msg& m) {
    world_.send(m, model_.protocol_);
    if (model_.explain_) text_.sent.push_back(model_.text(m));
  }
  void load(Bit) {}  // what a core may read is checked in every state
  void load_once(Bit) {}
  void store(Bit& value) { value = world_.write(); }
  void write_dma(Bit& value) { value = world_.write(); }

  // A cache's event. Emits the step unless the event has to wait or is a hit that changes nothing.
  void cache(NodeId self, CacheEvent event, const Msg& m, bool delivery) {
    self_ = self;
    CacheLine<Bit>& line = world_.caches[self];
    const CacheState before = line.state;
    model_.cache_reached_[static_cast<std::size_t>(before) * cache_event_count +
                          static_cast<std::size_t>(event)] = true;
    const auto applied = apply(model_.protocol_.cache(), event, m, line, *this);
    if (applied.outcome == Outcome::stalled) return;
    if (event == CacheEvent::Load && applied.outcome == Outcome::done && applied.row->next == before) return;
    emit(model_.node_name(self), directory::name(before), directory::name(line.state), directory::name(event),
         m, delivery, applied.outcome == Outcome::undefined);
  }
  void home(HomeEvent event, const Msg& m, bool delivery) {
    HomeLine<Bit, SharerSet>& line = world_.home;
    const HomeState before = line.state;
    model_.home_reached_[static_cast<std::size_t>(before) * home_event_count +
                         static_cast<std::size_t>(event)] = true;
    const auto applied = apply(model_.protocol_.home(), event, m, line, *this);
    if (applied.outcome == Outcome::stalled) return;
    if (event == HomeEvent::Recall && before == HomeState::I && applied.outcome == Outcome::done) return;
    if (event == HomeEvent::DmaRead) world_.dma_window = static_cast<std::uint8_t>(1u << world_.ghost);
    emit("home", directory::name(before), directory::name(line.state), directory::name(event), m, delivery,
         applied.outcome == Outcome::undefined);
  }
  void dma(Dma next, const Msg& m, bool delivery) {
    const Dma before = world_.dma;
    world_.dma = next;
    if (!delivery) send(m);
    if (delivery && before == Dma::reading && (world_.dma_window >> m.value & 1) == 0) {
      broken_ = "data value";
      detail_ = "the DMA read returns a value that was overwritten before the home took the read";
    }
    world_.dma_window = 0;
    emit("dma", dma_name(before), dma_name(next), directory::name(m.kind), m, delivery, false);
  }

 private:
  void emit(const std::string& actor, std::string_view before, std::string_view after, std::string_view event,
            const Msg& m, bool delivery, bool undefined) {
    Successor& s = model_.out_->add();
    s.delivery = delivery;
    if (undefined) {
      broken_ = "undefined event";
      detail_ = fmt::format("{} in {} gets {}, and the table has no row for it", actor, before,
                            delivery ? model_.text(m) : std::string(event));
    }
    s.broken = broken_;
    if (!broken_.empty()) s.detail = detail_;
    s.state = packed(world_);
    if (!model_.explain_) return;
    text_.actor = actor;
    text_.before = before;
    text_.after = after;
    text_.event = delivery ? "receives " + std::string(event) : std::string(event);
    text_.received = delivery ? model_.text(m) : std::string();
    s.text = text_;
  }

  DirectoryModel& model_;
  World world_;
  NodeId self_ = no_node;
  std::string_view broken_;
  std::string detail_;
  StepText text_;
};

std::string DirectoryModel::text(const Msg& m) const {
  std::string out(directory::name(m.kind));
  if (m.requestor != no_node) out += "(" + node_name(m.requestor) + ")";
  if (m.kind == MessageKind::Data || m.kind == MessageKind::AckCount ||
      (m.kind == MessageKind::FwdGetM && m.acks != 0)) {
    out += fmt::format(" acks={}", m.acks);
  }
  return out + " to " + node_name(m.to);
}

void DirectoryModel::successors(std::span<const std::uint8_t> state, bool explain, Successors& out) {
  out.clear();
  out_ = &out;
  explain_ = explain;
  const World now = unpacked(state, caches_, format());
  for (unsigned i = 0; i < caches_; ++i) core_events(now, static_cast<NodeId>(i));
  home_and_dma_events(now);
  deliveries(now);
}

void DirectoryModel::core_events(const World& now, NodeId self) {
  for (const CacheEvent event : {CacheEvent::Load, CacheEvent::Store, CacheEvent::Evict}) {
    if (event == CacheEvent::Evict && now.caches[self].state == CacheState::I) continue;
    Step(*this, now).cache(self, event, {.requestor = self}, false);
  }
}

void DirectoryModel::home_and_dma_events(const World& now) {
  const bool all = protocol_.options().all_events;
  if (all || format().kind == DirectoryKind::sparse)
    Step(*this, now).home(HomeEvent::Recall, {.requestor = home_node}, false);
  if (!all || now.dma != Dma::idle) return;
  const auto agent = static_cast<NodeId>(caches_);
  Step(*this, now).dma(Dma::reading, {MessageKind::DmaRead, home_node, agent, 0, 0}, false);
  Step(*this, now).dma(Dma::writing, {MessageKind::DmaWrite, home_node, agent, 0, 0}, false);
}

void DirectoryModel::deliveries(const World& now) {
  const auto deliver = [&](Step& step, const Msg& m) {
    if (m.to == home_node) {
      step.home(home_event(m.kind), m, true);
    } else if (m.to < caches_) {
      step.cache(m.to, cache_event(m.kind), m, true);
    } else {
      step.dma(Dma::idle, m, true);
    }
  };
  const auto unordered = [&](auto member) {
    const MessageList& list = now.*member;
    for (std::size_t i = 0; i < list.size(); ++i) {
      Step step(*this, now);
      (step.world().*member).erase(i);
      deliver(step, list[i]);
    }
  };
  unordered(&World::requests);
  for (unsigned i = 0; i < caches_; ++i) {
    const MessageList& queue = now.forwards[i];
    const std::size_t deliverable =
        protocol_.ordered_forwards() ? std::min<std::size_t>(queue.size(), 1) : queue.size();
    for (std::size_t at = 0; at < deliverable; ++at) {
      Step step(*this, now);
      step.world().forwards[i].erase(at);
      deliver(step, queue[at]);
    }
  }
  unordered(&World::responses);
}

std::string_view DirectoryModel::broken_invariant(std::span<const std::uint8_t> state,
                                                  std::string& detail) const {
  const World world = unpacked(state, caches_, format());
  const char* broken = world.broken_invariant(protocol_, detail);
  return broken == nullptr ? std::string_view{} : broken;
}

Coverage DirectoryModel::coverage() const {
  Coverage out;
  const auto more = [&](auto state, auto event) {
    constexpr bool at_home = std::is_same_v<decltype(state), HomeState>;
    if constexpr (at_home) {
      if (dma_write_pending(state) && (event == HomeEvent::DmaRead || event == HomeEvent::DmaWrite))
        return std::string("the model's one DMA agent is the one that is being served");
    }
    return fmt::format("takes more than {} caches", caches_);
  };
  const auto never = [](auto state, auto event) { return why_impossible(state, event); };
  add_coverage("cache", protocol_.cache(), cache_reached_, more, never, out);
  add_coverage("home", protocol_.home(), home_reached_, more, never, out);
  return out;
}

}  // namespace

std::unique_ptr<Model> directory_model(const Protocol& protocol, unsigned caches) {
  if (caches < 1 || caches > directory_model_caches) {
    throw bad_input({}, fmt::format("--caches: {} is outside 1 .. {}", caches, directory_model_caches));
  }
  return std::make_unique<DirectoryModel>(protocol, caches);
}

}  // namespace mesim::checker
