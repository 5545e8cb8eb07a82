// A laid-out cycle in the assembly of an architecture.
#pragma once
#include "litmus/generator/cycle_program.hpp"
#include "litmus/generator/listing.hpp"

namespace mesim::litmus {

Listing x86_listing(const CycleProgram& program);
Listing riscv_listing(const CycleProgram& program);

}  // namespace mesim::litmus
