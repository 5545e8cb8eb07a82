// The one port in front of every memory: the fixed-latency model and the DRAM controllers. It carries time
// only; the bytes live with whoever is the home of a line.
//
// A home connects a link to `requests()` at its own port number and has its inbox of replies connected by
// `connect_reply(port, ...)`. Reads are answered by one reply each, in any order; writes are posted. The
// device never refuses: who sends bounds what is outstanding.
#pragma once
#include <cstdint>

#include "sim/link.hpp"
#include "sim/part.hpp"

namespace mesim {

struct MemoryRequest {
  std::uint64_t address = 0;
  std::uint32_t bytes = 0;
  std::uint32_t tag = 0;   // comes back in the reply
  std::uint16_t unit = 0;  // who asked, for accounts by requester
  bool write = false;

  void digest(Digest& digest) const {
    digest.add(address);
    digest.add(tag);
    digest.add(write);
  }
};

struct MemoryReply {
  std::uint64_t address = 0;
  std::uint32_t tag = 0;
  std::uint32_t queue_cycles = 0;    // before service began
  std::uint32_t service_cycles = 0;  // from there to the last byte; both in cycles of the receiver

  void digest(Digest& digest) const {
    digest.add(address);
    digest.add(tag);
  }
};

class MemoryDevice : public Part {
 public:
  virtual Inbox<MemoryRequest>& requests() = 0;
  virtual void connect_reply(unsigned port, Inbox<MemoryReply>& inbox, unsigned inbox_port,
                             Cycles latency) = 0;
};

}  // namespace mesim
