// What travels between caches and homes in a run: a message of the protocol, its line, and where its time
// went. `Value` is LineData when programs compute with what they load, else NoData, which costs nothing.
#pragma once
#include <cstdint>

#include "coherence/directory_protocol.hpp"
#include "coherence/line_value.hpp"
#include "sim/digest.hpp"
#include "sim/segments.hpp"

namespace mesim {

// Where the time of a miss goes: of the messages that it waits for one is under way at a time, and carries
// this on. The ledger lies with the cache that misses; only who holds the message writes to it.
struct MissTime {
  Cycles since = 0;            // all cycles before this one are in the ledger
  Segments* ledger = nullptr;  // null: nobody asks

  void charge(Segment segment, Cycles until) {
    add(segment, until - since);
    since = until;
  }
  void add(Segment segment, Cycles length) const {
    if (ledger != nullptr) ledger->add(segment, length);
  }
};

template <class Value>
struct DirectoryMessage {
  static constexpr std::uint16_t header_bytes = 8;  // address, kind and ids, as in most on-chip protocols

  directory::Message<Value> message;
  std::uint64_t line = 0;  // address / line size
  MissTime time;
  std::uint16_t destination = 0;  // nodes of the network
  std::uint16_t source = 0;
  std::uint16_t size_bytes = header_bytes;
  std::uint8_t network = 0;

  std::uint64_t bytes() const { return size_bytes; }
  static std::uint16_t size_of(bool data, std::uint32_t line_bytes) {
    return static_cast<std::uint16_t>(header_bytes + (data ? line_bytes : 0));
  }
  // Of the time up to its arrival it stood so long behind others in the network.
  void waited(Cycles cycles) {
    time.charge(network == 0 ? Segment::request_queue : Segment::reply_queue, time.since + cycles);
  }
  void digest(Digest& digest) const {
    digest.add(line);
    digest.add(static_cast<std::uint64_t>(message.kind) << 48 | static_cast<std::uint64_t>(message.to) << 32 |
               static_cast<std::uint64_t>(message.requestor) << 16 |
               static_cast<std::uint16_t>(message.acks));
    message.value.digest(digest);
  }
};

// Which node is the home of a line: lines are dealt out to the homes in turn.
struct HomeMap {
  std::uint16_t first_node = 0;
  std::uint16_t homes = 1;
  std::uint16_t node_of(std::uint64_t line) const {
    const bool power_of_two = (homes & (homes - 1)) == 0;
    return static_cast<std::uint16_t>(first_node + (power_of_two ? line & (homes - 1u) : line % homes));
  }
};

}  // namespace mesim
