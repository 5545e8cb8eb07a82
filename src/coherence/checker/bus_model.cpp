#include "coherence/checker/bus_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "coherence/bus_transaction.hpp"
#include "sim/error.hpp"

namespace mesim::checker {
namespace {

// Copies hold one bit: the value of the last store, or its opposite for anything older.
struct Line {
  std::array<BusState, bus_model_caches> state{};
  std::array<std::uint8_t, bus_model_caches> value{};
  std::uint8_t memory = 0;
  std::uint8_t ghost = 0;
};

class BusModel final : public Model {
 public:
  BusModel(std::string name, const BusProtocol& protocol, unsigned caches, bool all_events)
      : name_(std::move(name)), protocol_(protocol), caches_(caches), all_events_(all_events) {}

  std::string name() const override { return name_; }
  bool symmetric() const override { return true; }
  std::vector<std::string> participants() const override {
    std::vector<std::string> out;
    for (unsigned c = 0; c < caches_; ++c) out.push_back(fmt::format("P{}", c));
    out.emplace_back("bus");
    return out;
  }
  Packed initial() const override { return packed({}); }
  Packed canonical(const Packed& state) const override {
    Packed out;
    std::array<std::uint8_t, bus_model_caches + 1> bytes{};
    std::copy(state.bytes().begin(), state.bytes().end(), bytes.begin());
    std::sort(bytes.begin(), bytes.begin() + caches_);
    for (unsigned i = 0; i <= caches_; ++i) out.push(bytes[i]);
    return out;
  }
  void successors(std::span<const std::uint8_t> state, bool explain, Successors& out) override;
  std::string_view broken_invariant(std::span<const std::uint8_t> state, std::string& detail) const override;
  bool quiescent(std::span<const std::uint8_t>) const override { return true; }
  Coverage coverage() const override;

 private:
  struct Copies;

  template <class Step>
  void attempt(const Line& now, const std::string& actor, Step step);
  void access(const Line& now, unsigned cache, BusEvent event);
  void evict(const Line& now, unsigned cache);
  void memory_side(const Line& now, BusEvent event);
  Successor& emit(const Line& next, std::string_view broken, const std::string& actor, std::string_view event,
                  std::string_view before, std::string_view after, std::vector<std::string> sent = {});
  void reach(BusState state, BusEvent event) {
    reached_[static_cast<std::size_t>(state) * bus_events + static_cast<std::size_t>(event)] = true;
  }

  Packed packed(const Line& line) const {
    Packed out;
    for (unsigned c = 0; c < caches_; ++c) {
      out.push(static_cast<std::uint8_t>(static_cast<unsigned>(line.state[c]) | line.value[c] << 7));
    }
    out.push(static_cast<std::uint8_t>(line.memory | line.ghost << 1));
    return out;
  }
  Line unpacked(std::span<const std::uint8_t> bytes) const {
    Line line;
    for (unsigned c = 0; c < caches_; ++c) {
      line.state[c] = static_cast<BusState>(bytes[c] & 0x7f);
      line.value[c] = bytes[c] >> 7;
    }
    line.memory = bytes[caches_] & 1;
    line.ghost = bytes[caches_] >> 1;
    return line;
  }

