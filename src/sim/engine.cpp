#include "sim/engine.hpp"

#include <algorithm>

#include "sim/digest.hpp"

namespace mesim {
namespace {

// What one domain does at a time is not seen by another before its next cycle, so all are looked at first;
// and when the edge of a cycle is, is asked once.
void run_domains(const std::vector<std::unique_ptr<Wheel>>& wheels, Tick until) {
  struct Due {
    Cycles at = never;
    Tick time = Engine::forever;
  };
  std::vector<Due> due(wheels.size());
  while (true) {
    Tick first = Engine::forever;
    for (std::size_t i = 0; i < wheels.size(); ++i) {
      const Cycles at = wheels[i]->next();
      if (at != due[i].at) due[i] = {at, at == never ? Engine::forever : wheels[i]->clock().edge(at)};
      first = std::min(first, due[i].time);
    }
    if (first >= until) return;
    for (std::size_t i = 0; i < wheels.size(); ++i) {
      if (due[i].time == first) wheels[i]->advance(due[i].at);
    }
  }
}

}  // namespace

std::size_t Engine::add_domain(ClockPeriod period) {
  wheels_.push_back(std::make_unique<Wheel>(period));
  return wheels_.size() - 1;
}

void Engine::replace_wheel(std::size_t domain, std::unique_ptr<Wheel> wheel) {
  wheels_[domain]->hand_over(*wheel);
  wheels_[domain] = std::move(wheel);
}

void Engine::reset(std::uint64_t seed) {
  // Twice over all wheels: a part's first message may go to a wheel that is reset after it.
  for (auto& wheel : wheels_) wheel->clear();
  for (auto& wheel : wheels_) wheel->reset_parts(seed);
}

void Engine::set_stop(Tick until, bool known) {
  for (auto& wheel : wheels_) {
    wheel->set_stop(until == forever ? never : wheel->clock().first_edge_from(until), known);
  }
}

Tick Engine::next() const {
  Tick first = forever;
  for (const auto& wheel : wheels_) {
    const Cycles at = wheel->next();
    if (at != never) first = std::min(first, wheel->clock().edge(at));
  }
  return first;
}

void Engine::advance() {
  const Tick time = next();
  for (auto& wheel : wheels_) {
    const Cycles at = wheel->next();
    if (at != never && wheel->clock().edge(at) == time) wheel->advance(at);
  }
}

void Engine::run(Tick until) {
  set_stop(until, true);
  if (wheels_.size() == 1) {
    wheels_[0]->run(wheels_[0]->stop());
  } else {
    run_domains(wheels_, until);
    for (auto& wheel : wheels_) wheel->run(wheel->stop());  // nothing is left before the stop: moves `now`
  }
  settle();
}

void Engine::settle() {
  for (auto& wheel : wheels_) wheel->settle(wheel->now());
}

std::uint64_t Engine::digest() {
  settle();
  Digest digest;
  for (const auto& wheel : wheels_) wheel->digest(digest);
  return digest.value();
}

}  // namespace mesim
