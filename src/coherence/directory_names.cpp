// Names, meanings and the printed form of the directory tables.
#include <fmt/format.h>

#include <array>

#include "coherence/directory_protocol.hpp"
#include "coherence/table_listing.hpp"

namespace mesim::directory {
namespace {

constexpr std::array<std::string_view, cache_state_count> cache_states = {
    "I",      "S",      "E",     "O",    "M",     "IS_D", "IS_D_I", "IM_AD", "IM_A", "IM_AD_S", "IM_AD_I",
    "IM_A_S", "IM_A_I", "SM_AD", "SM_A", "OM_AC", "OM_A", "MI_A",   "EI_A",  "OI_A", "SI_A",    "II_A"};
constexpr std::array<std::string_view, cache_state_count> cache_meanings = {
    "not here",
    "readable, others may hold it too",
    "readable, nobody else holds it, memory is current; a store needs no message",
    "readable, others may hold it too, memory is stale and this cache answers for it",
    "readable and writable, nobody else holds it, memory is stale",
    "wants to read, waits for data",
    "as IS_D, but invalidated before the data came: one load may use it, then it is gone",
    "wants to write, waits for invalidation acks and data",
    "wants to write, has the data, waits for acks",
    "as IM_AD, then hands a copy to a waiting reader and becomes S",
    "as IM_AD, then hands the line to a waiting writer",
    "as IM_A, then hands a copy to a waiting reader and becomes S",
    "as IM_A, then hands the line to a waiting writer",
    "wants to write, still has a readable copy, waits for acks and data",
    "wants to write, has the data, waits for acks",
    "owner that wants to write, waits for the number of acks and for acks",
    "owner that wants to write, waits for acks",
    "evicting a modified line, still answers for it",
    "evicting an exclusive line, still answers for it",
    "evicting an owned line, still answers for it",
    "evicting a shared line",
    "evicting a line that somebody else has taken meanwhile"};
constexpr std::array<std::string_view, cache_event_count> cache_events = {
    "Load", "Store", "Evict", "FwdGetS", "FwdGetM", "Inv", "PutAck", "AckCount", "Data", "DataE", "InvAck"};
constexpr std::string_view cache_actions[] = {"-",
                                              "stall",
                                              "send GetS",
                                              "send GetM",
                                              "send PutS",
                                              "send PutE",
                                              "send PutM+data",
                                              "data to requestor",
                                              "data to home",
                                              "data to saved",
                                              "InvAck to requestor",
                                              "save requestor",
                                              "add acks",
                                              "ack--",
                                              "fill",
                                              "load",
                                              "load once",
                                              "store",
                                              "drop"};
constexpr std::array<std::string_view, home_state_count> home_states = {
    "I", "S", "E", "O", "M", "S_D", "S_A", "O_A", "R_A", "R_D", "R_AD", "W_A", "W_D", "W_AD"};
constexpr std::array<std::string_view, home_state_count> home_meanings = {
    "no cache holds it",
    "sharers hold it, memory is current",
    "an owner holds it and may have written it silently",
    "an owner and perhaps sharers hold it, memory is stale",
    "an owner holds it, memory is stale",
    "a former owner's data is on its way to memory",
    "sharers hold it, memory is current; waits for the ack of a former sharer that another took the place of",
    "as O, and waits for the ack of a former sharer that another took the place of",
    "recalls the line: waits for acks",
    "recalls the line: waits for the owner's data",
    "recalls the line: waits for acks and the owner's data",
    "takes the line for a DMA write: waits for acks",
    "takes the line for a DMA write: waits for the owner's data",
    "takes the line for a DMA write: waits for acks and the owner's data"};
constexpr std::array<std::string_view, home_event_count> home_events = {
    "GetS", "GetM", "PutS", "PutE", "PutM", "Data", "InvAck", "Recall", "DmaRead", "DmaWrite"};
constexpr std::string_view home_actions[] = {"-",
                                             "stall",
                                             "data to requestor",
                                             "data+acks to requestor",
                                             "exclusive data to requestor",
                                             "PutAck",
                                             "AckCount to owner",
                                             "FwdGetS to owner",
                                             "FwdGetM to owner",
                                             "Inv to other sharers",
                                             "FwdGetM to owner for home",
                                             "Inv to sharers for home",
                                             "Inv to oldest sharer for home",
                                             "ack--",
                                             "add sharer",
                                             "remove sharer",
                                             "clear sharers",
                                             "owner becomes sharer",
                                             "set owner",
                                             "clear owner",
                                             "write data",
                                             "save requestor",
                                             "write DMA data",
                                             "DmaAck"};
constexpr std::array<std::string_view, message_kind_count> messages = {
    "GetS",    "GetM", "PutS",   "PutE",     "PutM", "DmaRead", "DmaWrite", "FwdGetS",
    "FwdGetM", "Inv",  "PutAck", "AckCount", "Data", "DataE",   "InvAck",   "DmaAck"};

std::string_view guard_text(CacheGuard guard) {
  constexpr std::string_view texts[] = {"", "acks complete", "acks missing"};
  return texts[static_cast<std::size_t>(guard)];
}

std::string_view guard_text(HomeGuard guard) {
  constexpr std::string_view texts[] = {"",
                                        "from owner",
                                        "not from owner",
                                        "sharers left",
                                        "no sharers left",
                                        "from owner, sharers left",
                                        "from owner, no sharers left",
                                        "acks complete",
                                        "acks missing",
                                        "room for sharer",
                                        "no room for sharer"};
  return texts[static_cast<std::size_t>(guard)];
}

}  // namespace

std::string_view name(CacheState state) { return cache_states[static_cast<std::size_t>(state)]; }
std::string_view name(CacheEvent event) { return cache_events[static_cast<std::size_t>(event)]; }
std::string_view name(CacheAction action) { return cache_actions[static_cast<std::size_t>(action)]; }
std::string_view name(HomeState state) { return home_states[static_cast<std::size_t>(state)]; }
std::string_view name(HomeEvent event) { return home_events[static_cast<std::size_t>(event)]; }
std::string_view name(HomeAction action) { return home_actions[static_cast<std::size_t>(action)]; }
std::string_view name(MessageKind kind) { return messages[static_cast<std::size_t>(kind)]; }
std::string_view meaning(CacheState state) { return cache_meanings[static_cast<std::size_t>(state)]; }
std::string_view meaning(HomeState state) { return home_meanings[static_cast<std::size_t>(state)]; }

std::string why_impossible(CacheState state, CacheEvent event) {
  using enum CacheState;
  const bool evicting = state == MI_A || state == EI_A || state == OI_A || state == SI_A || state == II_A;
  switch (event) {
    case CacheEvent::Load:
    case CacheEvent::Store:
      return "the protocol has no such state";
    case CacheEvent::Evict:
      return state == I ? "there is nothing to evict" : "the protocol has no such state";
    case CacheEvent::FwdGetS:
    case CacheEvent::FwdGetM:
      return saves_requestor(state)
                 ? "a forward has been taken already and made somebody else the owner, or the home "
                   "waits for our data"
                 : "the home forwards only to the owner, and this cache is not it";
    case CacheEvent::Inv:
      return state == I || state == II_A ? "the home does not list this cache: it was invalidated or its Put "
                                           "acknowledged, in order before this Inv"
                                         : "the home does not list this cache as a sharer";
    case CacheEvent::PutAck:
      return evicting ? "the protocol has no such state" : "no Put is outstanding";
    case CacheEvent::AckCount:
      return "only an owner that asked to write gets a count";
    case CacheEvent::Data:
    case CacheEvent::DataE:
      return stable(state) || evicting ? "no request is outstanding"
                                       : "not the answer to what was asked, or it has come";
    case CacheEvent::InvAck:
      return stable(state) || evicting ? "no request is outstanding" : "no acks are expected";
  }
  return "the protocol has no such event";
}

std::string why_impossible(HomeState state, HomeEvent event) {
  switch (event) {
    case HomeEvent::Data:
      return stable(state) ? "the home has asked nobody for data"
                           : "the home waits for acks, the data has come or was current";
    case HomeEvent::InvAck:
      return stable(state) || state == HomeState::S_D ? "acks go to the writer, not to the home"
                                                      : "no sharer was invalidated";
    default:
      return "the protocol has no such state or event";
  }
}

ProtocolListing Protocol::listing() const {
  constexpr std::string_view summaries[] = {"MSI on a directory: three hops, the owner answers.",
                                            "MESI on a directory: three hops, the owner answers; a "
                                            "sole reader gets E and writes silently.",
                                            "MOESI on a directory: three hops, the owner answers; a "
                                            "dirty line is shared without a memory write."};
  ProtocolListing out;
  out.name = name();
  out.summary =
      std::string(summaries[static_cast<std::size_t>(options_.family)]) +
      (options_.nonstalling ? " Nonstalling: forwards are taken while a cache waits." : "") +
      (options_.directory.kind == DirectoryKind::full
           ? ""
           : fmt::format(" Directory: {}.", directory_kind_name(options_.directory.kind))) +
      (options_.all_events ? " With recall and DMA." : "") +
      " After Sorin, Hill, Wood, Nagarajan: A Primer on Memory Consistency and Cache Coherence, chapter 8.";
  out.tables.push_back(listed_table("cache", cache_, [](CacheGuard guard) { return guard_text(guard); }));
  out.tables.push_back(listed_table("home", home_, [](HomeGuard guard) { return guard_text(guard); }));
  return out;
}

}  // namespace mesim::directory
