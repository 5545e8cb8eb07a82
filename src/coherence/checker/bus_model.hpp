// One line under a protocol of the atomic bus: caches, memory, and optionally the last level that recalls and
// a device that reads and writes. A transaction is one step, so there is nothing under way between steps.
#pragma once
#include <memory>

#include "coherence/bus_protocol.hpp"
#include "coherence/checker/model.hpp"

namespace mesim::checker {

inline constexpr unsigned bus_model_caches = 8;  // at most

// Throws bad_input unless 1 <= caches <= bus_model_caches.
std::unique_ptr<Model> bus_model(std::string name, const BusProtocol& protocol, unsigned caches,
                                 bool all_events);

}  // namespace mesim::checker
