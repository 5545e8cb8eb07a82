#include "cores/out_of_order_config.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <string_view>

namespace mesim {
namespace {

template <class Enum, std::size_t count>
Enum named(const std::array<std::string_view, count>& names, const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  assert(found != names.end() && "the config's choices are these names");
  return static_cast<Enum>(found - names.begin());
}

}  // namespace

void WindowConfig::fields(Fields& f) {
  f.integer("size", size,
            {.min = 4,
             .max = max_size,
             .unit = "instructions",
             .help = "in flight at once: the reorder buffer; an instruction takes a place for every access"});
  f.integer(
      "retire_width", retire_width,
      {.min = 1, .max = 16, .unit = "instructions", .help = "that leave the window in a cycle, in order"});
  f.integer("load_queue", load_queue,
            {.min = 1, .max = max_loads, .unit = "loads", .help = "in the window at once"});
  f.integer("load_ports", load_ports,
            {.min = 1, .max = 8, .unit = "loads", .help = "that ask the first-level cache in a cycle"});
  f.flag("load_reordering", load_reordering,
         "whether a load may be performed before an older one; under sc, tso and pso it is then repeated "
         "with all "
         "that follows if its line is lost before the older ones are done");
  f.choice("prediction", prediction, {"perfect", "gshare"},
           "of conditional branches: perfect, for a program resolved as soon as the operands are known; or "
           "gshare (McFarling, 1993)");
  f.integer("gshare_bits", gshare_bits,
            {.min = 1, .max = 24, .unit = "bits", .help = "of history, and of the index of 2-bit counters"});
  f.integer("refill_cycles", refill_cycles,
            {.max = 1000,
             .unit = "cycles",
             .help = "from a mispredicted branch or a repeated load to the first instruction after it"});
}

void StoreBufferConfig::fields(Fields& f) {
  f.flag("forwarding", forwarding, "loads are served by older buffered stores; otherwise they wait for them");
  f.choice(
      "drain_order", drain_order, {"model", "fifo", "any"},
      "fifo: in program order; any: in the order in which lines come, one address's stores in order; model: "
      "what the consistency allows");
  f.choice("coalescing", coalescing, {"none", "adjacent", "any"},
           "a store joins a buffered one of the same 8 bytes: the youngest (adjacent), or any of them");
  f.integer("outstanding", outstanding,
            {.min = 1,
             .max = 16,
             .unit = "stores",
             .help = "that may wait for their lines at once; fifo asks for the lines of stores "
                     "that follow, and performs them in order"});
}

Consistency consistency_from(const std::string& name) {
  static constexpr std::array<std::string_view, 4> names = {"sc", "tso", "pso", "weak"};
  return named<Consistency>(names, name);
}

CoreFault fault_from(const std::string& name) {
  static constexpr std::array<std::string_view, 7> names = {
      "none", "no_squash", "fence_passes", "forward_oldest", "atomic_passes", "any_once", "coalesce_another"};
  return named<CoreFault>(names, name);
}

}  // namespace mesim
