// The directory protocols MSI, MESI and MOESI: states, events, messages, and the two tables (cache, home)
// that a run executes, the model checker explores and `mesim protocol` prints.
//
// Three hops (requestor, home, owner), Put acknowledged, S evictions not silent; what the home remembers of
// the sharers is a choice (sharer_set.hpp). A format that over-approximates sends Inv to caches that are no
// sharers, also while they wait for the home to take their request: they acknowledge at once. After Sorin,
// Hill, Wood, Nagarajan: A Primer on Memory Consistency and Cache Coherence, 2nd ed., chapter 8, whose state
// names are kept: XY_AD is "was X, will be Y, waits for acks and data". Three virtual networks:
//   VN0 requests to the home, any order; may wait for VN1 and VN2
//   VN1 forwards from the home, in order between home and cache; may wait for VN2
//   VN2 responses, any order, always taken
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "coherence/protocol_listing.hpp"
#include "coherence/sharer_set.hpp"
#include "coherence/transition_table.hpp"

namespace mesim::directory {

// clang-format off
enum class CacheState : std::uint8_t {
  I, S, E, O, M,
  IS_D, IS_D_I, IM_AD, IM_A, IM_AD_S, IM_AD_I, IM_A_S, IM_A_I, SM_AD, SM_A, OM_AC, OM_A,
  MI_A, EI_A, OI_A, SI_A, II_A,
};
inline constexpr std::size_t cache_state_count = static_cast<std::size_t>(CacheState::II_A) + 1;

enum class CacheEvent : std::uint8_t {
  Load, Store, Evict,                                // from the core
  FwdGetS, FwdGetM, Inv, PutAck, AckCount,           // forwards
  Data, DataE, InvAck,                               // responses
};
inline constexpr std::size_t cache_event_count = static_cast<std::size_t>(CacheEvent::InvAck) + 1;

enum class CacheGuard : std::uint8_t { always, acks_complete, acks_missing };

enum class CacheAction : std::uint8_t {
  none, stall,
  get_s, get_m, put_s, put_e, put_m,                 // requests to the home
  data_to_requestor, data_to_home, data_to_saved, inv_ack_to_requestor,
  save_requestor, add_acks, collect_ack,
  fill, load, load_once, store, drop,
};

enum class HomeState : std::uint8_t {
  I, S, E, O, M, S_D,
  S_A, O_A,                                          // takes the line from one sharer to have room for another
  R_A, R_D, R_AD,                                    // recall: waits for acks, data, both
  W_A, W_D, W_AD,                                    // DMA write: the same
};
inline constexpr std::size_t home_state_count = static_cast<std::size_t>(HomeState::W_AD) + 1;

enum class HomeEvent : std::uint8_t {
  GetS, GetM, PutS, PutE, PutM, Data, InvAck,        // from caches
  Recall,                                            // from the home's own array: it wants to evict the line
  DmaRead, DmaWrite,                                 // from an agent without a cache
};
inline constexpr std::size_t home_event_count = static_cast<std::size_t>(HomeEvent::DmaWrite) + 1;

// The sender of a request is r. "Sharers left" speaks of the sharers other than r.
enum class HomeGuard : std::uint8_t {
  always, owner, not_owner, sharers_left, no_sharers_left, owner_sharers_left, owner_no_sharers_left,
  acks_complete, acks_missing, room, no_room,
};

enum class HomeAction : std::uint8_t {
  none, stall,
  data_to_requestor, data_with_acks_to_requestor, exclusive_data_to_requestor, put_ack, ack_count_to_owner,
  forward_get_s, forward_get_m, invalidate_sharers,
  recall_owner, recall_sharers, recall_one_sharer, collect_ack,
  add_sharer, remove_sharer, clear_sharers, owner_becomes_sharer, set_owner, clear_owner,
  write_data, save_requestor, write_dma, dma_ack,
};
// clang-format on

using CacheTable = TransitionTable<CacheState, CacheEvent, CacheGuard, CacheAction>;
using HomeTable = TransitionTable<HomeState, HomeEvent, HomeGuard, HomeAction>;

// Caches are 0, 1, ...; agents without a cache come after them.
using NodeId = std::uint16_t;
inline constexpr NodeId home_node = 0xffff;
inline constexpr NodeId no_node = 0xfffe;

// clang-format off
enum class MessageKind : std::uint8_t {
  GetS, GetM, PutS, PutE, PutM, DmaRead, DmaWrite,   // VN0
  FwdGetS, FwdGetM, Inv, PutAck, AckCount,           // VN1
  Data, DataE, InvAck, DmaAck,                       // VN2
};
inline constexpr std::size_t message_kind_count = static_cast<std::size_t>(MessageKind::DmaAck) + 1;
// clang-format on

// `Value` is what a line holds: one bit in the model checker, a line's bytes in a run.
template <class Value>
struct Message {
  MessageKind kind{};
  NodeId to = no_node;
  NodeId requestor = no_node;  // of a request its sender; of a forward the one to answer
  std::int16_t acks = 0;       // InvAcks that the requestor has to collect
  [[no_unique_address]] Value value{};
};

enum class Family : std::uint8_t { msi, mesi, moesi };

// Known faults, built in on request: the checker and the random tester must find each of them.
enum class Mutation : std::uint8_t {
  none,
  unordered_forwards,      // VN1 without order
  keep_sm_ad_on_inv,       // SM_AD acknowledges an Inv but keeps its S copy readable
  no_is_d_i,               // IS_D acknowledges an Inv and then keeps the line in S
  ack_count_zero,          // the home tells a writer that there are no acks to wait for
  stale_putm_written,      // the data of a PutM that lost its race is written to memory
  early_data,              // a writer does not wait for acknowledgements, which come to nothing
  ack_count_on_responses,  // MOESI's AckCount on VN2, without order against forwards
};
std::string_view mutation_name(Mutation mutation);
// From its name; throws bad_input with the nearest name.
Mutation mutation_from(std::string_view name);

struct ProtocolOptions {
  Family family = Family::mesi;
  bool nonstalling = false;  // caches take forwards while they wait, instead of leaving them in the queue
  bool all_events = false;   // recall and DMA as well; a run always has them
  Mutation mutation = Mutation::none;
  DirectoryFormat directory{};  // with `sparse`, recalls come without `all_events` too
};

// The two tables and how messages travel.
class Protocol {
 public:
  // Throws bad_input if the mutation does not exist in this protocol, or the directory is too small for it.
  // `no_is_d_i` is a fault of the nonstalling form and selects it.
  explicit Protocol(ProtocolOptions options);
  // Any tables: a protocol under study, or one with a fault that a checker has to find.
  Protocol(ProtocolOptions options, CacheTable cache, HomeTable home)
      : options_(options), cache_(std::move(cache)), home_(std::move(home)) {
    find_facts();
  }

