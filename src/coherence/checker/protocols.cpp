#include "coherence/checker/protocols.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string/case_conv.hpp>

#include "coherence/bus_listing.hpp"
#include "coherence/checker/bus_model.hpp"
#include "coherence/checker/directory_model.hpp"
#include "coherence/checker/split_bus_model.hpp"
#include "sim/error.hpp"
#include "sim/nearest.hpp"

namespace mesim::checker {
namespace {

using directory::Family;

struct NamedDirectory {
  std::string_view name;
  Family family;
};
constexpr NamedDirectory directories[] = {
    {"msi-directory", Family::msi}, {"mesi-directory", Family::mesi}, {"moesi-directory", Family::moesi}};

const NamedDirectory* directory_named(std::string_view name) {
  for (const NamedDirectory& d : directories) {
    if (d.name == name) return &d;
  }
  return nullptr;
}

struct NamedSplitBus {
  std::string_view name;
  split_bus::Family family;
};
constexpr NamedSplitBus split_buses[] = {{"msi-split-bus", split_bus::Family::msi},
                                         {"mesi-split-bus", split_bus::Family::mesi},
                                         {"moesi-split-bus", split_bus::Family::moesi}};

const NamedSplitBus* split_bus_named(std::string_view name) {
  for (const NamedSplitBus& b : split_buses) {
    if (b.name == name) return &b;
  }
  return nullptr;
}

split_bus::ProtocolOptions options_of(const NamedSplitBus& found, const ProtocolChoice& choice) {
  if (choice.all_events) {
    throw bad_input(
        {}, choice.name + ": --events all: recall and DMA are events of directories and atomic buses");
  }
  return {.family = found.family,
          .nonstalling = choice.nonstalling,
          .mutation = split_bus::mutation_from(choice.mutation)};
}

split_bus::Protocol split_bus_protocol(const NamedSplitBus& found, const ProtocolChoice& choice) {
  return split_bus::Protocol(options_of(found, choice));
}

// What only directories have.
void refuse_directory(const ProtocolChoice& choice) {
  if (choice.directory.kind == DirectoryKind::full || directory_named(choice.name) != nullptr) return;
  throw bad_input({}, choice.name + ": --directory: a bus has no directory of sharers");
}

// What only a split bus has.
void refuse_snoop_queue(const ProtocolChoice& choice) {
  if (choice.snoop_queue == 1) return;
  throw bad_input(
      {}, choice.name + ": --snoop-queue: only caches on a split bus snoop later than the bus orders");
}

std::string bus_name(const std::string& protocol) {
  return boost::algorithm::to_lower_copy(protocol) + "-bus";
}

directory::ProtocolOptions options_of(const NamedDirectory& found, const ProtocolChoice& choice) {
  return {.family = found.family,
          .nonstalling = choice.nonstalling,
          .all_events = choice.all_events,
          .mutation = directory::mutation_from(choice.mutation),
          .directory = choice.directory};
}

directory::Protocol directory_protocol(const NamedDirectory& found, const ProtocolChoice& choice) {
  return directory::Protocol(options_of(found, choice));
}

BusProtocol bus_protocol(const ProtocolChoice& choice) {
  for (const std::string& protocol : bus_protocol_names()) {
    if (bus_name(protocol) != choice.name) continue;
    if (choice.nonstalling) {
      throw bad_input(
          {}, choice.name +
                  ": --nonstalling is a form of directories and split buses; an atomic bus never stalls");
    }
    if (choice.mutation != "none") {
      throw bad_input({}, fmt::format("{}: --mutate {} is a fault of directories or split buses", choice.name,
                                      choice.mutation));
    }
    CoherenceConfig config;
    config.protocol = protocol;
    return BusProtocol(config);
  }
  const std::vector<std::string> names = protocol_names();
  throw bad_input({}, fmt::format("unknown protocol \"{}\"; known: {}{}", choice.name, fmt::join(names, ", "),
                                  did_you_mean(choice.name, names)));
}

}  // namespace

std::vector<std::string> protocol_names() {
  std::vector<std::string> out;
  for (const NamedDirectory& d : directories) out.emplace_back(d.name);
  for (const NamedSplitBus& b : split_buses) out.emplace_back(b.name);
  for (const std::string& protocol : bus_protocol_names()) out.push_back(bus_name(protocol));
  return out;
}

std::unique_ptr<Model> protocol_model(const ProtocolChoice& choice, unsigned caches) {
  refuse_directory(choice);
  if (const NamedSplitBus* found = split_bus_named(choice.name)) {
    return split_bus_model(split_bus_protocol(*found, choice), caches, choice.snoop_queue);
  }
  refuse_snoop_queue(choice);
  if (const NamedDirectory* found = directory_named(choice.name)) {
    return directory_model(directory_protocol(*found, choice), caches);
  }
  return bus_model(choice.name, bus_protocol(choice), caches, choice.all_events);
}

directory::ProtocolOptions directory_options(const ProtocolChoice& choice) {
  return options_of(*directory_named(choice.name), choice);
}

BusProtocol atomic_bus_protocol(const ProtocolChoice& choice) {
  refuse_directory(choice);
  refuse_snoop_queue(choice);
  return bus_protocol(choice);
}

bool is_directory(const std::string& name) { return directory_named(name) != nullptr; }
bool is_split_bus(const std::string& name) { return split_bus_named(name) != nullptr; }

split_bus::ProtocolOptions split_bus_options(const ProtocolChoice& choice) {
  refuse_directory(choice);
  return options_of(*split_bus_named(choice.name), choice);
}

ProtocolListing protocol_listing(const ProtocolChoice& choice) {
  refuse_directory(choice);
  if (const NamedSplitBus* found = split_bus_named(choice.name)) {
    return split_bus_protocol(*found, choice).listing();
  }
  if (const NamedDirectory* found = directory_named(choice.name)) {
    return directory_protocol(*found, choice).listing();
  }
  return bus_listing(choice.name, bus_protocol(choice), choice.all_events);
}

}  // namespace mesim::checker
