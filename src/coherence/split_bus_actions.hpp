// What the named actions of the split-bus tables do, written once over an environment. That of a cache offers
//   NodeId self();  void request(RequestKind);  void send(const DataMessage<Value>&);
//   void load(const Value&);            a load of the core takes this value
//   void load_once(const Value&);       only the oldest load may, the line is gone afterwards
//   void store(Value&);                 the store of the core that waits for this line (or hits)
// and that of memory `send` alone.
#pragma once
#include "coherence/split_bus_protocol.hpp"

namespace mesim::split_bus {

// What a cache remembers of a line.
template <class Value>
struct CacheLine {
  CacheState state = CacheState::I;
  NodeId saved = no_node;  // who gets the data once it has come
  Value value{};           // from `fill` to `drop`
};

// What memory remembers of a line, beside its content.
template <class Value>
struct MemoryLine {
  MemoryState state = MemoryState::IorS;
  NodeId awaited = no_node;  // the tag of the data that it waits for
  bool awaits_put = false;
  Value value{};
};

// What a controller gets: a snooped request or a data message, with the other part empty.
template <class Value>
struct Incoming {
  Request request{};
  DataMessage<Value> data{};
};

enum class Outcome : std::uint8_t {
  done,
  stalled,   // nothing has changed; the head of the queue stays there
  undefined  // the table has no row: the protocol is broken
};

template <class Value>
bool holds(CacheGuard, const CacheLine<Value>&, const Incoming<Value>&) {
  return true;
}

template <class Value, class Env>
void perform(CacheAction action, CacheLine<Value>& line, const Incoming<Value>& in, Env& env) {
  const NodeId r = in.request.requestor;
  const auto data_to = [&](NodeId to, NodeId requestor) {
    env.send({DataKind::Data, env.self(), to, requestor, false, line.value});
  };
  const auto answer_put = [&](DataKind kind, const Value& value) {
    env.send({kind, env.self(), memory_node, env.self(), true, value});
  };
  switch (action) {
    case CacheAction::none:
    case CacheAction::stall:
      break;
    case CacheAction::get_s:
      env.request(RequestKind::GetS);
      break;
    case CacheAction::get_m:
      env.request(RequestKind::GetM);
      break;
    case CacheAction::put_m:
      env.request(RequestKind::PutM);
      break;
    case CacheAction::data_to_requestor:
      data_to(r, r);
      break;
    case CacheAction::data_to_memory:
      data_to(memory_node, r);
      break;
    case CacheAction::save_requestor:
      line.saved = r;
      break;
    case CacheAction::data_to_saved:
      data_to(line.saved, line.saved);
      line.saved = no_node;
      break;
    case CacheAction::copy_to_memory_for_saved:  // before data_to_saved, which forgets
      data_to(memory_node, line.saved);
      break;
    case CacheAction::forget_saved:
      line.saved = no_node;
      break;
    case CacheAction::answer_put:
      answer_put(DataKind::Data, line.value);
      break;
    case CacheAction::answer_put_shared:
      answer_put(DataKind::DataS, line.value);
      break;
    case CacheAction::answer_put_clean:
      answer_put(DataKind::NoDataE, Value{});
      break;
    case CacheAction::answer_put_stale:
      answer_put(DataKind::NoData, Value{});
      break;
    case CacheAction::fill:
      line.value = in.data.value;
      break;
    case CacheAction::load:
      env.load(line.value);
      break;
    case CacheAction::load_once:
      env.load_once(line.value);
      break;
    case CacheAction::store:
      env.store(line.value);
      break;
    case CacheAction::drop:
      line.value = Value{};
      break;
  }
}

template <class Value>
bool holds(MemoryGuard guard, const MemoryLine<Value>& line, const Incoming<Value>& in) {
  const bool awaited = in.data.requestor == line.awaited && in.data.for_put == line.awaits_put;
  return guard == MemoryGuard::always || awaited == (guard == MemoryGuard::awaited);
}

template <class Value, class Env>
void perform(MemoryAction action, MemoryLine<Value>& line, const Incoming<Value>& in, Env& env) {
  const NodeId r = in.request.requestor;
  switch (action) {
    case MemoryAction::none:
    case MemoryAction::stall:
      break;
    case MemoryAction::data_to_requestor:
      env.send({DataKind::Data, memory_node, r, r, false, line.value});
      break;
    case MemoryAction::exclusive_data_to_requestor:
      env.send({DataKind::DataE, memory_node, r, r, false, line.value});
      break;
    case MemoryAction::await_copy:
      line.awaited = r;
      line.awaits_put = false;
      break;
    case MemoryAction::await_put:
      line.awaited = r;
      line.awaits_put = true;
      break;
    case MemoryAction::write_data:
      line.value = in.data.value;
      break;
  }
}

// Takes an event if a row lets it: the first of the cell whose guard holds. A row that waits has `stall` as
// its only action.
template <class Table, class Event, class Line, class Value, class Env>
Outcome apply(const Table& table, Event event, const Incoming<Value>& in, Line& line, Env& env) {
  for (const auto& row : table.cell(line.state, event)) {
    if (!holds(row.guard, line, in)) continue;
    using Action = std::remove_cvref_t<decltype(row.actions.items[0])>;
    if (row.actions.count != 0 && row.actions.items[0] == Action::stall) return Outcome::stalled;
    for (const auto action : row.actions) perform(action, line, in, env);
    line.state = row.next;
    return Outcome::done;
  }
  return Outcome::undefined;
}

}  // namespace mesim::split_bus
