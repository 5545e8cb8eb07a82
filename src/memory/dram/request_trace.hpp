// Request traces in the forms of other memory simulators, told apart by their first line:
//
//   0xADDRESS READ|WRITE CYCLE            DRAMsim3; P_MEM_WR and BOFF write too
//   0xADDRESS R|W                         Ramulator 1
//   LD|ST ADDRESS                         Ramulator 2 LoadStoreTrace
//   R|W CHANNEL,RANK,GROUP,BANK,ROW,COLUMN    Ramulator 2 ReadWriteTrace
//   BUBBLES LOAD [STORE]                  Ramulator 2 SimpleO3: so many other instructions, a clock each,
//   before CYCLE: [(BYTES)] read|write 0xADDRESS [DATA]    DRAMSys .stl; in a file .rstl CYCLE counts from
//   the last
//
// A trace is played once. Cycles are those of the memory's clock.
#pragma once
#include <memory>
#include <string>

#include "memory/dram/address_map.hpp"
#include "memory/dram/request_source.hpp"

namespace mesim::dram {

// True if the file's first line has one of these forms. Throws file_error.
bool is_request_trace(const std::string& path);

// Throws file_error; `next` throws bad_input with the line for one that cannot be read. `map` places
// coordinates and outlives the source.
std::unique_ptr<RequestSource> request_trace(const std::string& path, const AddressMap& map);

}  // namespace mesim::dram
