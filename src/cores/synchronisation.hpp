// What recorded threads wait for, as a part of the machine: a signal travels to it, a wait travels to it and
// is answered once its object was signalled often enough. It replays what the program synchronised, not when.
#pragma once
#include <cstdint>
#include <map>
#include <vector>

#include "sim/link.hpp"

namespace mesim {

struct SyncRequest {
  std::uint64_t object = 0;
  std::uint64_t count = 0;  // of a wait: signals that must have come
  bool wait = false;

  void digest(Digest& digest) const {
    digest.add(object);
    digest.add(count);
    digest.add(wait);
  }
};

struct SyncReply {
  std::uint64_t object = 0;
  void digest(Digest& digest) const { digest.add(object); }
};

class Synchronisation final : public Part {
 public:
  explicit Synchronisation(unsigned cores) : inbox_(*this, cores), replies_(cores) {}

  Inbox<SyncRequest>& inbox() { return inbox_; }
  void connect_reply(unsigned core, Inbox<SyncReply>& inbox, unsigned port, Cycles latency) {
    replies_[core].connect(*this, inbox, port, latency);
  }

  void step(Cycles now) override;
  void reset(std::uint64_t seed) override;
  void digest(Digest& digest) const override;

  // Signals that have been given before the first cycle, by object; after a reset.
  void signalled(const std::map<std::uint64_t, std::uint64_t>& signals);

  // Who still waits, for messages about a machine that cannot go on.
  struct Waiting {
    unsigned core;
    std::uint64_t object;
    std::uint64_t wanted;
    std::uint64_t signalled;
  };
  std::vector<Waiting> waiting() const;

 private:
  struct Waiter {
    unsigned core;
    std::uint64_t count;
  };
  struct Object {
    std::uint64_t signalled = 0;
    std::vector<Waiter> waiters;  // in order of arrival
  };
  Inbox<SyncRequest> inbox_;
  std::vector<Link<SyncReply>> replies_;
  std::map<std::uint64_t, Object> objects_;
};

}  // namespace mesim
