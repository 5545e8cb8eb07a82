// The tables. One row here may stand for several states and events; the first column says in which protocols
// and forms it exists. Reading order: the stable states, the way up, the way down, the home.
#include "coherence/directory_actions.hpp"
#include "coherence/directory_protocol.hpp"
#include "coherence/table_rows.hpp"
#include "sim/error.hpp"
#include "sim/nearest.hpp"

namespace mesim::directory {
namespace {

// Where a row exists: families, forms, sets of events, and what the directory remembers. Bits of a group that
// is not named do not restrict.
enum Where : unsigned {
  msi = 1,
  mesi = 2,
  moesi = 4,
  stalling = 8,
  nonstalling = 16,
  core = 32,
  recall = 64,
  all = 128,  // no recall and no DMA, recall alone, both
  exact = 256,
  inexact = 512,  // only sharers are members, others may be
  roomy = 1024,
  bounded = 2048,  // takes every sharer, or gives one up for another
};
constexpr unsigned groups[] = {msi | mesi | moesi, stalling | nonstalling, core | recall | all,
                               exact | inexact, roomy | bounded};
constexpr unsigned where(unsigned bits) {
  for (const unsigned group : groups) {
    if ((bits & group) == 0) bits |= group;
  }
  return bits;
}
constexpr unsigned recalls = recall | all;

namespace cache_rows {
using enum CacheState;
using enum CacheEvent;
using enum CacheGuard;
using enum CacheAction;
using Row = WrittenRow<CacheState, CacheEvent, CacheGuard, CacheAction>;

// clang-format off
constexpr Row table[] = {
    // what the core does in a stable state
    {0, I, Load, always, {get_s}, IS_D},
    {0, I, Store, always, {get_m}, IM_AD},
    {0, S, Load, always, {load}, stays},
    {0, S, Store, always, {get_m}, SM_AD},
    {0, S, Evict, always, {put_s}, SI_A},
    {mesi | moesi, E, Load, always, {load}, stays},
    {mesi | moesi, E, Store, always, {store}, M},  // silent
    {mesi | moesi, E, Evict, always, {put_e}, EI_A},
    {0, M, Load, always, {load}, stays},
    {0, M, Store, always, {store}, stays},
    {0, M, Evict, always, {put_m}, MI_A},
    {moesi, O, Load, always, {load}, stays},
    {moesi, O, Store, always, {get_m}, OM_AC},
    {moesi, O, Evict, always, {put_m}, OI_A},

    // and while the line is in between
    {0, {SM_AD, SM_A}, Load, always, {load}, stays},
    {moesi, {OM_AC, OM_A}, Load, always, {load}, stays},
    {0, {IS_D, IM_AD, IM_A, MI_A, SI_A, II_A}, {Load, Store, Evict}, always, {stall}, stays},
    {0, {SM_AD, SM_A}, {Store, Evict}, always, {stall}, stays},
    {mesi | moesi, EI_A, {Load, Store, Evict}, always, {stall}, stays},
    {moesi, OI_A, {Load, Store, Evict}, always, {stall}, stays},
    {moesi, {OM_AC, OM_A}, {Store, Evict}, always, {stall}, stays},
    {nonstalling, {IS_D_I, IM_AD_I, IM_A_I}, {Load, Store, Evict}, always, {stall}, stays},
    {stalling | inexact, IS_D_I, {Load, Store, Evict}, always, {stall}, stays},
    {nonstalling | msi | mesi, {IM_AD_S, IM_A_S}, {Load, Store, Evict}, always, {stall}, stays},

    // others' requests in a stable state
    {0, S, Inv, always, {inv_ack_to_requestor, drop}, I},
    {msi | mesi, M, FwdGetS, always, {data_to_requestor, data_to_home}, S},
    {mesi, E, FwdGetS, always, {data_to_requestor, data_to_home}, S},
    {moesi, {E, M}, FwdGetS, always, {data_to_requestor}, O},
    {moesi, O, FwdGetS, always, {data_to_requestor}, stays},
    {0, M, FwdGetM, always, {data_to_requestor, drop}, I},
    {mesi | moesi, E, FwdGetM, always, {data_to_requestor, drop}, I},
    {moesi, O, FwdGetM, always, {data_to_requestor, drop}, I},

    // waiting to read
    {0, IS_D, Data, acks_complete, {fill, load}, S},
    {mesi | moesi, IS_D, DataE, always, {fill, load}, E},
    {stalling | exact, IS_D, Inv, always, {stall}, stays},
    {nonstalling | exact, IS_D, Inv, always, {inv_ack_to_requestor}, IS_D_I},
    {mesi | moesi, IS_D, {FwdGetS, FwdGetM}, always, {stall}, stays},
    {nonstalling | exact, IS_D_I, Data, acks_complete, {fill, load_once, drop}, I},

    // waiting to write
    {0, IM_AD, Data, acks_complete, {add_acks, fill, store}, M},
    {0, IM_AD, Data, acks_missing, {add_acks, fill}, IM_A},
    {0, IM_AD, InvAck, always, {collect_ack}, stays},
    {0, SM_AD, Data, acks_complete, {add_acks, fill, store}, M},
    {0, SM_AD, Data, acks_missing, {add_acks, fill}, SM_A},
    {0, SM_AD, InvAck, always, {collect_ack}, stays},
    {0, SM_AD, Inv, always, {inv_ack_to_requestor, drop}, IM_AD},
    {0, {IM_A, SM_A}, InvAck, acks_complete, {collect_ack, store}, M},
    {0, {IM_A, SM_A}, InvAck, acks_missing, {collect_ack}, stays},
    {stalling, {IM_AD, IM_A, SM_AD, SM_A}, {FwdGetS, FwdGetM}, always, {stall}, stays},
    {nonstalling | moesi, {IM_AD, IM_A, SM_AD, SM_A}, FwdGetS, always, {stall}, stays},
    {nonstalling, {IM_AD, SM_AD}, FwdGetM, always, {save_requestor}, IM_AD_I},
    {nonstalling, {IM_A, SM_A}, FwdGetM, always, {save_requestor}, IM_A_I},
    {nonstalling | msi | mesi, {IM_AD, SM_AD}, FwdGetS, always, {save_requestor}, IM_AD_S},
    {nonstalling | msi | mesi, {IM_A, SM_A}, FwdGetS, always, {save_requestor}, IM_A_S},
    {nonstalling | msi | mesi, IM_AD_S, Data, acks_complete,
     {add_acks, fill, store, data_to_saved, data_to_home}, S},
    {nonstalling | msi | mesi, IM_AD_S, Data, acks_missing, {add_acks, fill}, IM_A_S},
    {nonstalling | msi | mesi, IM_AD_S, InvAck, always, {collect_ack}, stays},
    {nonstalling | msi | mesi, IM_A_S, InvAck, acks_complete,
     {collect_ack, store, data_to_saved, data_to_home}, S},
    {nonstalling | msi | mesi, IM_A_S, InvAck, acks_missing, {collect_ack}, stays},
    {nonstalling, IM_AD_I, Data, acks_complete, {add_acks, fill, store, data_to_saved, drop}, I},
    {nonstalling, IM_AD_I, Data, acks_missing, {add_acks, fill}, IM_A_I},
    {nonstalling, IM_AD_I, InvAck, always, {collect_ack}, stays},
    {nonstalling, IM_A_I, InvAck, acks_complete, {collect_ack, store, data_to_saved, drop}, I},
    {nonstalling, IM_A_I, InvAck, acks_missing, {collect_ack}, stays},

    // waiting to write as owner: the data is here, the number of acks comes from the home
    {moesi, OM_AC, FwdGetS, always, {data_to_requestor}, stays},
    {moesi, OM_AC, FwdGetM, always, {data_to_requestor, drop}, IM_AD},
    {moesi, OM_AC, AckCount, acks_complete, {add_acks, store}, M},
    {moesi, OM_AC, AckCount, acks_missing, {add_acks}, OM_A},
    {moesi, OM_AC, InvAck, always, {collect_ack}, stays},
    {moesi, OM_A, InvAck, acks_complete, {collect_ack, store}, M},
    {moesi, OM_A, InvAck, acks_missing, {collect_ack}, stays},
    {moesi, OM_A, FwdGetS, always, {stall}, stays},
    {moesi | stalling, OM_A, FwdGetM, always, {stall}, stays},
    {moesi | nonstalling, OM_A, FwdGetM, always, {save_requestor}, IM_A_I},

    // an Inv where the directory takes this cache for a sharer and it is none: acknowledged at once, for the
    // writer may be the one whose data this cache waits for
    {inexact, {I, IM_AD, II_A}, Inv, always, {inv_ack_to_requestor}, stays},
    {inexact | nonstalling | moesi, {IM_AD_I, IM_A_I}, Inv, always, {inv_ack_to_requestor}, stays},
    // a reader cannot know whether the Inv came before its own request was taken; if the data makes it the owner
    // it did, for an owner gets no Inv
    {inexact, IS_D, Inv, always, {inv_ack_to_requestor}, IS_D_I},
    {inexact, IS_D_I, Inv, always, {inv_ack_to_requestor}, stays},
    {inexact, IS_D_I, Data, acks_complete, {fill, load_once, drop}, I},
    {inexact | mesi | moesi, IS_D_I, DataE, always, {fill, load}, E},
    {inexact | mesi | moesi, IS_D_I, {FwdGetS, FwdGetM}, always, {stall}, stays},

    // waiting for the end of an eviction; the home may have given the line away before it heard of it
    {0, {MI_A, SI_A, II_A}, PutAck, always, {drop}, I},
    {mesi | moesi, EI_A, PutAck, always, {drop}, I},
    {moesi, OI_A, PutAck, always, {drop}, I},
    {msi | mesi, MI_A, FwdGetS, always, {data_to_requestor, data_to_home}, SI_A},
    {mesi, EI_A, FwdGetS, always, {data_to_requestor, data_to_home}, SI_A},
    {moesi, {MI_A, EI_A}, FwdGetS, always, {data_to_requestor}, OI_A},
    {moesi, OI_A, FwdGetS, always, {data_to_requestor}, stays},
    {0, MI_A, FwdGetM, always, {data_to_requestor, drop}, II_A},
    {mesi | moesi, EI_A, FwdGetM, always, {data_to_requestor, drop}, II_A},
    {moesi, OI_A, FwdGetM, always, {data_to_requestor, drop}, II_A},
    {0, SI_A, Inv, always, {inv_ack_to_requestor, drop}, II_A},
};
// clang-format on
}  // namespace cache_rows

namespace home_rows {
using enum HomeState;
using enum HomeEvent;
using enum HomeGuard;
using enum HomeAction;
using Row = WrittenRow<HomeState, HomeEvent, HomeGuard, HomeAction>;

// clang-format off
constexpr Row table[] = {
    // reads
    {msi, I, GetS, always, {data_to_requestor, add_sharer}, S},
    {mesi | moesi, I, GetS, always, {exclusive_data_to_requestor, set_owner}, E},
    {roomy, S, GetS, always, {data_to_requestor, add_sharer}, stays},
    {bounded, S, GetS, room, {data_to_requestor, add_sharer}, stays},
    {bounded, S, GetS, no_room, {data_to_requestor, recall_one_sharer, add_sharer}, S_A},
    {mesi, E, GetS, always, {forward_get_s, owner_becomes_sharer, add_sharer}, S_D},
    {msi | mesi, M, GetS, always, {forward_get_s, owner_becomes_sharer, add_sharer}, S_D},
    {moesi, {E, M}, GetS, always, {forward_get_s, add_sharer}, O},
    {roomy | moesi, O, GetS, always, {forward_get_s, add_sharer}, stays},
    {bounded | moesi, O, GetS, room, {forward_get_s, add_sharer}, stays},
    {bounded | moesi, O, GetS, no_room, {forward_get_s, recall_one_sharer, add_sharer}, O_A},

    // writes
    {0, I, GetM, always, {data_to_requestor, set_owner}, M},
    {0, S, GetM, always, {data_with_acks_to_requestor, invalidate_sharers, clear_sharers, set_owner}, M},
    {mesi | moesi, E, GetM, always, {forward_get_m, set_owner}, M},
    {0, M, GetM, always, {forward_get_m, set_owner}, stays},
    {moesi, O, GetM, owner, {ack_count_to_owner, invalidate_sharers, clear_sharers}, M},
    {moesi, O, GetM, not_owner, {forward_get_m, invalidate_sharers, clear_sharers, set_owner}, M},

    // evictions: always acknowledged, even when the sender has lost the line meanwhile
    {0, I, {PutS, PutM}, always, {put_ack}, stays},
    {mesi | moesi, I, PutE, always, {put_ack}, stays},
    {0, S, PutS, sharers_left, {remove_sharer, put_ack}, stays},
    {0, S, PutS, no_sharers_left, {remove_sharer, put_ack}, I},
    {msi | mesi, S, PutM, sharers_left, {remove_sharer, put_ack}, stays},
    {msi | mesi, S, PutM, no_sharers_left, {remove_sharer, put_ack}, I},
    {mesi, S, PutE, sharers_left, {remove_sharer, put_ack}, stays},
    {mesi, S, PutE, no_sharers_left, {remove_sharer, put_ack}, I},
    {moesi, S, {PutM, PutE}, always, {put_ack}, stays},  // of a former owner, which no list of sharers holds
    {0, M, PutM, owner, {write_data, put_ack, clear_owner}, I},
    {0, M, PutM, not_owner, {put_ack}, stays},
    {0, M, PutS, always, {put_ack}, stays},
    {mesi | moesi, M, PutE, always, {put_ack}, stays},
    {mesi | moesi, E, PutM, owner, {write_data, put_ack, clear_owner}, I},
    {mesi | moesi, E, PutE, owner, {put_ack, clear_owner}, I},
    {mesi | moesi, E, {PutM, PutE}, not_owner, {put_ack}, stays},
    {mesi | moesi, E, PutS, always, {put_ack}, stays},
    {moesi, O, PutM, owner_sharers_left, {write_data, put_ack, clear_owner}, S},
    {moesi, O, PutM, owner_no_sharers_left, {write_data, put_ack, clear_owner}, I},
    {moesi, O, PutE, owner_sharers_left, {put_ack, clear_owner}, S},  // clean: memory is current
    {moesi, O, PutE, owner_no_sharers_left, {put_ack, clear_owner}, I},
    {moesi, O, {PutM, PutE}, not_owner, {put_ack}, stays},
    {moesi, O, PutS, always, {remove_sharer, put_ack}, stays},

    // an owner has been told to share; its data is on the way
    {msi | mesi, S_D, {GetS, GetM}, always, {stall}, stays},
    {msi | mesi, S_D, {PutS, PutM}, always, {remove_sharer, put_ack}, stays},
    {mesi, S_D, PutE, always, {remove_sharer, put_ack}, stays},
    {msi | mesi, S_D, Data, sharers_left, {write_data}, S},
    {msi | mesi, S_D, Data, no_sharers_left, {write_data}, I},

    // a sharer has been told to give way to another; until it has, nobody may write
    {bounded, S_A, {GetS, GetM}, always, {stall}, stays},
    {bounded, S_A, InvAck, sharers_left, {collect_ack}, S},
    {bounded, S_A, InvAck, no_sharers_left, {collect_ack}, I},
    {bounded, S_A, PutS, always, {remove_sharer, put_ack}, stays},
    {bounded | msi | mesi, S_A, PutM, always, {remove_sharer, put_ack}, stays},
    {bounded | mesi, S_A, PutE, always, {remove_sharer, put_ack}, stays},
    {bounded | moesi, S_A, {PutM, PutE}, always, {put_ack}, stays},
    {bounded | moesi, O_A, {GetS, GetM}, always, {stall}, stays},
    {bounded | moesi, O_A, InvAck, always, {collect_ack}, O},
    {bounded | moesi, O_A, PutS, always, {remove_sharer, put_ack}, stays},
    {bounded | moesi, O_A, PutM, owner, {write_data, put_ack, clear_owner}, S_A},
    {bounded | moesi, O_A, PutE, owner, {put_ack, clear_owner}, S_A},
    {bounded | moesi, O_A, {PutM, PutE}, not_owner, {put_ack}, stays},
    {bounded | recalls, S_A, Recall, always, {stall}, stays},
    {bounded | recalls | moesi, O_A, Recall, always, {stall}, stays},
    {bounded | all, S_A, {DmaRead, DmaWrite}, always, {stall}, stays},
    {bounded | all | moesi, O_A, {DmaRead, DmaWrite}, always, {stall}, stays},

    // recall: the home takes the line back, as a GetM of its own
    {recalls, I, Recall, always, {}, stays},
    {recalls, S, Recall, always, {recall_sharers, clear_sharers}, R_A},
    {recalls | mesi | moesi, E, Recall, always, {recall_owner, clear_owner}, R_D},
    {recalls, M, Recall, always, {recall_owner, clear_owner}, R_D},
    {recalls | moesi, O, Recall, no_sharers_left, {recall_owner, clear_owner}, R_D},
    {recalls | moesi, O, Recall, sharers_left, {recall_owner, recall_sharers, clear_sharers, clear_owner}, R_AD},
    {recalls, R_A, InvAck, acks_complete, {collect_ack}, I},
    {recalls, R_A, InvAck, acks_missing, {collect_ack}, stays},
    {recalls, R_D, Data, always, {write_data}, I},
    {recalls | moesi, R_AD, InvAck, always, {collect_ack}, stays},
    {recalls | moesi, R_AD, Data, acks_complete, {write_data}, I},
    {recalls | moesi, R_AD, Data, acks_missing, {write_data}, R_A},

    // DMA read: a GetS whose sender keeps nothing
    {all, {I, S}, DmaRead, always, {data_to_requestor}, stays},
    {all | msi | mesi, M, DmaRead, always, {forward_get_s, owner_becomes_sharer}, S_D},
    {all | mesi, E, DmaRead, always, {forward_get_s, owner_becomes_sharer}, S_D},
    {all | moesi, {E, M}, DmaRead, always, {forward_get_s}, O},
    {all | moesi, O, DmaRead, always, {forward_get_s}, stays},

    // DMA write: a recall, then the write
    {all, I, DmaWrite, always, {save_requestor, write_dma, dma_ack}, stays},
    {all, S, DmaWrite, always, {save_requestor, recall_sharers, clear_sharers}, W_A},
    {all | mesi | moesi, E, DmaWrite, always, {save_requestor, recall_owner, clear_owner}, W_D},
    {all, M, DmaWrite, always, {save_requestor, recall_owner, clear_owner}, W_D},
    {all | moesi, O, DmaWrite, no_sharers_left, {save_requestor, recall_owner, clear_owner}, W_D},
    {all | moesi, O, DmaWrite, sharers_left,
     {save_requestor, recall_owner, recall_sharers, clear_sharers, clear_owner}, W_AD},
    {all, W_A, InvAck, acks_complete, {collect_ack, write_dma, dma_ack}, I},
    {all, W_A, InvAck, acks_missing, {collect_ack}, stays},
    {all, W_D, Data, always, {write_data, write_dma, dma_ack}, I},
    {all | moesi, W_AD, InvAck, always, {collect_ack}, stays},
    {all | moesi, W_AD, Data, acks_complete, {write_data, write_dma, dma_ack}, I},
    {all | moesi, W_AD, Data, acks_missing, {write_data}, W_A},

    // meanwhile requests wait, and evictions of the copies that are being taken are acknowledged
    {recalls, {R_A, R_D}, {GetS, GetM, Recall}, always, {stall}, stays},
    {recalls | moesi, R_AD, {GetS, GetM, Recall}, always, {stall}, stays},
    {recalls | msi | mesi, S_D, Recall, always, {stall}, stays},
    {recalls, {R_A, R_D}, {PutS, PutM}, always, {put_ack}, stays},
    {recalls | mesi | moesi, {R_A, R_D}, PutE, always, {put_ack}, stays},
    {recalls | moesi, R_AD, {PutS, PutE, PutM}, always, {put_ack}, stays},
    {all, {W_A, W_D}, {GetS, GetM, Recall, DmaRead, DmaWrite}, always, {stall}, stays},
    {all | moesi, W_AD, {GetS, GetM, Recall, DmaRead, DmaWrite}, always, {stall}, stays},
    {all, {R_A, R_D}, {DmaRead, DmaWrite}, always, {stall}, stays},
    {all | moesi, R_AD, {DmaRead, DmaWrite}, always, {stall}, stays},
    {all | msi | mesi, S_D, {DmaRead, DmaWrite}, always, {stall}, stays},
    {all, {W_A, W_D}, {PutS, PutM}, always, {put_ack}, stays},
    {all | mesi | moesi, {W_A, W_D}, PutE, always, {put_ack}, stays},
    {all | moesi, W_AD, {PutS, PutE, PutM}, always, {put_ack}, stays},
};
// clang-format on
}  // namespace home_rows

unsigned wanted(const ProtocolOptions& options) {
  constexpr unsigned family[] = {msi, mesi, moesi};
  const bool recalling = options.directory.kind == DirectoryKind::sparse;
  return family[static_cast<std::size_t>(options.family)] | (options.nonstalling ? nonstalling : stalling) |
         (options.all_events ? all
          : recalling        ? recall
                             : core) |
         (options.directory.over_approximates() ? inexact : exact) |
         (options.directory.bounded() ? bounded : roomy);
}

template <class Table, class Rows>
Table build(const Rows& rows, const ProtocolOptions& options, std::size_t states, std::size_t events) {
  const unsigned variant = wanted(options);
  return table_of<Table>(
      rows, [&](unsigned bits) { return (where(bits) & variant) == variant; }, states, events);
}

// The faults that are changes of a row.
CacheTable mutated(CacheTable table, Mutation mutation) {
  std::vector<CacheTable::Row> rows(table.rows().begin(), table.rows().end());
  for (CacheTable::Row& row : rows) {
    if (mutation == Mutation::keep_sm_ad_on_inv && row.state == CacheState::SM_AD &&
        row.event == CacheEvent::Inv) {
      row.actions = {CacheAction::inv_ack_to_requestor};
      row.next = CacheState::SM_AD;
    }
    if (mutation == Mutation::no_is_d_i && row.state == CacheState::IS_D && row.event == CacheEvent::Inv) {
      row.next = CacheState::IS_D;
    }
  }
  if (mutation == Mutation::early_data) {
    std::erase_if(rows, [](const CacheTable::Row& row) {
      return row.event == CacheEvent::InvAck || row.guard == CacheGuard::acks_missing;
    });
    for (CacheTable::Row& row : rows) {
      row.guard = CacheGuard::always;
      ActionList<CacheAction> actions;
      for (const CacheAction action : row.actions) {
        if (action != CacheAction::add_acks) actions.items[actions.count++] = action;
      }
      row.actions = actions;
    }
    for (std::size_t s = 0; s < cache_state_count; ++s) {
      const auto state = static_cast<CacheState>(s);
      rows.push_back({state, CacheEvent::InvAck, CacheGuard::always, {}, state});
      // the next writer may have its data before the invalidation of its old copy
      if (table.cell(state, CacheEvent::Inv).empty())
        rows.push_back(
            {state, CacheEvent::Inv, CacheGuard::always, {CacheAction::inv_ack_to_requestor}, state});
    }
  }
  return CacheTable(rows, table.states(), table.events());
}

HomeTable mutated(HomeTable table, Mutation mutation) {
  std::vector<HomeTable::Row> rows(table.rows().begin(), table.rows().end());
  for (HomeTable::Row& row : rows) {
    if (mutation == Mutation::ack_count_zero) {
      for (HomeAction& action : row.actions.items) {
        if (action == HomeAction::data_with_acks_to_requestor) action = HomeAction::data_to_requestor;
      }
    }
    if (mutation == Mutation::stale_putm_written && row.event == HomeEvent::PutM &&
        (row.state == HomeState::S || row.state == HomeState::S_D)) {
      row.actions = {HomeAction::write_data, HomeAction::remove_sharer, HomeAction::put_ack};
    }
  }
  return HomeTable(rows, table.states(), table.events());
}

constexpr std::string_view mutation_names[] = {
    "none",           "unordered-forwards", "keep-sm-ad-on-inv", "no-is-d-i",
    "ack-count-zero", "stale-putm-written", "early-data",        "ack-count-on-responses",
};

ProtocolOptions completed(ProtocolOptions options) {
  if (options.mutation == Mutation::no_is_d_i) options.nonstalling = true;
  if (options.directory.bounded() && options.directory.pointers < 2) {
    throw bad_input(
        {}, "limited-no-broadcast needs two pointers: an owner that is read and its reader are two sharers");
  }
  if (options.mutation == Mutation::ack_count_on_responses && options.family != Family::moesi) {
    throw bad_input({}, "--mutate ack-count-on-responses: only moesi-directory has an AckCount message");
  }
  return options;
}

}  // namespace

std::string_view mutation_name(Mutation mutation) {
  return mutation_names[static_cast<std::size_t>(mutation)];
}

Mutation mutation_from(std::string_view name) {
  const std::vector<std::string> names(std::begin(mutation_names), std::end(mutation_names));
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return static_cast<Mutation>(i);
  }
  throw bad_input({}, fmt::format("--mutate: unknown mutation \"{}\"{}", name, did_you_mean(name, names)));
}