  const ProtocolOptions& options() const { return options_; }
  const CacheTable& cache() const { return cache_; }
  const HomeTable& home() const { return home_; }
  std::string name() const;  // "mesi-directory"
  // 0, 1 or 2; see the head of this file.
  int network(MessageKind kind) const {
    if (kind <= MessageKind::DmaWrite) return 0;
    if (kind == MessageKind::AckCount && options_.mutation == Mutation::ack_count_on_responses) return 2;
    return kind <= MessageKind::AckCount ? 1 : 2;
  }
  // What follows from a row, or a kind of message, and who runs the tables wants to know at once. One copy
  // for all controllers, so that it stays in the host's caches.
  struct RowFacts {
    std::uint8_t usual_actions;  // of KnownCacheActions or KnownHomeActions, directory_actions.hpp
    bool stalls;
    bool saves_requestor;
    bool needs_data;   // the home sends its copy
    bool writes_data;  // the home writes it
  };
  const RowFacts& facts(const CacheTable::Row& row) const {
    return cache_facts_[static_cast<std::size_t>(&row - cache_.rows().data())];
  }
  const RowFacts& facts(const HomeTable::Row& row) const {
    return home_facts_[static_cast<std::size_t>(&row - home_.rows().data())];
  }
  struct KindFacts {
    std::uint8_t network;
    bool data;  // it carries a line
    bool time;  // a miss waits for it
  };
  const KindFacts& facts(MessageKind kind) const { return kinds_[static_cast<std::size_t>(kind)]; }
  bool ordered_forwards() const { return options_.mutation != Mutation::unordered_forwards; }
  ProtocolListing listing() const;

 private:
  void find_facts();

  ProtocolOptions options_;
  CacheTable cache_;
  HomeTable home_;
  std::vector<RowFacts> cache_facts_, home_facts_;
  std::array<KindFacts, message_kind_count> kinds_{};
};

// What a state allows, beside its rows. All checks of invariants and all look-ups by cores use these.
constexpr bool stable(CacheState s) { return s <= CacheState::M; }
constexpr bool writable(CacheState s) { return s == CacheState::M || s == CacheState::E; }
constexpr bool readable(CacheState s) {
  return (stable(s) && s != CacheState::I) || s == CacheState::SM_AD || s == CacheState::SM_A ||
         s == CacheState::OM_AC || s == CacheState::OM_A;
}
constexpr bool saves_requestor(CacheState s) {
  return s == CacheState::IM_AD_S || s == CacheState::IM_AD_I || s == CacheState::IM_A_S ||
         s == CacheState::IM_A_I;
}
constexpr bool stable(HomeState s) { return s <= HomeState::M; }
constexpr bool dma_write_pending(HomeState s) { return s >= HomeState::W_A; }

constexpr CacheEvent cache_event(MessageKind kind) {
  switch (kind) {
    case MessageKind::FwdGetS:
      return CacheEvent::FwdGetS;
    case MessageKind::FwdGetM:
      return CacheEvent::FwdGetM;
    case MessageKind::Inv:
      return CacheEvent::Inv;
    case MessageKind::PutAck:
      return CacheEvent::PutAck;
    case MessageKind::AckCount:
      return CacheEvent::AckCount;
    case MessageKind::Data:
      return CacheEvent::Data;
    case MessageKind::DataE:
      return CacheEvent::DataE;
    default:
      return CacheEvent::InvAck;
  }
}
constexpr HomeEvent home_event(MessageKind kind) {
  switch (kind) {
    case MessageKind::GetS:
      return HomeEvent::GetS;
    case MessageKind::GetM:
      return HomeEvent::GetM;
    case MessageKind::PutS:
      return HomeEvent::PutS;
    case MessageKind::PutE:
      return HomeEvent::PutE;
    case MessageKind::PutM:
      return HomeEvent::PutM;
    case MessageKind::DmaRead:
      return HomeEvent::DmaRead;
    case MessageKind::DmaWrite:
      return HomeEvent::DmaWrite;
    case MessageKind::InvAck:
      return HomeEvent::InvAck;
    default:
      return HomeEvent::Data;
  }
}

std::string_view name(CacheState state);
std::string_view name(CacheEvent event);
std::string_view name(CacheAction action);
std::string_view name(HomeState state);
std::string_view name(HomeEvent event);
std::string_view name(HomeAction action);
std::string_view name(MessageKind kind);
std::string_view meaning(CacheState state);
std::string_view meaning(HomeState state);
// Why a cell that the table leaves out cannot happen.
std::string why_impossible(CacheState state, CacheEvent event);
std::string why_impossible(HomeState state, HomeEvent event);

}  // namespace mesim::directory
