// Where the requests of a memory-only run come from: a pattern or a trace.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sim/units.hpp"

namespace mesim::dram {

struct MemoryAccess {
  std::uint64_t address = 0;
  Cycles earliest = 0;  // clock of the memory; it waits until then, and until the queue has room
  std::uint32_t bytes = 64;
  std::uint16_t unit = 0;  // who asks
  bool write = false;
  bool dependent = false;  // waits for the answers to all before it
};

class RequestSource {
 public:
  virtual ~RequestSource() = default;
  // The next requests, in order; empty at the end. Valid until the next call.
  virtual std::span<const MemoryAccess> next() = 0;
};

// stream   sequential reads                         mixed    the same, every third a write
// random   reads, uniform over a span               sparse   random, one per interval
// chase    random, each after the answer to the last
// Addresses of random ones come from splitmix64 (G. Steele, D. Lea, C. Flood, OOPSLA 2014) begun at the seed.
struct RequestPattern {
  std::string name = "stream";
  std::uint64_t requests = 100'000;
  std::uint32_t bytes = 64;
  std::uint64_t stride_bytes = 0;  // stream, mixed: from one request to the next; 0: bytes
  std::uint64_t span_bytes = std::uint64_t{1} << 30;
  double interval_cycles = 0;  // between two requests at least
  std::uint32_t write_every = 0;
  std::uint64_t seed = 12345;
};

const std::vector<std::string>& request_pattern_names();
std::unique_ptr<RequestSource> request_pattern(const RequestPattern& pattern);

}  // namespace mesim::dram
