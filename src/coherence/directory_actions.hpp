// What the named actions of the directory tables do. Written once over an environment, so that a run and the
// model checker execute the same code. An environment of a cache offers
//   NodeId self();  void send(const Message<Value>&);
//   void load(const Value&);            a load of the core takes this value
//   void load_once(const Value&);       only the oldest load may, the line is gone afterwards
//   void store(Value&);                 the store of the core that waits for this line (or hits)
// and one of a home
//   void send(const Message<Value>&);  void write_dma(Value&);       the data of the DMA write that waits
#pragma once
#include <algorithm>
#include <array>
#include <tuple>
#include <type_traits>

#include "coherence/directory_protocol.hpp"
#include "coherence/sharer_set.hpp"

namespace mesim::directory {

// What a cache remembers of a line, in its array or in an MSHR.
template <class Value>
struct CacheLine {
  CacheState state = CacheState::I;
  std::int16_t acks = 0;   // told by the home minus collected; negative while acks came before the data
  NodeId saved = no_node;  // who gets the data when our own store is done
  Value value{};           // from `fill` to `drop`
};

// What the home remembers of a line. `value` is the copy of the last level or memory.
template <class Value, class Sharers = FullMap>
struct HomeLine {
  HomeState state = HomeState::I;
  NodeId owner = no_node;
  NodeId saved = no_node;  // the agent whose DMA write waits
  std::int16_t acks = 0;   // InvAcks that the home still expects for itself
  Sharers sharers{};
  Value value{};
};

enum class Outcome : std::uint8_t {
  done,
  stalled,   // nothing has changed; the message stays at the head of its queue
  undefined  // the table has no row: the protocol is broken
};

// `row` is null for `undefined`.
template <class Row>
struct Applied {
  Outcome outcome;
  const Row* row;
};

// ---- cache ----

// The acks still missing once this message is taken in.
template <class Value>
int acks_after(const CacheLine<Value>& line, const Message<Value>& message) {
  return message.kind == MessageKind::InvAck ? line.acks - 1 : line.acks + message.acks;
}

template <class Value>
bool holds(CacheGuard guard, const CacheLine<Value>& line, const Message<Value>& message) {
  switch (guard) {
    case CacheGuard::always:
      return true;
    case CacheGuard::acks_complete:
      return acks_after(line, message) == 0;
    case CacheGuard::acks_missing:
      return acks_after(line, message) != 0;
  }
  return false;
}

template <class Value, class Env>
[[gnu::always_inline]] inline void perform(CacheAction action, CacheLine<Value>& line,
                                           const Message<Value>& message, Env& env) {
  const auto request = [&](MessageKind kind) { env.send({kind, home_node, env.self(), 0, Value{}}); };
  const auto data_to = [&](NodeId to, std::int16_t acks) {
    env.send({MessageKind::Data, to, no_node, acks, line.value});
  };
  switch (action) {
    case CacheAction::none:
    case CacheAction::stall:
      break;
    case CacheAction::get_s:
      request(MessageKind::GetS);
      break;
    case CacheAction::get_m:
      request(MessageKind::GetM);
      break;
    case CacheAction::put_s:
      request(MessageKind::PutS);
      break;
    case CacheAction::put_e:
      request(MessageKind::PutE);
      break;
    case CacheAction::put_m:
      env.send({MessageKind::PutM, home_node, env.self(), 0, line.value});
      break;
    case CacheAction::data_to_requestor:
      data_to(message.requestor, message.acks);
      break;
    case CacheAction::data_to_home:
      data_to(home_node, 0);
      break;
    case CacheAction::data_to_saved:
      data_to(line.saved, 0);
      line.saved = no_node;
      break;
    case CacheAction::inv_ack_to_requestor:
      env.send({MessageKind::InvAck, message.requestor, no_node, 0, Value{}});
      break;
    case CacheAction::save_requestor:
      line.saved = message.requestor;
      break;
    case CacheAction::add_acks:
      line.acks = static_cast<std::int16_t>(line.acks + message.acks);
      break;
    case CacheAction::collect_ack:
      --line.acks;
      break;
    case CacheAction::fill:
      line.value = message.value;
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

// ---- home ----

template <class Value, class Sharers>
bool holds(HomeGuard guard, const HomeLine<Value, Sharers>& line, const Message<Value>& message) {
  const auto owner = [&] { return message.requestor == line.owner; };
  const auto left = [&] { return line.sharers.count_without(message.requestor) != 0; };
  const auto acks = [&] { return line.acks - (message.kind == MessageKind::InvAck ? 1 : 0); };
  switch (guard) {
    case HomeGuard::always:
      return true;
    case HomeGuard::owner:
      return owner();
    case HomeGuard::not_owner:
      return !owner();
    case HomeGuard::sharers_left:
      return left();
    case HomeGuard::no_sharers_left:
      return !left();
    case HomeGuard::owner_sharers_left:
      return owner() && left();
    case HomeGuard::owner_no_sharers_left:
      return owner() && !left();
    case HomeGuard::acks_complete:
      return acks() == 0;
    case HomeGuard::acks_missing:
      return acks() != 0;
    case HomeGuard::room:
      return line.sharers.has_room(message.requestor);
    case HomeGuard::no_room:
      return !line.sharers.has_room(message.requestor);
  }
  return false;
}

template <class Value, class Sharers, class Env>
[[gnu::always_inline]] inline void perform(HomeAction action, HomeLine<Value, Sharers>& line,
                                           const Message<Value>& message, Env& env) {
  const NodeId r = message.requestor;
  const auto others = [&] { return static_cast<std::int16_t>(line.sharers.count_without(r)); };
  const auto respond = [&](MessageKind kind, std::int16_t acks) {
    env.send({kind, r, no_node, acks, line.value});
  };
  const auto invalidate = [&](NodeId collector) {
    line.sharers.for_each(r, [&](NodeId cache) {
      env.send({MessageKind::Inv, cache, collector, 0, Value{}});
    });
  };
  switch (action) {
    case HomeAction::none:
    case HomeAction::stall:
      break;
    case HomeAction::data_to_requestor:
      respond(MessageKind::Data, 0);
      break;
    case HomeAction::data_with_acks_to_requestor:
      respond(MessageKind::Data, others());
      break;
    case HomeAction::exclusive_data_to_requestor:
      respond(MessageKind::DataE, 0);
      break;
    case HomeAction::put_ack:
      env.send({MessageKind::PutAck, r, no_node, 0, Value{}});
      break;
    case HomeAction::ack_count_to_owner:
      env.send({MessageKind::AckCount, line.owner, no_node, others(), Value{}});
      break;
    case HomeAction::forward_get_s:
      env.send({MessageKind::FwdGetS, line.owner, r, 0, Value{}});
      break;
    case HomeAction::forward_get_m:  // the requestor also collects from sharers beside the owner
      env.send({MessageKind::FwdGetM, line.owner, r, others(), Value{}});
      break;
    case HomeAction::invalidate_sharers:
      invalidate(r);
      break;
    case HomeAction::recall_owner:
      env.send({MessageKind::FwdGetM, line.owner, home_node, 0, Value{}});
      break;
    case HomeAction::recall_sharers:
      invalidate(home_node);
      line.acks = others();
      break;
    case HomeAction::recall_one_sharer: {
      const NodeId victim = line.sharers.victim();
      env.send({MessageKind::Inv, victim, home_node, 0, Value{}});
      line.sharers.remove(victim);
      line.acks = 1;
      break;
    }
    case HomeAction::collect_ack:
      --line.acks;
      break;
    case HomeAction::add_sharer:
      line.sharers.add(r);
      break;
    case HomeAction::remove_sharer:
      line.sharers.remove(r);
      break;
    case HomeAction::clear_sharers:
      line.sharers.clear();
      break;
    case HomeAction::owner_becomes_sharer:
      line.sharers.add(line.owner);
      line.owner = no_node;
      break;
    case HomeAction::set_owner:
      line.owner = r;
      break;
    case HomeAction::clear_owner:
      line.owner = no_node;
      break;
    case HomeAction::write_data:
      line.value = message.value;
      break;
    case HomeAction::save_requestor:
      line.saved = r;
      break;
    case HomeAction::write_dma:
      env.write_dma(line.value);
      break;
    case HomeAction::dma_ack:
      env.send({MessageKind::DmaAck, line.saved, no_node, 0, Value{}});
      line.saved = no_node;
      break;
  }
}

// ---- both ----

// The first row of the cell whose guard holds; null if there is none, which is a fault of the protocol.
// `message` is what arrived; for a core's event or a recall only its requestor matters.
template <class Table, class Event, class Line, class Value>
const typename Table::Row* find_row(const Table& table, Event event, const Message<Value>& message,
                                    const Line& line) {
  using Guard = std::remove_cvref_t<decltype(Table::Row::guard)>;
  for (const auto& row : table.cell(line.state, event)) {
    if (row.guard == Guard::always) [[likely]]
      return &row;
    if (holds(row.guard, line, message)) return &row;
  }
  return nullptr;
}

// A row that waits has `stall` as its only action.
template <class Row>
bool stalls(const Row& row) {
  using Action = std::remove_cvref_t<decltype(row.actions.items[0])>;
  return row.actions.count != 0 && row.actions.items[0] == Action::stall;
}

// Performs a row that does not stall and enters its next state.
template <class Row, class Line, class Value, class Env>
void perform_row(const Row& row, const Message<Value>& message, Line& line, Env& env) {
  for (const auto action : row.actions) perform(action, line, message, env);
  line.state = row.next;
}

// Lists of actions that most rows have. Who runs a table finds out once which list a row has, and then does
// its actions without asking for each of them.
template <auto... list>
struct ActionsInOrder {
  template <class Actions>
  static bool are(const Actions& actions) {
    using Action = std::remove_cvref_t<decltype(actions.items[0])>;
    const std::array<Action, sizeof...(list)> wanted{list...};
    return std::equal(actions.begin(), actions.end(), wanted.begin(), wanted.end());
  }
  template <class Line, class Value, class Env>
  [[gnu::always_inline]] static inline void perform_all(Line& line, const Message<Value>& message, Env& env) {
    (perform(list, line, message, env), ...);
  }
};
template <class... Lists>
struct KnownActions {
  static constexpr std::uint8_t other = sizeof...(Lists);
  template <class Row>
  static std::uint8_t of(const Row& row) {
    std::uint8_t found = 0;
    const bool any = ((Lists::are(row.actions) || (++found, false)) || ...);
    return any ? found : other;
  }
  // `known`: what `of` said of the row.
  template <class Row, class Line, class Value, class Env>
  [[gnu::always_inline]] static inline void perform_row(std::uint8_t known, const Row& row,
                                                        const Message<Value>& message, Line& line, Env& env) {
    switch (known) {
      case 0:
        one<0>(line, message, env);
        break;
      case 1:
        one<1>(line, message, env);
        break;
      case 2:
        one<2>(line, message, env);
        break;
      case 3:
        one<3>(line, message, env);
        break;
      case 4:
        one<4>(line, message, env);
        break;
      case 5:
        one<5>(line, message, env);
        break;
      case 6:
        one<6>(line, message, env);
        break;
      case 7:
        one<7>(line, message, env);
        break;
      default:
        all_of(row, message, line, env);
        return;
    }
    line.state = row.next;
  }

 private:
  static_assert(sizeof...(Lists) == 8);
  template <std::size_t i, class Line, class Value, class Env>
  [[gnu::always_inline]] static inline void one(Line& line, const Message<Value>& message, Env& env) {
    std::tuple_element_t<i, std::tuple<Lists...>>::perform_all(line, message, env);
  }
  template <class Row, class Line, class Value, class Env>
  [[gnu::noinline]] static void all_of(const Row& row, const Message<Value>& message, Line& line, Env& env) {
    directory::perform_row(row, message, line, env);
  }
};
using KnownCacheActions =
    KnownActions<ActionsInOrder<CacheAction::get_s>, ActionsInOrder<CacheAction::get_m>,
                 ActionsInOrder<CacheAction::put_e>, ActionsInOrder<CacheAction::put_m>,
                 ActionsInOrder<CacheAction::fill, CacheAction::load>,
                 ActionsInOrder<CacheAction::add_acks, CacheAction::fill, CacheAction::store>,
                 ActionsInOrder<CacheAction::drop>,
                 ActionsInOrder<CacheAction::inv_ack_to_requestor, CacheAction::drop>>;
using KnownHomeActions = KnownActions<
    ActionsInOrder<HomeAction::data_to_requestor, HomeAction::add_sharer>,
    ActionsInOrder<HomeAction::exclusive_data_to_requestor, HomeAction::set_owner>,
    ActionsInOrder<HomeAction::data_to_requestor, HomeAction::set_owner>,
    ActionsInOrder<HomeAction::put_ack, HomeAction::clear_owner>,
    ActionsInOrder<HomeAction::write_data, HomeAction::put_ack, HomeAction::clear_owner>,
    ActionsInOrder<HomeAction::remove_sharer, HomeAction::put_ack>,
    ActionsInOrder<HomeAction::forward_get_s, HomeAction::owner_becomes_sharer, HomeAction::add_sharer>,
    ActionsInOrder<HomeAction::write_data>>;

// All three together.
template <class Table, class Event, class Line, class Value, class Env>
Applied<typename Table::Row> apply(const Table& table, Event event, const Message<Value>& message, Line& line,
                                   Env& env) {
  const auto* row = find_row(table, event, message, line);
  if (row == nullptr) return {Outcome::undefined, nullptr};
  if (stalls(*row)) return {Outcome::stalled, row};
  perform_row(*row, message, line, env);
  return {Outcome::done, row};
}

}  // namespace mesim::directory
