// The time of a cache's arrays: tags and data looked up at once or one after the other, and the banks and
// ports through which accesses go. Lines are dealt out to the banks in turn (interleaved by line, as in Sohi
// and Franklin, "High-bandwidth data memory systems for superscalar processors", ASPLOS 1991). A port of a
// bank begins an access every `bank_cycles`, one if the array is pipelined; who finds no port free begins
// later, in the order of asking. Stores and lines that are written take ports too, but nobody waits for them:
// the queue of writes in front of a bank has no bound.
#pragma once
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/digest.hpp"
#include "sim/fields.hpp"
#include "sim/units.hpp"

namespace mesim {

struct ArrayTimingConfig {
  std::string lookup = "parallel";       // or "sequential": the data array after the tags have named the way
  std::uint32_t tag_latency_cycles = 0;  // until a miss is known; 0: as long as the data
  std::uint32_t banks = 1;
  std::uint32_t ports = 0;        // of each bank; 0: as many as are asked for
  std::uint32_t bank_cycles = 1;  // that an access takes its port

  bool limited() const { return ports != 0; }
  // Of an array whose data takes `data_cycles`.
  std::uint32_t tags(std::uint32_t data_cycles) const {
    return tag_latency_cycles == 0 ? data_cycles : tag_latency_cycles;
  }
  std::uint32_t hit(std::uint32_t data_cycles) const {
    return lookup == "sequential" ? tags(data_cycles) + data_cycles
                                  : std::max(tags(data_cycles), data_cycles);
  }

  void fields(Fields& f);
};

// When the banks of one cache begin what they are asked for.
class ArrayPorts {
 public:
  explicit ArrayPorts(const ArrayTimingConfig& config)
      : banks_(config.banks),
        ports_(config.ports),
        cycles_(config.bank_cycles),
        free_at_(std::size_t{config.banks} * config.ports) {}

  bool limited() const { return ports_ != 0; }
  // An access to `line` that could begin in cycle `at` begins in this cycle, and takes the port.
  Cycles begin(std::uint64_t line, Cycles at) {
    if (!limited()) return at;
    Cycles* bank = &free_at_[line % banks_ * ports_];
    Cycles& free_at = *std::min_element(bank, bank + ports_);
    const Cycles begins = std::max(at, free_at);
    free_at = begins + cycles_;
    return begins;
  }
  void digest(Digest& digest) const {
    for (const Cycles cycle : free_at_) digest.add(cycle);
  }

 private:
  std::uint64_t banks_;
  std::uint32_t ports_;
  std::uint32_t cycles_;
  std::vector<Cycles> free_at_;  // of each port, bank by bank
};

}  // namespace mesim
