// A core as configs describe it.
#pragma once
#include <cstdint>
#include <string>

#include "cores/out_of_order_config.hpp"
#include "sim/fields.hpp"

namespace mesim {

struct CoreConfig {
  std::uint32_t width = 2;
  std::uint32_t outstanding_loads = 4;
  std::uint32_t use_distance = 4;
  std::uint32_t store_buffer = 8;
  std::string type = "in_order";
  std::string consistency = "tso";
  WindowConfig window = {};
  StoreBufferConfig stores = {};
  std::string fault = "none";

  static constexpr std::uint32_t max_outstanding_loads = 16;
  static constexpr std::uint32_t max_store_buffer = 32;

  // A core that waits for every access before it goes on.
  static CoreConfig blocking() {
    CoreConfig config;
    config.width = config.outstanding_loads = 1;
    config.use_distance = config.store_buffer = 0;
    return config;
  }

  void fields(Fields& f);
};

}  // namespace mesim