Protocol::Protocol(ProtocolOptions options)
    : options_(completed(options)),
      cache_(mutated(build<CacheTable>(cache_rows::table, options_, cache_state_count, cache_event_count),
                     options_.mutation)),
      home_(mutated(build<HomeTable>(home_rows::table, options_, home_state_count, home_event_count),
                    options_.mutation)) {
  find_facts();
}

void Protocol::find_facts() {
  for (const auto& row : cache_.rows()) {
    cache_facts_.push_back({.usual_actions = KnownCacheActions::of(row),
                            .stalls = stalls(row),
                            .saves_requestor = row.actions.has(CacheAction::save_requestor)});
  }
  for (const auto& row : home_.rows()) {
    using enum HomeAction;
    home_facts_.push_back({.usual_actions = KnownHomeActions::of(row),
                           .stalls = stalls(row),
                           .needs_data = row.actions.has(data_to_requestor) ||
                                         row.actions.has(data_with_acks_to_requestor) ||
                                         row.actions.has(exclusive_data_to_requestor),
                           .writes_data = row.actions.has(write_data) || row.actions.has(write_dma)});
  }
  using enum MessageKind;
  for (std::size_t i = 0; i < message_kind_count; ++i) {
    const auto kind = static_cast<MessageKind>(i);
    const bool answer = kind == Data || kind == DataE;
    kinds_[i] = {.network = static_cast<std::uint8_t>(network(kind)),
                 .data = answer || kind == PutM || kind == DmaWrite,
                 .time = answer || kind == GetS || kind == GetM || kind == FwdGetS || kind == FwdGetM ||
                         kind == AckCount};
  }
}

std::string Protocol::name() const {
  constexpr std::string_view names[] = {"msi-directory", "mesi-directory", "moesi-directory"};
  return std::string(names[static_cast<std::size_t>(options_.family)]);
}

}  // namespace mesim::directory
