// The protocols by the names of the command line: `mesi-directory`, `msi-split-bus`, `dragon-bus`, ...
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "coherence/bus_protocol.hpp"
#include "coherence/checker/model.hpp"
#include "coherence/directory_protocol.hpp"
#include "coherence/protocol_listing.hpp"
#include "coherence/split_bus_protocol.hpp"

namespace mesim::checker {

struct ProtocolChoice {
  std::string name;
  bool nonstalling = false;     // directories and split buses
  bool all_events = false;      // recall and DMA too; not on a split bus
  unsigned snoop_queue = 1;     // split buses: requests that a snoop queue holds
  DirectoryFormat directory{};  // directories: what the home remembers of the sharers
  std::string mutation = "none";
};

std::vector<std::string> protocol_names();

// All throw bad_input for an unknown name or a choice that the protocol does not have.
std::unique_ptr<Model> protocol_model(const ProtocolChoice& choice, unsigned caches);
ProtocolListing protocol_listing(const ProtocolChoice& choice);
// What a protocol's machine is built from.
directory::ProtocolOptions directory_options(const ProtocolChoice& choice);
split_bus::ProtocolOptions split_bus_options(const ProtocolChoice& choice);
BusProtocol atomic_bus_protocol(const ProtocolChoice& choice);
bool is_split_bus(const std::string& name);
bool is_directory(const std::string& name);

}  // namespace mesim::checker
