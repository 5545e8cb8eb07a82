// A crossbar as configs describe it.
#pragma once
#include <cstdint>

#include "sim/fields.hpp"

namespace mesim {

struct CrossbarConfig {
  std::uint32_t latency_cycles = 8;
  std::uint32_t link_bytes = 32;

  void fields(Fields& f);
};

}  // namespace mesim
