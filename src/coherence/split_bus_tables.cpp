// The tables of the split-transaction bus. Reading order: the stable states, waiting for the bus and for
// data, eviction, memory.
#include <iterator>

#include "coherence/split_bus_protocol.hpp"
#include "coherence/table_rows.hpp"
#include "sim/error.hpp"
#include "sim/nearest.hpp"

namespace mesim::split_bus {
namespace {

// Where a row exists. Bits of a group that is not named do not restrict.
enum Where : unsigned { msi = 1, mesi = 2, moesi = 4, stalling = 8, nonstalling = 16 };
constexpr unsigned families = msi | mesi | moesi;
constexpr unsigned forms = stalling | nonstalling;
constexpr unsigned where(unsigned bits) {
  if ((bits & families) == 0) bits |= families;
  if ((bits & forms) == 0) bits |= forms;
  return bits;
}
constexpr unsigned with_e = mesi | moesi;  // memory grants E
constexpr unsigned copying = msi | mesi;   // an owner that is read hands the line to memory

namespace cache_rows {
using enum CacheState;
using enum CacheEvent;
using enum CacheAction;
constexpr auto always = CacheGuard::always;
using Row = WrittenRow<CacheState, CacheEvent, CacheGuard, CacheAction>;

// clang-format off
constexpr Row table[] = {
    // what the core does in a stable state
    {0, I, Load, always, {get_s}, IS_AD},
    {0, I, Store, always, {get_m}, IM_AD},
    {0, S, Load, always, {load}, stays},
    {0, S, Store, always, {get_m}, SM_AD},
    {0, S, Evict, always, {drop}, I},  // silent
    {with_e, E, Load, always, {load}, stays},
    {with_e, E, Store, always, {store}, M},  // silent
    {with_e, E, Evict, always, {put_m}, EI_A},
    {0, M, Load, always, {load}, stays},
    {0, M, Store, always, {store}, stays},
    {0, M, Evict, always, {put_m}, MI_A},
    {moesi, O, Load, always, {load}, stays},
    {moesi, O, Store, always, {get_m}, OM_A},
    {moesi, O, Evict, always, {put_m}, OI_A},

    // and while the line is in between
    {0, {SM_AD, SM_D}, Load, always, {load}, stays},
    {moesi, OM_A, Load, always, {load}, stays},
    {0, {IS_AD, IS_D, IS_A, IM_AD, IM_D, IM_A, SM_A, MI_A, II_A}, {Load, Store, Evict}, always, {stall}, stays},
    {0, {SM_AD, SM_D}, {Store, Evict}, always, {stall}, stays},
    {with_e, {IE_A, EI_A}, {Load, Store, Evict}, always, {stall}, stays},
    {moesi, OM_A, {Store, Evict}, always, {stall}, stays},
    {moesi, OI_A, {Load, Store, Evict}, always, {stall}, stays},
    {nonstalling, {IS_D_I, IM_D_I}, {Load, Store, Evict}, always, {stall}, stays},
    {nonstalling | copying, {IM_D_S, IM_D_SI}, {Load, Store, Evict}, always, {stall}, stays},
    {nonstalling | copying, SM_D_S, Load, always, {load}, stays},
    {nonstalling | copying, SM_D_S, {Store, Evict}, always, {stall}, stays},
    {nonstalling | mesi, {IS_D_S, IS_D_SI}, {Load, Store, Evict}, always, {stall}, stays},

    // others' requests in a stable state
    {0, I, {OtherGetS, OtherGetM}, always, {}, stays},
    {0, S, OtherGetS, always, {}, stays},
    {0, S, OtherGetM, always, {drop}, I},
    {copying, M, OtherGetS, always, {data_to_requestor, data_to_memory}, S},
    {mesi, E, OtherGetS, always, {data_to_requestor, data_to_memory}, S},
    {moesi, {E, M}, OtherGetS, always, {data_to_requestor}, O},
    {moesi, O, OtherGetS, always, {data_to_requestor}, stays},
    {0, M, OtherGetM, always, {data_to_requestor, drop}, I},
    {with_e, E, OtherGetM, always, {data_to_requestor, drop}, I},
    {moesi, O, OtherGetM, always, {data_to_requestor, drop}, I},

    // wants to read: what comes by before its own request was ordered before it
    {0, IS_AD, OwnGetS, always, {}, IS_D},
    {0, IS_AD, Data, always, {fill}, IS_A},
    {with_e, IS_AD, DataE, always, {fill}, IE_A},
    {0, IS_A, OwnGetS, always, {load}, S},
    {with_e, IE_A, OwnGetS, always, {load}, E},
    {0, {IS_AD, IS_A}, {OtherGetS, OtherGetM}, always, {}, stays},
    {with_e, IE_A, {OtherGetS, OtherGetM}, always, {}, stays},
    {0, IS_D, Data, always, {fill, load}, S},
    {with_e, IS_D, DataE, always, {fill, load}, E},
    // later requests: without E they are not for this cache; with E it learns from its data whether they are
    {msi, IS_D, OtherGetS, always, {}, stays},
    {stalling | msi, IS_D, OtherGetM, always, {stall}, stays},
    {stalling | with_e, IS_D, {OtherGetS, OtherGetM}, always, {stall}, stays},
    {nonstalling | msi, IS_D, OtherGetM, always, {}, IS_D_I},
    {nonstalling | with_e, IS_D, OtherGetM, always, {save_requestor}, IS_D_I},
    {nonstalling | mesi, IS_D, OtherGetS, always, {save_requestor}, IS_D_S},
    {nonstalling | moesi, IS_D, OtherGetS, always, {stall}, stays},  // would have to note every reader
    {nonstalling, IS_D_I, {OtherGetS, OtherGetM}, always, {}, stays},
    {nonstalling | msi, IS_D_I, Data, always, {fill, load_once, drop}, I},
    {nonstalling | with_e, IS_D_I, Data, always, {fill, load_once, forget_saved, drop}, I},
    {nonstalling | with_e, IS_D_I, DataE, always, {fill, load_once, data_to_saved, drop}, I},
    {nonstalling | mesi, IS_D_S, OtherGetS, always, {}, stays},
    {nonstalling | mesi, IS_D_S, OtherGetM, always, {}, IS_D_SI},
    {nonstalling | mesi, IS_D_S, Data, always, {fill, load, forget_saved}, S},
    {nonstalling | mesi, IS_D_S, DataE, always, {fill, load, copy_to_memory_for_saved, data_to_saved}, S},
    {nonstalling | mesi, IS_D_SI, {OtherGetS, OtherGetM}, always, {}, stays},
    {nonstalling | mesi, IS_D_SI, Data, always, {fill, load_once, forget_saved, drop}, I},
    {nonstalling | mesi,
     IS_D_SI,
     DataE,
     always,
     {fill, load_once, copy_to_memory_for_saved, data_to_saved, drop},
     I},

    // wants to write
    {0, IM_AD, OwnGetM, always, {}, IM_D},
    {0, IM_AD, Data, always, {fill}, IM_A},
    {0, IM_A, OwnGetM, always, {store}, M},
    {0, {IM_AD, IM_A}, {OtherGetS, OtherGetM}, always, {}, stays},
    {0, IM_D, Data, always, {fill, store}, M},
    {0, SM_AD, OwnGetM, always, {}, SM_D},
    {0, SM_AD, Data, always, {fill}, SM_A},
    {0, SM_A, OwnGetM, always, {store}, M},
    {0, {SM_AD, SM_A}, OtherGetS, always, {}, stays},
    {0, SM_AD, OtherGetM, always, {drop}, IM_AD},
    {0, SM_A, OtherGetM, always, {}, IM_A},  // the early data stays: it answers our own request
    {0, SM_D, Data, always, {fill, store}, M},
    {stalling, {IM_D, SM_D}, {OtherGetS, OtherGetM}, always, {stall}, stays},
    {nonstalling | copying, IM_D, OtherGetS, always, {save_requestor}, IM_D_S},
    {nonstalling | copying, SM_D, OtherGetS, always, {save_requestor}, SM_D_S},
    {nonstalling | moesi, {IM_D, SM_D}, OtherGetS, always, {stall}, stays},
    {nonstalling, IM_D, OtherGetM, always, {save_requestor}, IM_D_I},
    {nonstalling, SM_D, OtherGetM, always, {save_requestor, drop}, IM_D_I},
    {nonstalling | copying, {IM_D_S, SM_D_S}, OtherGetS, always, {}, stays},
    {nonstalling | copying, IM_D_S, OtherGetM, always, {}, IM_D_SI},
    {nonstalling | copying, SM_D_S, OtherGetM, always, {drop}, IM_D_SI},
    {nonstalling | copying,
     {IM_D_S, SM_D_S},
     Data,
     always,
     {fill, store, copy_to_memory_for_saved, data_to_saved},
     S},
    {nonstalling | copying, IM_D_SI, {OtherGetS, OtherGetM}, always, {}, stays},
    {nonstalling | copying,
     IM_D_SI,
     Data,
     always,
     {fill, store, copy_to_memory_for_saved, data_to_saved, drop},
     I},
    {nonstalling, IM_D_I, {OtherGetS, OtherGetM}, always, {}, stays},
    {nonstalling, IM_D_I, Data, always, {fill, store, data_to_saved, drop}, I},
    // an owner that wants to write needs no data, only its place in the order
    {moesi, OM_A, OwnGetM, always, {store}, M},
    {moesi, OM_A, OtherGetS, always, {data_to_requestor}, stays},
    {moesi, OM_A, OtherGetM, always, {data_to_requestor, drop}, IM_AD},

    // eviction: the owner answers until its own PutM comes by
    {0, MI_A, OwnPutM, always, {answer_put, drop}, I},
    {with_e, EI_A, OwnPutM, always, {answer_put_clean, drop}, I},
    {moesi, OI_A, OwnPutM, always, {answer_put_shared, drop}, I},
    {copying, MI_A, OtherGetS, always, {data_to_requestor, data_to_memory, drop}, II_A},
    {mesi, EI_A, OtherGetS, always, {data_to_requestor, data_to_memory, drop}, II_A},
    {moesi, {MI_A, EI_A}, OtherGetS, always, {data_to_requestor}, OI_A},
    {moesi, OI_A, OtherGetS, always, {data_to_requestor}, stays},
    {0, MI_A, OtherGetM, always, {data_to_requestor, drop}, II_A},
    {with_e, EI_A, OtherGetM, always, {data_to_requestor, drop}, II_A},
    {moesi, OI_A, OtherGetM, always, {data_to_requestor, drop}, II_A},
    {0, II_A, {OtherGetS, OtherGetM}, always, {}, stays},
    {0, II_A, OwnPutM, always, {answer_put_stale}, I},

    // others' evictions are between them and memory
    {0, {I, S, M, IS_AD, IS_D, IS_A, IM_AD, IM_D, IM_A, SM_AD, SM_D, SM_A, MI_A, II_A}, OtherPutM, always, {}, stays},
    {with_e, {E, IE_A, EI_A}, OtherPutM, always, {}, stays},
    {moesi, {O, OM_A, OI_A}, OtherPutM, always, {}, stays},
    {nonstalling, {IS_D_I, IM_D_I}, OtherPutM, always, {}, stays},
    {nonstalling | copying, {IM_D_S, IM_D_SI, SM_D_S}, OtherPutM, always, {}, stays},
    {nonstalling | mesi, {IS_D_S, IS_D_SI}, OtherPutM, always, {}, stays},
};
// clang-format on
}  // namespace cache_rows

namespace memory_rows {
using enum MemoryState;
using enum MemoryEvent;
using enum MemoryGuard;
using enum MemoryAction;
using Row = WrittenRow<MemoryState, MemoryEvent, MemoryGuard, MemoryAction>;

// clang-format off
constexpr Row table[] = {
    // nobody owns the line: memory answers
    {msi, IorS, GetS, always, {data_to_requestor}, stays},
    {msi, IorS, GetM, always, {data_to_requestor}, M},
    {with_e, I, GetS, always, {exclusive_data_to_requestor}, M},
    {with_e, S, GetS, always, {data_to_requestor}, stays},
    {with_e, {I, S}, GetM, always, {data_to_requestor}, M},
    // the owner answers; where it does not stay owner, memory gets a copy
    {msi, M, GetS, always, {await_copy}, IorS_D},
    {mesi, M, GetS, always, {await_copy}, S_D},
    {moesi, M, GetS, always, {}, stays},
    {0, M, GetM, always, {}, stays},
    // evictions; of a cache that has lost the line meanwhile too
    {0, M, PutM, always, {await_put}, M_D},
    {msi, IorS, PutM, always, {await_put}, IorS_D},
    {with_e, I, PutM, always, {await_put}, I_D},
    {with_e, S, PutM, always, {await_put}, S_D},

    // requests wait for data
    {msi, IorS_D, {GetS, GetM, PutM}, always, {stall}, stays},
    {with_e, {I_D, S_D}, {GetS, GetM, PutM}, always, {stall}, stays},
    {0, M_D, {GetS, GetM, PutM}, always, {stall}, stays},
    {msi, IorS_D, Data, awaited, {write_data}, IorS},
    {msi, IorS_D, NoData, awaited, {}, IorS},
    {mesi, S_D, Data, awaited, {write_data}, S},
    {with_e, S_D, NoData, awaited, {}, S},
    {with_e, I_D, NoData, awaited, {}, I},
    {msi, M_D, Data, awaited, {write_data}, IorS},
    {with_e, M_D, Data, awaited, {write_data}, I},
    {moesi, M_D, DataS, awaited, {write_data}, S},
    {with_e, M_D, NoDataE, awaited, {}, I},
    {0, M_D, NoData, awaited, {}, M},

    // Data waits for its request. From an owner it comes in M only, since memory has seen the owner become
    // one;
    // the NoData of a cache that is owner no more may come in any state.
    {msi, {IorS, M}, NoData, always, {stall}, stays},
    {with_e, {I, S, M}, NoData, always, {stall}, stays},
    {0, M, Data, always, {stall}, stays},
    {with_e, M, NoDataE, always, {stall}, stays},
    {moesi, M, DataS, always, {stall}, stays},
    {msi, IorS_D, NoData, not_awaited, {stall}, stays},
    {with_e, {I_D, S_D}, NoData, not_awaited, {stall}, stays},
    {0, M_D, {Data, NoData}, not_awaited, {stall}, stays},
    {with_e, M_D, NoDataE, not_awaited, {stall}, stays},
    {moesi, M_D, DataS, not_awaited, {stall}, stays},
};
// clang-format on
}  // namespace memory_rows

bool wanted(const ProtocolOptions& options, unsigned bits) {
  constexpr unsigned family[] = {msi, mesi, moesi};
  const unsigned both =
      family[static_cast<std::size_t>(options.family)] | (options.nonstalling ? nonstalling : stalling);
  return (where(bits) & both) == both;
}

CacheTable cache_table(const ProtocolOptions& options) {
  const CacheTable table = table_of<CacheTable>(
      cache_rows::table, [&](unsigned bits) { return wanted(options, bits); }, cache_state_count,
      cache_event_count);
  std::vector<CacheTable::Row> rows(table.rows().begin(), table.rows().end());
  for (CacheTable::Row& row : rows) {
    if (options.mutation == Mutation::no_is_d_i && row.state == CacheState::IS_D &&
        row.event == CacheEvent::OtherGetM) {
      row.actions = {};
      row.next = CacheState::IS_D;
    }
    if (options.mutation == Mutation::lose_sm_a_data && row.state == CacheState::SM_A &&
        row.event == CacheEvent::OtherGetM) {
      row.actions = {CacheAction::drop};
      row.next = CacheState::IM_AD;
    }
  }
  return CacheTable(rows, cache_state_count, cache_event_count);
}

MemoryTable memory_table(const ProtocolOptions& options) {
  const MemoryTable table = table_of<MemoryTable>(
      memory_rows::table, [&](unsigned bits) { return wanted(options, bits); }, memory_state_count,
      memory_event_count);
  std::vector<MemoryTable::Row> rows(table.rows().begin(), table.rows().end());
  const auto waiting_data = [](const MemoryTable::Row& row) {
    return row.event >= MemoryEvent::Data && row.actions.has(MemoryAction::stall);
  };
  if (options.mutation == Mutation::no_early_data) std::erase_if(rows, waiting_data);
  if (options.mutation == Mutation::untagged_data) {
    for (MemoryTable::Row& row : rows) {
      if (row.guard == MemoryGuard::awaited) row.guard = MemoryGuard::always;
    }
  }
  return MemoryTable(rows, memory_state_count, memory_event_count);
}

constexpr std::string_view mutation_names[] = {"none",           "no-early-data", "untagged-data",
                                               "unordered-data", "no-is-d-i",     "lose-sm-a-data"};

ProtocolOptions completed(ProtocolOptions options) {
  if (options.mutation == Mutation::no_is_d_i) options.nonstalling = true;
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
  throw bad_input({}, fmt::format("--mutate: unknown fault of a split bus \"{}\"; known: {}{}", name,
                                  fmt::join(names, ", "), did_you_mean(name, names)));
}

Protocol::Protocol(ProtocolOptions options)
    : options_(completed(options)), cache_(cache_table(options_)), memory_(memory_table(options_)) {}

std::string Protocol::name() const {
  constexpr std::string_view names[] = {"msi-split-bus", "mesi-split-bus", "moesi-split-bus"};
  return std::string(names[static_cast<std::size_t>(options_.family)]);
}

}  // namespace mesim::split_bus
