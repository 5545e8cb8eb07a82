// MSI, MESI and MOESI on a split-transaction bus: requests are broadcast in one order, data travels on a
// network of its own without order. States, events, messages, and the two tables (cache, memory) that the
// model checker explores and `mesim protocol` prints.
//
// After Sorin, Hill, Wood, Nagarajan: A Primer on Memory Consistency and Cache Coherence, 2nd ed., chapter 7,
// whose state names are kept: XY_AD is "was X, will be Y, waits to see its own request and for data". A
// request is ordered when it is granted the bus; every cache and the memory then find it in their snoop
// queues, in the same order, and each takes it when it likes. Two rules concern data for memory:
//   - it can come before memory has seen the request that asks for it: memory leaves it waiting
//   - it carries a tag (requestor, answer to a PutM or copy for a GetS), and one cache's data for memory
//   stays in
//     order; otherwise a NoData of an earlier PutM is taken for the answer to a later one
// S is left silently, so memory may believe in sharers that have gone. An owner that is read by others copies
// the line to memory (MSI, MESI) or stays owner (MOESI). Under MESI and MOESI memory tells I from S and gives
// a reader of an I line E.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "coherence/protocol_listing.hpp"
#include "coherence/transition_table.hpp"

namespace mesim::split_bus {

enum class CacheState : std::uint8_t {
  I,
  S,
  E,
  O,
  M,
  IS_AD,
  IS_D,
  IS_A,
  IE_A,
  IS_D_S,
  IS_D_I,
  IS_D_SI,
  IM_AD,
  IM_D,
  IM_A,
  IM_D_S,
  IM_D_I,
  IM_D_SI,
  SM_AD,
  SM_D,
  SM_D_S,
  SM_A,
  OM_A,
  MI_A,
  EI_A,
  OI_A,
  II_A,
};
inline constexpr std::size_t cache_state_count = static_cast<std::size_t>(CacheState::II_A) + 1;

enum class CacheEvent : std::uint8_t {
  Load,
  Store,
  Evict,  // from the core
  OwnGetS,
  OwnGetM,
  OwnPutM,  // its own request comes by in the snoop queue
  OtherGetS,
  OtherGetM,
  OtherPutM,  // another cache's
  Data,
  DataE,  // from the data network
};
inline constexpr std::size_t cache_event_count = static_cast<std::size_t>(CacheEvent::DataE) + 1;

enum class CacheGuard : std::uint8_t { always };

// The requestor of a snooped request is r; `saved` is an r whose answer has to wait for our own data.
enum class CacheAction : std::uint8_t {
  none,
  stall,
  get_s,
  get_m,
  put_m,  // ask for the bus
  data_to_requestor,
  data_to_memory,  // the line, at once
  save_requestor,
  copy_to_memory_for_saved,
  data_to_saved,
  forget_saved,
  answer_put,
  answer_put_shared,
  answer_put_clean,
  answer_put_stale,  // Data, DataS, NoDataE, NoData for our PutM
  fill,
  load,
  load_once,
  store,
  drop,
};

enum class MemoryState : std::uint8_t {
  IorS,
  I,
  S,
  M,  // IorS only in MSI; M: some cache owns the line
  IorS_D,
  I_D,
  S_D,
  M_D,  // waits for the data, or its absence, that the last request entails
};
inline constexpr std::size_t memory_state_count = static_cast<std::size_t>(MemoryState::M_D) + 1;

enum class MemoryEvent : std::uint8_t {
  GetS,
  GetM,
  PutM,  // snooped
  Data,
  DataS,
  NoData,
  NoDataE,  // from the data network
};
inline constexpr std::size_t memory_event_count = static_cast<std::size_t>(MemoryEvent::NoDataE) + 1;

enum class MemoryGuard : std::uint8_t { always, awaited, not_awaited };

enum class MemoryAction : std::uint8_t {
  none,
  stall,
  data_to_requestor,
  exclusive_data_to_requestor,
  await_copy,
  await_put,  // the tag of the data to come
  write_data,
};

using CacheTable = TransitionTable<CacheState, CacheEvent, CacheGuard, CacheAction>;
using MemoryTable = TransitionTable<MemoryState, MemoryEvent, MemoryGuard, MemoryAction>;

using NodeId = std::uint16_t;  // caches are 0, 1, ...
inline constexpr NodeId memory_node = 0xffff;
inline constexpr NodeId no_node = 0xfffe;

enum class RequestKind : std::uint8_t { none, GetS, GetM, PutM };

struct Request {
  RequestKind kind = RequestKind::none;
  NodeId requestor = no_node;
};

enum class DataKind : std::uint8_t {
  Data,
  DataE,    // to a cache: and nobody else has the line
  DataS,    // to memory, in answer to a PutM: and others may share it
  NoData,   // in answer to a PutM: somebody else has taken the line since
  NoDataE,  // in answer to a PutM: the line was clean
};

// `Value` is what a line holds: one bit in the model checker.
template <class Value>
struct DataMessage {
  DataKind kind{};
  NodeId from = no_node;
  NodeId to = no_node;
  NodeId requestor = no_node;  // the request that this answers: whose
  bool for_put = false;        // ... and whether it was a PutM
  Value value{};
};

enum class Family : std::uint8_t { msi, mesi, moesi };

// Known faults, built in on request, that the checker must find.
enum class Mutation : std::uint8_t {
  none,
  no_early_data,   // memory has no row for data that comes before the request it belongs to
  untagged_data,   // memory takes any data for the data that it awaits
  unordered_data,  // one cache's data for memory may overtake
  no_is_d_i,       // a reader that is invalidated before its data comes keeps the line
  lose_sm_a_data,  // a cache with early data forgets it when another's GetM takes its old copy
};
std::string_view mutation_name(Mutation mutation);
// From its name; throws bad_input with the nearest name.
Mutation mutation_from(std::string_view name);

struct ProtocolOptions {
  Family family = Family::msi;
  bool nonstalling =
      false;  // caches note what others ask while they wait, instead of leaving it in the queue
  Mutation mutation = Mutation::none;
};

class Protocol {
 public:
  // `no_is_d_i` is a fault of the nonstalling form and selects it.
  explicit Protocol(ProtocolOptions options);
  // Any tables: a protocol under study, or one with a fault that a checker has to find.
  Protocol(ProtocolOptions options, CacheTable cache, MemoryTable memory)
      : options_(options), cache_(std::move(cache)), memory_(std::move(memory)) {}

