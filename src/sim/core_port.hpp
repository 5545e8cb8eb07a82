// What a core asks of its private caches. A core and its private caches are one Part (a tile): between them
// nothing takes a message, and a hit must cost no virtual call, so the port is a compile-time interface: any
// class that satisfies CoreCache can stand behind a core (directory caches, bus caches, a test's fixed
// latency).
//
// In a cycle the tile first calls `receive(now)`, in which the controller takes all its arrivals, then asks
// for accesses in program order:
//   try_hit  performs the access if the private caches can do so without sending anything; else it changes
//            nothing at all and returns no reply;
//   miss     after a refused try_hit: starts a miss (`accepted`), or says that it cannot now (`refused`:
//            the line is in transit, or no MSHR is free). A refused core asks again in each later cycle in
//            which something arrived; nothing else can change the answer.
// A cache may offer runs of hits besides (`offers_hit_runs`, `begin_hits`, `end_hits`, see
// coherence/hit_run.hpp): many `try_hit` at once.
// An accepted access is performed in the `receive` whose completions name its token: its value is read or
// written in that cycle, and only the core's own later accesses can see it earlier than that.
#pragma once
#include <concepts>
#include <cstdint>
#include <span>

#include "sim/part.hpp"
#include "sim/segments.hpp"
#include "sim/units.hpp"

namespace mesim {

enum class AccessKind : std::uint8_t {
  fetch,
  load,
  store,
  atomic,  // load and store as one; needs the line writable
};

// What an atomic does to the word of its value; the old one is returned.
enum class AtomicChange : std::uint8_t {
  replace,           // by the value
  add,               // the value
  replace_if_equal,  // to `compare`, by the value
  none,              // it only makes the line writable
};

struct CoreRequest {
  std::uint64_t address = 0;  // an access lies within one line; the core splits what crosses
  std::uint64_t value = 0;    // a store's bytes, low first
  std::uint64_t compare = 0;
  std::uint32_t pc = 0;     // for prefetchers and attribution, 0 if unknown
  std::uint16_t token = 0;  // names an accepted access until it completes
  std::uint16_t size = 0;   // bytes, at most 8 when the value matters
  AccessKind kind = AccessKind::load;
  AtomicChange change = AtomicChange::replace;
  bool hold = false;  // a miss's line is kept from others until `let_go`, see DirectoryCache
  bool second_part =
      false;  // of an access that crosses lines; the caches count both parts, the core one access
};

struct CoreHit {
  bool done = false;
  std::uint16_t conflict = 0;  // of the latency: behind other accesses of a bank
  std::uint32_t latency = 0;   // cycles from now until a load's value can be used
  std::uint64_t value = 0;     // a load's or an atomic's old value, when lines carry data
};

enum class MissReply : std::uint8_t { accepted, refused };

struct CoreCompletion {
  std::uint64_t value = 0;
  std::uint16_t token = 0;
  bool once =
      false;  // a load's line was invalidated before it came; its value may be older than others' writes
  Segments segments;  // of the time between acceptance and completion, as far as known
};

template <class Cache>
concept CoreCache = requires(Cache cache, const Cache& constant, const CoreRequest& request, Cycles now) {
  { cache.try_hit(request, now) } -> std::same_as<CoreHit>;
  { cache.miss(request, now) } -> std::same_as<MissReply>;
  // Takes all arrivals of cycle `now`; the accesses performed by them, valid until the next call.
  { cache.receive(now) } -> std::convertible_to<std::span<const CoreCompletion>>;
  // The first arrival that is on its way already, or `never`; or a cycle before it.
  { constant.first_arrival() } -> std::convertible_to<Cycles>;
  // A message that nobody has sent yet arrives this many cycles from now at the earliest.
  { constant.inbound_latency() } -> std::convertible_to<Cycles>;
};

// Whether anything arrives in cycle `now`, which has come. Some caches know before only when it may.
template <CoreCache Cache>
bool arrivals_due(Cache& cache, Cycles now) {
  if constexpr (requires { cache.due(now); }) {
    return cache.due(now);
  } else {
    return cache.first_arrival() <= now;
  }
}

}  // namespace mesim
