// What a crossbar is made with.
#pragma once
#include <cstdint>

namespace mesim {

struct CrossbarConfig {
  std::uint32_t latency_cycles = 8;  // from sender to receiver without contention, at least 2
  std::uint32_t link_bytes = 32;     // that an output delivers in a cycle
  std::uint32_t jitter_cycles = 0;   // that a message may be held at its source's side, jitter.hpp
};

}  // namespace mesim
