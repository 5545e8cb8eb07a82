// A core as configs describe it.
#pragma once
#include <cstdint>

#include "sim/fields.hpp"

namespace mesim {

struct CoreConfig {
  std::uint32_t width = 2;
  std::uint32_t outstanding_loads = 4;
  std::uint32_t use_distance = 4;
  std::uint32_t store_buffer = 8;

  static constexpr std::uint32_t max_outstanding_loads = 16;
  static constexpr std::uint32_t max_store_buffer = 32;

  // A core that waits for every access before it goes on.
  static CoreConfig blocking() {
    return {.width = 1, .outstanding_loads = 1, .use_distance = 0, .store_buffer = 0};
  }

  void fields(Fields& f);
};

}  // namespace mesim
