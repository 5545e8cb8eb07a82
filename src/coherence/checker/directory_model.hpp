// One line under a directory protocol: a few caches, the home, the three networks, and optionally recalls and
// one DMA agent. The controllers' code is that of a run (directory_actions.hpp); a line's data is one bit,
// and beside it stands the value that the last store wrote.
#pragma once
#include <memory>

#include "coherence/checker/model.hpp"
#include "coherence/directory_protocol.hpp"

namespace mesim::checker {

inline constexpr unsigned directory_model_caches = 6;  // at most

// Throws bad_input unless 1 <= caches <= directory_model_caches. Recall and DMA are explored if the protocol
// was built with them.
std::unique_ptr<Model> directory_model(const directory::Protocol& protocol, unsigned caches);

}  // namespace mesim::checker
