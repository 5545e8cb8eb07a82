// Names, meanings and the printed form of the split-bus tables.
#include <array>

#include "coherence/split_bus_protocol.hpp"
#include "coherence/table_listing.hpp"

namespace mesim::split_bus {
namespace {

constexpr std::array<std::string_view, cache_state_count> cache_states = {
    "I",      "S",      "E",       "O",     "M",    "IS_AD", "IS_D",   "IS_A",   "IE_A",
    "IS_D_S", "IS_D_I", "IS_D_SI", "IM_AD", "IM_D", "IM_A",  "IM_D_S", "IM_D_I", "IM_D_SI",
    "SM_AD",  "SM_D",   "SM_D_S",  "SM_A",  "OM_A", "MI_A",  "EI_A",   "OI_A",   "II_A"};
constexpr std::array<std::string_view, cache_state_count> cache_meanings = {
    "not here",
    "readable, others may hold it too",
    "readable, nobody else holds it, memory is current; a store needs no request",
    "readable, others may hold it too, this cache answers for it",
    "readable and writable, nobody else holds it, memory is stale",
    "wants to read, waits for its own request and for data",
    "wants to read, its request is ordered, waits for data",
    "wants to read, has the data, waits for its own request",
    "as IS_A, and the data came as exclusive",
    "as IS_D, and hands a copy on if the data makes it the owner",
    "as IS_D, but one load may use the data, then it is gone, to a waiting writer if it came as exclusive",
    "as IS_D_S, then gone",
    "wants to write, waits for its own request and for data",
    "wants to write, its request is ordered, waits for data",
    "wants to write, has the data, waits for its own request",
    "as IM_D, then hands a copy to a waiting reader and becomes S",
    "as IM_D, then hands the line to a waiting writer",
    "as IM_D_S, then gone",
    "wants to write, still has a readable copy, waits for its own request and for data",
    "wants to write, still has a readable copy, its request is ordered, waits for data",
    "as SM_D, then hands a copy to a waiting reader and becomes S",
    "wants to write, has the data, waits for its own request; not readable, for the data may be newer than "
    "what it has snooped",
    "owner that wants to write, waits for its own request",
    "evicting a modified line, answers for it until its own request comes by",
    "evicting an exclusive line, answers for it until its own request comes by",
    "evicting an owned line, answers for it until its own request comes by",
    "evicting a line that somebody else has taken meanwhile"};
constexpr std::array<std::string_view, cache_event_count> cache_events = {
    "Load",      "Store",     "Evict",     "OwnGetS", "OwnGetM", "OwnPutM",
    "OtherGetS", "OtherGetM", "OtherPutM", "Data",    "DataE"};
constexpr std::string_view cache_actions[] = {"-",
                                              "stall",
                                              "request GetS",
                                              "request GetM",
                                              "request PutM",
                                              "data to requestor",
                                              "data to memory",
                                              "save requestor",
                                              "data to memory (copy for saved)",
                                              "data to saved",
                                              "forget saved",
                                              "Data to memory (PutM)",
                                              "DataS to memory (PutM)",
                                              "NoDataE to memory (PutM)",
                                              "NoData to memory (PutM)",
                                              "fill",
                                              "load",
                                              "load once",
                                              "store",
                                              "drop"};
constexpr std::array<std::string_view, memory_state_count> memory_states = {"IorS",   "I",   "S",   "M",
                                                                            "IorS_D", "I_D", "S_D", "M_D"};
constexpr std::array<std::string_view, memory_state_count> memory_meanings = {
    "no cache owns the line",
    "no cache holds the line",
    "no cache owns the line, some may share it",
    "a cache owns the line",
    "no cache owns the line: waits for the former owner's copy, or for the NoData of a stale PutM",
    "no cache holds the line: waits for the NoData of a stale PutM",
    "no cache owns the line: waits for the former owner's copy, or for the NoData of a stale PutM",
    "a PutM was ordered: waits for what its sender says"};
constexpr std::array<std::string_view, memory_event_count> memory_events = {
    "GetS", "GetM", "PutM", "Data", "DataS", "NoData", "NoDataE"};
constexpr std::string_view memory_actions[] = {"-",
                                               "stall",
                                               "data to requestor",
                                               "exclusive data to requestor",
                                               "await the owner's copy",
                                               "await the answer to the PutM",
                                               "write data"};
constexpr std::string_view requests[] = {"-", "GetS", "GetM", "PutM"};
constexpr std::string_view data_kinds[] = {"Data", "DataE", "DataS", "NoData", "NoDataE"};

}  // namespace

std::string_view name(CacheState state) { return cache_states[static_cast<std::size_t>(state)]; }
std::string_view name(CacheEvent event) { return cache_events[static_cast<std::size_t>(event)]; }
std::string_view name(CacheAction action) { return cache_actions[static_cast<std::size_t>(action)]; }
std::string_view name(MemoryState state) { return memory_states[static_cast<std::size_t>(state)]; }
std::string_view name(MemoryEvent event) { return memory_events[static_cast<std::size_t>(event)]; }
std::string_view name(MemoryAction action) { return memory_actions[static_cast<std::size_t>(action)]; }
std::string_view name(RequestKind kind) { return requests[static_cast<std::size_t>(kind)]; }
std::string_view name(DataKind kind) { return data_kinds[static_cast<std::size_t>(kind)]; }
std::string_view meaning(CacheState state) { return cache_meanings[static_cast<std::size_t>(state)]; }
std::string_view meaning(MemoryState state) { return memory_meanings[static_cast<std::size_t>(state)]; }

CacheEvent cache_event(RequestKind kind, bool own) {
  switch (kind) {
    case RequestKind::GetS:
      return own ? CacheEvent::OwnGetS : CacheEvent::OtherGetS;
    case RequestKind::GetM:
      return own ? CacheEvent::OwnGetM : CacheEvent::OtherGetM;
    default:
      return own ? CacheEvent::OwnPutM : CacheEvent::OtherPutM;
  }
}

MemoryEvent memory_event(RequestKind kind) {
  return kind == RequestKind::GetS   ? MemoryEvent::GetS
         : kind == RequestKind::GetM ? MemoryEvent::GetM
                                     : MemoryEvent::PutM;
}

MemoryEvent memory_event(DataKind kind) {
  switch (kind) {
    case DataKind::DataS:
      return MemoryEvent::DataS;
    case DataKind::NoData:
      return MemoryEvent::NoData;
    case DataKind::NoDataE:
      return MemoryEvent::NoDataE;
    default:
      return MemoryEvent::Data;
  }
}

std::string why_impossible(CacheState state, CacheEvent event) {
  switch (event) {
    case CacheEvent::Evict:
      return state == CacheState::I ? "there is nothing to evict" : "the protocol has no such state";
    case CacheEvent::OwnGetS:
    case CacheEvent::OwnGetM:
    case CacheEvent::OwnPutM:
      return "this request is not under way: another one is, none is, or it has come by";
    case CacheEvent::Data:
    case CacheEvent::DataE:
      return "no data is under way: not asked for, or it has come, or only a reader gets it exclusive";
    default:
      return "the protocol has no such state";
  }
}

std::string why_impossible(MemoryState, MemoryEvent event) {
  return event >= MemoryEvent::Data
             ? "only an owner sends this, and memory has seen it become owner and not lose the line yet"
             : "the protocol has no such state";
}

ProtocolListing Protocol::listing() const {
  constexpr std::string_view summaries[] = {
      "MSI on a split-transaction bus: memory knows whether a cache owns the line.",
      "MESI on a split-transaction bus: a reader of a line that nobody holds gets E; an owner that is read "
      "copies "
      "to memory.",
      "MOESI on a split-transaction bus: a reader of a line that nobody holds gets E; an owner that is read "
      "stays "
      "owner."};
  const auto guard_text = [](auto guard) -> std::string_view {
    constexpr std::string_view texts[] = {"", "the awaited", "not the awaited"};
    return texts[static_cast<std::size_t>(guard)];
  };
  ProtocolListing out;
  out.name = name();
  out.summary =
      std::string(summaries[static_cast<std::size_t>(options_.family)]) +
      " Requests are broadcast in one order, data travels by itself." +
      (options_.nonstalling ? " Nonstalling: requests are noted while a cache waits." : "") +
      " After Sorin, Hill, Wood, Nagarajan: A Primer on Memory Consistency and Cache Coherence, chapter 7.";
  out.tables.push_back(listed_table("cache", cache_, guard_text));
  out.tables.push_back(listed_table("memory", memory_, guard_text));
  return out;
}

}  // namespace mesim::split_bus
