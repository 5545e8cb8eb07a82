// A technology table: the energy of one event, each figure with its published source. Tables are presets,
// configs/presets/technology/NAME.json; another table is another file.
#pragma once
#include <string>

#include "sim/array_energy.hpp"
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

// What a core spends on an instruction beside its caches, by the classes that every trace tells apart.
struct CoreEnergy {
  EventEnergy load;
  EventEnergy store;
  EventEnergy atomic;
  EventEnergy fence;
  EventEnergy other;  // arithmetic, branches: what the instruction count holds beyond the rest

  void fields(Fields& f) {
    f.object("load", load, "a load: fetch control, decode, registers, address");
    f.object("store", store, "a store: the same");
    f.object("atomic", atomic, "an atomic read-modify-write: the same, and its operation");
    f.object("fence", fence, "a fence");
    f.object("other", other, "any other instruction");
  }
};

// A multiplication and the addition to a sum, by the width of what is multiplied.
struct MacEnergy {
  EventEnergy int8;    // one byte
  EventEnergy half;    // two
  EventEnergy single;  // four

  const EventEnergy& of_bytes(std::uint32_t bytes) const {
    return bytes <= 1 ? int8 : bytes == 2 ? half : single;
  }
  void fields(Fields& f) {
    f.object("int8", int8, "8-bit integers, added in 32 bits");
    f.object("half", half, "16-bit floating point");
    f.object("single", single, "32-bit floating point");
  }
};

struct TechnologyConfig {
  std::string preset = "cacti-45nm";
  std::string process;  // "45 nm, 0.9 V"
  ArrayTable fast_array;
  ArrayTable dense_array;
  CoreEnergy core;
  MacEnergy mac;                       // an accelerator's multiply-accumulate
  EventEnergy wire_bit_mm;             // one bit over one millimetre of on-chip wire
  EventEnergy router_bit;              // one bit through one router
  EventEnergy dram_access;             // one access of 8 bytes
  double tile_mm = 0;                  // edge of a tile: a core, its caches, a slice of the last level
  std::uint32_t bus_address_bits = 0;  // address and command of one transaction

  void fields(Fields& f) {
    f.preset("technology", preset);
    f.text("process", process, "process node and voltage of the figures");
    f.object("fast_array", fast_array,
             "arrays that read tags and all ways at once: first-level caches, directories");
    f.object("dense_array", dense_array, "arrays that read the tags first: L2 and last level");
    f.object("core", core, "the cores' instructions, without their caches");
    f.object("mac", mac, "an accelerator's multiplication with its addition");
    f.object("wire_bit_mm", wire_bit_mm, "one bit over one millimetre of on-chip wire");
    f.object("router_bit", router_bit, "one bit through the buffers and the switch of one router");
    f.object("dram_access", dram_access, "moving 8 bytes to or from DRAM");
    f.number(
        "tile_mm", tile_mm,
        {.unit = "mm",
         .help = "edge of a tile of core, private caches and slice; links between neighbours are as long"});
    f.integer("bus_address_bits", bus_address_bits,
              {.max = 1024, .unit = "bits", .help = "address and command of one transaction"});
  }

  // One byte over a wire of this length, in picojoules.
  double wire_byte_pj(double mm) const { return 8 * wire_bit_mm.pj * mm; }
};

inline constexpr std::uint32_t energy_word_bytes = 8;  // the width of array and DRAM accesses

}  // namespace mesim