  std::string name_;
  BusProtocol protocol_;
  unsigned caches_;
  bool all_events_;
  std::array<bool, bus_states * bus_events> reached_{};
  Successors* out_ = nullptr;
  bool explain_ = false;
};

// What `bus_transaction.hpp` runs over.
struct BusModel::Copies {
  BusModel& model;
  Line line;
  std::uint8_t on_bus = 0;    // the supplier's value
  std::uint16_t updated = 0;  // caches that take the stored bytes
  unsigned count() const { return model.caches_; }
  BusState state(unsigned cache) const { return line.state[cache]; }
  bool own_queued(unsigned) const { return false; }  // one request at a time: nothing is queued
  void respond(unsigned cache, BusEvent event, const BusRow& row, bool supplies) {
    model.reach(line.state[cache], event);
    if (supplies) on_bus = line.value[cache];
    if (row.actions.has(BusAction::update_memory)) line.memory = line.value[cache];
    if (row.actions.has(BusAction::take_update)) updated = static_cast<std::uint16_t>(updated | 1u << cache);
    line.state[cache] = row.next;
    if (row.next == BusState::I) line.value[cache] = 0;
  }
};

Successor& BusModel::emit(const Line& next, std::string_view broken, const std::string& actor,
                          std::string_view event, std::string_view before, std::string_view after,
                          std::vector<std::string> sent) {
  Successor& s = out_->add();
  s.state = packed(next);
  s.broken = broken;
  if (!broken.empty())
    s.detail = fmt::format("{}: {} meets a value that is not of the last store", actor, event);
  if (explain_)
    s.text = {actor, std::string(event), std::string(before), std::string(after), {}, std::move(sent)};
  return s;
}

// A cell without rows is thrown by the table's own look-up.
template <class Step>
void BusModel::attempt(const Line& now, const std::string& actor, Step step) {
  try {
    step();
  } catch (const Error& error) {
    emit(now, "undefined event", actor, "-", "-", "-").detail = error.what();
  }
}

void BusModel::access(const Line& now, unsigned cache, BusEvent event) {
  const BusState state = now.state[cache];
  Copies copies{*this, now};
  std::vector<std::string> sent;
  BusState next;
  reach(state, event);
  if (const BusRow* hit = protocol_.hit(state, event)) {
    next = hit->next;
    if (event == BusEvent::Load && next == state) return;
  } else {
    const BusOutcome outcome = bus_request(protocol_, copies, cache, state, event);
    next = outcome.row->next;
    if (state == BusState::I)
      copies.line.value[cache] = outcome.supplier < 0 ? copies.line.memory : copies.on_bus;
    if (explain_) {
      for (const BusAction action : outcome.row->actions)
        sent.push_back(fmt::format("{} to bus", name_of(action)));
    }
  }
  Line& line = copies.line;
  line.state[cache] = next;
  const std::string_view broken = line.value[cache] != line.ghost ? "data value" : "";
  if (event == BusEvent::Store) {
    line.value[cache] = line.ghost ^= 1;
    for (unsigned c = 0; c < caches_; ++c) {
      if (copies.updated >> c & 1) line.value[c] = line.ghost;
    }
  }
  emit(line, broken, fmt::format("P{}", cache), name_of(event), name_of(state), name_of(next),
       std::move(sent));
}

void BusModel::evict(const Line& now, unsigned cache) {
  Line line = now;
  const BusState state = now.state[cache];
  const BusRow& row = protocol_.respond(state, BusEvent::Evict);
  reach(state, BusEvent::Evict);
  if (row.actions.has(BusAction::write_back)) line.memory = line.value[cache];
  line.state[cache] = row.next;
  line.value[cache] = 0;
  emit(line, "", fmt::format("P{}", cache), "Evict", name_of(state), name_of(row.next));
}

void BusModel::memory_side(const Line& now, BusEvent event) {
  Copies copies{*this, now};
  BusOutcome outcome;
  snoop(protocol_, copies, caches_, event, outcome);
  std::string_view broken;
  if (event == BusEvent::DmaRead &&
      (outcome.supplier < 0 ? copies.line.memory : copies.on_bus) != now.ghost) {
    broken = "data value";
  }
  if (event == BusEvent::DmaWrite) {
    // the bytes of the line that the device does not write must be current
    if (copies.line.memory != now.ghost) broken = "data value";
    copies.line.memory = copies.line.ghost ^= 1;
  }
  emit(copies.line, broken, "bus", name_of(event), "-", "-");
}

void BusModel::successors(std::span<const std::uint8_t> state, bool explain, Successors& out) {
  out.clear();
  out_ = &out;
  explain_ = explain;
  const Line now = unpacked(state);
  for (unsigned c = 0; c < caches_; ++c) {
    const std::string actor = fmt::format("P{}", c);
    attempt(now, actor, [&] { access(now, c, BusEvent::Load); });
    attempt(now, actor, [&] { access(now, c, BusEvent::Store); });
    if (now.state[c] != BusState::I) attempt(now, actor, [&] { evict(now, c); });
  }
  if (!all_events_) return;
  for (const BusEvent event : {BusEvent::Recall, BusEvent::DmaRead, BusEvent::DmaWrite}) {
    attempt(now, "bus", [&] { memory_side(now, event); });
  }
}

std::string_view BusModel::broken_invariant(std::span<const std::uint8_t> state, std::string& detail) const {
  const Line line = unpacked(state);
  unsigned valid = 0, exclusive = 0, dirty = 0;
  for (unsigned c = 0; c < caches_; ++c) {
    if (line.state[c] == BusState::I) continue;
    ++valid;
    exclusive += is_exclusive(line.state[c]);
    dirty += is_dirty(line.state[c]);
    if (line.value[c] != line.ghost) {
      detail =
          fmt::format("P{} in {} can read a value that is not of the last store", c, name_of(line.state[c]));
      return "data value";
    }
  }
  if (exclusive > 1 || (exclusive == 1 && valid > 1)) {
    detail = fmt::format("{} caches hold the line, {} of them exclusively", valid, exclusive);
    return "SWMR";
  }
  if (dirty > 1 || (dirty == 0 && line.memory != line.ghost)) {
    detail = dirty > 1 ? "two caches answer for a stale memory" : "memory is stale and nobody answers for it";
    return "quiescence";
  }
  return {};
}

Coverage BusModel::coverage() const {
  const BusTable& table = protocol_.table();
  std::array<bool, bus_states> has_state{};
  std::array<bool, bus_events> has_event{};
  for (const BusRow& row : table.rows()) {
    has_state[static_cast<std::size_t>(row.state)] = has_event[static_cast<std::size_t>(row.event)] = true;
  }
  Coverage out;
  for (std::size_t s = 0; s < bus_states; ++s) {
    for (std::size_t e = 0; e < bus_events; ++e) {
      const auto state = static_cast<BusState>(s);
      const auto event = static_cast<BusEvent>(e);
      if (!has_state[s] || !has_event[e] || (event >= BusEvent::Recall && !all_events_)) continue;
      if (reached_[s * bus_events + e]) {
        ++out.reached;
        continue;
      }
      const bool has_row = state != BusState::I && !table.cell(state, event).empty();
      out.unreached.push_back(
          {fmt::format("bus: {} x {}", name_of(state), name_of(event)),
           state == BusState::I  ? "a cache without the line lets everything pass"
           : has_row             ? fmt::format("takes more than {} caches", caches_)
           : is_exclusive(state) ? "nobody else holds a copy to upgrade or update"
                                 : "the requester of this transaction never shares with a copy in this state",
           has_row});
    }
  }
  return out;
}

}  // namespace

std::unique_ptr<Model> bus_model(std::string name, const BusProtocol& protocol, unsigned caches,
                                 bool all_events) {
  if (caches < 1 || caches > bus_model_caches) {
    throw bad_input({}, fmt::format("--caches: {} is outside 1 .. {}", caches, bus_model_caches));
  }
  return std::make_unique<BusModel>(std::move(name), protocol, caches, all_events);
}

}  // namespace mesim::checker
