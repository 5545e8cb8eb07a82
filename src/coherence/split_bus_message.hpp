// What travels on a split-transaction bus in a run: a request that is broadcast, or a line, and where its
// time went. Also the bus as configs describe it.
#pragma once
#include <cstdint>

#include "coherence/directory_message.hpp"
#include "coherence/split_bus_protocol.hpp"
#include "sim/digest.hpp"
#include "sim/fields.hpp"
#include "sim/segments.hpp"

namespace mesim {

// The address bus and the data bus, each first come, first served, equal cycles by the number of the cache;
// memory comes last. After Culler, Singh, Gupta, Parallel Computer Architecture, 1999, section 6.4.
struct SplitBusConfig {
  std::uint32_t address_cycles = 1;
  std::uint32_t snoop_cycles = 2;
  std::uint32_t width_bytes = 32;
  std::uint32_t snoop_queue = 8;
  std::uint32_t controller_cycles = 10;
  bool nonstalling = false;

  void fields(Fields& f);
};

template <class Value>
struct SplitBusMessage {
  split_bus::Request request{};  // kind none: this is data
  split_bus::DataMessage<Value> data{};
  bool copy_to_memory = false;                // data for a cache that memory takes off the bus as well
  bool has_copy = false;                      // a GetM of a cache that can read the line already
  std::uint16_t source = split_bus::no_node;  // who put it on the bus
  std::uint64_t line = 0;                     // address / line size
  Cycles since = 0;                           // all cycles before this one are in `segments`
  Segments segments;

  bool is_request() const { return request.kind != split_bus::RequestKind::none; }
  // Not the absence of a line, which is an answer too.
  bool carries_line() const {
    using enum split_bus::DataKind;
    return !is_request() && data.kind != NoData && data.kind != NoDataE;
  }
  void charge(Segment segment, Cycles until) {
    segments.add(segment, until - since);
    since = until;
  }
  void digest(Digest& digest) const {
    digest.add(line);
    digest.add(static_cast<std::uint64_t>(request.kind) << 32 |
               static_cast<std::uint64_t>(request.requestor) << 16 | source);
    digest.add(static_cast<std::uint64_t>(data.kind) << 48 | static_cast<std::uint64_t>(data.to) << 32 |
               static_cast<std::uint64_t>(data.requestor) << 16 | data.for_put << 1 | copy_to_memory);
    data.value.digest(digest);
  }
};

// A snoop queue tells the bus of requests that it could not take in the cycle of their arrival, and of each
// of those when it is taken; what is taken at once needs no word.
struct SnoopBacklog {
  std::int32_t change = 0;
  void digest(Digest& digest) const { digest.add(static_cast<std::uint64_t>(change)); }
};

}  // namespace mesim
