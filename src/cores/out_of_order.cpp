#include "cores/out_of_order.hpp"

namespace mesim {

void OutOfOrderCounters::write_more(StatWriter& out) const {
  out.count("branches", branches);
  out.count("mispredicted_branches", mispredicted);
  out.count("repeated_loads", squashes);
  out.count("squashed_instructions", squashed);
  out.count("failed_store_conditionals", failed_store_conditionals);
}

}  // namespace mesim