  const ProtocolOptions& options() const { return options_; }
  const CacheTable& cache() const { return cache_; }
  const MemoryTable& memory() const { return memory_; }
  std::string name() const;  // "msi-split-bus"
  bool ordered_data() const { return options_.mutation != Mutation::unordered_data; }
  MemoryState initial_memory() const {
    return options_.family == Family::msi ? MemoryState::IorS : MemoryState::I;
  }
  ProtocolListing listing() const;

 private:
  ProtocolOptions options_;
  CacheTable cache_;
  MemoryTable memory_;
};

constexpr bool stable(CacheState s) { return s <= CacheState::M; }
constexpr bool owns(CacheState s) { return s == CacheState::E || s == CacheState::O || s == CacheState::M; }
constexpr bool writable(CacheState s) { return s == CacheState::E || s == CacheState::M; }
// SM_A is not: its data may be newer than what it has snooped.
constexpr bool readable(CacheState s) {
  return (stable(s) && s != CacheState::I) || s == CacheState::SM_AD || s == CacheState::SM_D ||
         s == CacheState::SM_D_S || s == CacheState::OM_A;
}
constexpr bool saves_requestor(CacheState s) {
  return s == CacheState::IM_D_S || s == CacheState::IM_D_I || s == CacheState::IM_D_SI ||
         s == CacheState::SM_D_S || s == CacheState::IS_D_S || s == CacheState::IS_D_I ||
         s == CacheState::IS_D_SI;
}
constexpr bool stable(MemoryState s) { return s <= MemoryState::M; }

CacheEvent cache_event(RequestKind kind, bool own);
MemoryEvent memory_event(RequestKind kind);
MemoryEvent memory_event(DataKind kind);

std::string_view name(CacheState state);
std::string_view name(CacheEvent event);
std::string_view name(CacheAction action);
std::string_view name(MemoryState state);
std::string_view name(MemoryEvent event);
std::string_view name(MemoryAction action);
std::string_view name(RequestKind kind);
std::string_view name(DataKind kind);
std::string_view meaning(CacheState state);
std::string_view meaning(MemoryState state);
// Why a cell that the table leaves out cannot happen.
std::string why_impossible(CacheState state, CacheEvent event);
std::string why_impossible(MemoryState state, MemoryEvent event);

}  // namespace mesim::split_bus
