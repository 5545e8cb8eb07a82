// What the parts of a split-transaction bus report, and the bus's fields.
#include <fmt/format.h>

#include "coherence/split_bus.hpp"
#include "coherence/split_bus_cache.hpp"
#include "coherence/split_bus_memory.hpp"

namespace mesim {

void SplitBusConfig::fields(Fields& f) {
  f.integer("address_cycles", address_cycles,
            {.min = 1, .max = 100, .unit = "cycles", .help = "of the address bus for a request"});
  f.integer("snoop_cycles", snoop_cycles,
            {.min = 1, .max = 100, .unit = "cycles", .help = "from a grant to the snoop queues"});
  f.integer("width_bytes", width_bytes,
            {.min = 1, .max = 4096, .unit = "bytes", .help = "that the data bus moves in a cycle"});
  f.integer("snoop_queue", snoop_queue,
            {.min = 1,
             .max = 64,
             .unit = "requests",
             .help = "that a cache or the memory may be behind the bus; 1: the bus waits until everybody has "
                     "snooped the last request (atomic requests)"});
  f.integer("controller_cycles", controller_cycles,
            {.min = 1,
             .max = 500,
             .unit = "cycles",
             .help = "memory controller and last level, from a snooped request to what it causes"});
  f.flag(
      "nonstalling", nonstalling,
      "a cache that waits for its line notes who asks for it next and goes on snooping, instead of leaving "
      "the request in its queue");
}

void SplitBusCounters::write(StatWriter& out) const {
  out.begin("bus");
  out.count("transactions", reads + read_exclusives + upgrades);
  out.count("BusRd", reads);
  out.count("BusRdX", read_exclusives);
  out.count("BusUpgr", upgrades);
  out.count("BusWB", write_backs);
  out.count("line_transfers", lines_to_caches + lines_to_memory);
  out.count("no_data_notices", notices);
  out.count("address_busy_cycles", address_busy_cycles);
  out.count("data_busy_cycles", data_busy_cycles);
  out.count("request_wait_cycles", request_wait_cycles);
  out.count("data_wait_cycles", data_wait_cycles);
  out.count("requests_held_back", held_back);
  out.end();
}

void SplitBusMemoryCounters::write_controller(StatWriter& out) const {
  out.begin("memory_controller");
  out.count("early_data", early_data);
  out.count("stalled_snoops", stalled_snoops);
  out.end();
}

void SplitBusMemoryCounters::write_llc(StatWriter& out) const {
  out.begin("llc");
  out.count("reads", llc_reads);
  out.count("read_misses", llc_read_misses);
  out.count("writes", llc_writes);
  out.count("write_misses", llc_write_misses);
  out.count("fills", llc_fills);
  out.count("writebacks", llc_writebacks);
  out.end();
}

template class SplitBus<NoData>;
template class SplitBus<LineData>;
template class SplitBusCache<NoData>;
template class SplitBusCache<LineData>;
template class SplitBusMemory<NoData>;
template class SplitBusMemory<LineData>;

}  // namespace mesim
