// One line on a split-transaction bus: a few caches and memory, each with a queue of the requests that the
// bus has ordered and it has not snooped yet, and the data network. A line's data is one bit, and beside it
// stands the value that the last store wrote. Single writer, many readers and the data's value hold in the
// order of the bus: they are looked at when all snoop queues are empty.
#pragma once
#include <memory>

#include "coherence/checker/model.hpp"
#include "coherence/split_bus_protocol.hpp"

namespace mesim::checker {

inline constexpr unsigned split_bus_model_caches = 6;  // at most
inline constexpr unsigned split_bus_snoop_queue = 4;   // at most

// The bus grants a request when every snoop queue has room for it in `snoop_queue` places: 1 is "atomic
// requests", everybody has seen a request before the next is granted. Throws bad_input outside the limits.
std::unique_ptr<Model> split_bus_model(const split_bus::Protocol& protocol, unsigned caches,
                                       unsigned snoop_queue);

}  // namespace mesim::checker
