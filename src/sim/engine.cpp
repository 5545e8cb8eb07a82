#include "sim/engine.hpp"

#include "sim/digest.hpp"

namespace mesim {

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
    while (next() < until) advance();
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
