// The printed form of an atomic bus protocol.
#pragma once
#include <string>

#include "coherence/bus_protocol.hpp"
#include "coherence/protocol_listing.hpp"

namespace mesim {

// With or without what the memory side does (recall, DMA).
ProtocolListing bus_listing(const std::string& name, const BusProtocol& protocol, bool memory_side);

}  // namespace mesim
