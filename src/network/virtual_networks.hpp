// Requests, forwards and responses travel in networks of their own (network.hpp says why).
#pragma once

namespace mesim {

inline constexpr unsigned virtual_networks = 3;

}  // namespace mesim
