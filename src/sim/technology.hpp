// A technology table: the energy of one event, each figure with its published source. Tables are presets,
// configs/presets/technology/NAME.json; another table is another file.
#pragma once
#include <string>

#include "sim/fields.hpp"

namespace mesim {

// The energy of one event and where the figure was published.
struct EventEnergy {
  double pj = 0;
  std::string source;

  void fields(Fields& f) {
    f.number("pj", pj, {.unit = "pJ", .help = "energy of one event"});
    f.text("source", source, "where the figure was published, and what it was measured on");
  }
};

struct TechnologyConfig {
  std::string preset = "horowitz-45nm";
  std::string process;  // "45 nm, 0.9 V"
  EventEnergy l1_read;  // one access of at most 8 bytes, tags included
  EventEnergy l1_write;
  EventEnergy llc_read;
  EventEnergy llc_write;
  EventEnergy snoop_lookup;            // one cache compares its tags with an address on the bus
  EventEnergy wire_bit_mm;             // one bit over one millimetre of on-chip wire
  EventEnergy dram_access;             // one access of 8 bytes
  double bus_length_mm = 0;            // wire that every bit of a bus transfer crosses
  std::uint32_t bus_address_bits = 0;  // address and command of one transaction

  void fields(Fields& f) {
    f.preset("technology", preset);
    f.text("process", process, "process node and voltage of the figures");
    f.object("l1_read", l1_read, "reading 8 bytes or fewer from a first-level cache, tags included");
    f.object("l1_write", l1_write, "writing 8 bytes or fewer to a first-level cache, tags included");
    f.object("llc_read", llc_read, "reading 8 bytes from the last-level cache");
    f.object("llc_write", llc_write, "writing 8 bytes to the last-level cache");
    f.object("snoop_lookup", snoop_lookup, "one cache comparing its tags with an address on the bus");
    f.object("wire_bit_mm", wire_bit_mm, "one bit over one millimetre of on-chip wire");
    f.object("dram_access", dram_access, "moving 8 bytes to or from DRAM");
    f.number("bus_length_mm", bus_length_mm,
             {.unit = "mm", .help = "wire that every bit on the bus crosses"});
    f.integer("bus_address_bits", bus_address_bits,
              {.max = 1024, .unit = "bits", .help = "address and command of one transaction"});
  }

  // Bytes over the bus, and the address phase of one transaction, in picojoules.
  double bus_byte_pj() const { return 8 * wire_bit_mm.pj * bus_length_mm; }
  double bus_address_pj() const { return bus_address_bits * wire_bit_mm.pj * bus_length_mm; }
};

inline constexpr std::uint32_t energy_word_bytes = 8;  // the width of l1_*, llc_* and dram_access

}  // namespace mesim
