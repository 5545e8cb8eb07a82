#include "cores/synchronisation.hpp"

#include <algorithm>

namespace mesim {

void Synchronisation::step(Cycles now) {
  inbox_.take(now, [&](unsigned core, const SyncRequest& request) {
    Object& object = objects_[request.object];
    if (request.wait) {
      if (object.signalled >= request.count) {
        replies_[core].send(now, {request.object});
      } else {
        object.waiters.push_back({core, request.count});
      }
      return;
    }
    ++object.signalled;
    std::erase_if(object.waiters, [&](const Waiter& waiter) {
      if (object.signalled < waiter.count) return false;
      replies_[waiter.core].send(now, {request.object});
      return true;
    });
  });
}

void Synchronisation::reset(std::uint64_t) { objects_.clear(); }

void Synchronisation::signalled(const std::map<std::uint64_t, std::uint64_t>& signals) {
  for (const auto& [object, times] : signals) objects_[object].signalled = times;
}

void Synchronisation::digest(Digest& digest) const {
  for (const auto& [address, object] : objects_) {
    digest.add(address);
    digest.add(object.signalled);
    for (const Waiter& waiter : object.waiters) {
      digest.add(waiter.core);
      digest.add(waiter.count);
    }
  }
}

std::vector<Synchronisation::Waiting> Synchronisation::waiting() const {
  std::vector<Waiting> all;
  for (const auto& [address, object] : objects_) {
    for (const Waiter& waiter : object.waiters)
      all.push_back({waiter.core, address, waiter.count, object.signalled});
  }
  std::sort(all.begin(), all.end(), [](const Waiting& a, const Waiting& b) { return a.core < b.core; });
  return all;
}

}  // namespace mesim
