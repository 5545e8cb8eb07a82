// Where a miss spent its cycles: its message is in exactly one segment in each cycle, in this order. A reply
// carries the lengths, filled in by those who held the message; the core's time ledger turns them into the
// owners of its idle cycles.
#pragma once
#include <array>
#include <cstdint>
#include <string_view>

#include "sim/units.hpp"

namespace mesim {

enum class Segment : std::uint8_t {
  lookup,             // private caches, until the request leaves
  bank_queue,         // behind other accesses of a bank of a private cache, or behind messages at its way out
  request_link,       // on the way to the home, or waiting for the bus
  request_queue,      // on that way behind other messages in routers
  home_queue,         // behind other requests of the line or of the home
  home,               // directory and last-level lookup
  memory_queue,       // waiting for the memory channel
  memory,             // memory's own latency and transfer
  owner,              // forwarded to the owning cache
  reply_queue,        // on the way to owner or requestor behind other messages in routers
  reply_link,         // on the way back
  invalidation_wait,  // data has come, acknowledgements of sharers are missing
};
inline constexpr std::size_t segment_count = 12;
inline constexpr std::array<std::string_view, segment_count> segment_names = {
    "lookup",       "bank_queue", "request_link", "request_queue", "home_queue", "home",
    "memory_queue", "memory",     "owner",        "reply_queue",   "reply_link", "invalidation_wait"};

struct Segments {
  std::array<std::uint32_t, segment_count> cycles{};

  void add(Segment segment, Cycles length) {
    cycles[static_cast<std::size_t>(segment)] += static_cast<std::uint32_t>(length);
  }
  Cycles of(Segment segment) const { return cycles[static_cast<std::size_t>(segment)]; }
  Cycles total() const {
    Cycles sum = 0;
    for (const std::uint32_t length : cycles) sum += length;
    return sum;
  }
};

}  // namespace mesim
