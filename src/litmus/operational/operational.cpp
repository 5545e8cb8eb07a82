#include "litmus/operational/operational.hpp"

#include "litmus/operational/buffer_search.hpp"
#include "litmus/operational/weak_search.hpp"

namespace mesim::litmus {

Exploration run_operational(const Test& test, Model model, const Limits& limits) {
  switch (model) {
    case Model::sc:
    case Model::tso:
    case Model::pso:
    case Model::pso_v9:
      return operational::search_buffers(test, operational::buffer_rules(model), limits);
    default:
      return operational::search_weak(test, operational::weak_rules(model), limits);
  }
}

}  // namespace mesim::litmus
