// Names for the data of a recording: variables, heap blocks, thread-local variables, stacks.
#pragma once
#include <cstdint>
#include <vector>

#include "traces/recording/address_map.hpp"
#include "traces/recording/folded_log.hpp"
#include "traces/recording/heap_blocks.hpp"
#include "traces/recording/program_file.hpp"
#include "traces/recording/trace_maker.hpp"
#include "traces/trace.hpp"

namespace mesim {

// Sorted by address, not overlapping. `thread_pointers`: by thread, in addresses of the run.
std::vector<Symbol> recording_symbols(const RecordedRun& run, const ProgramFile& program,
                                      const AddressMap& addresses, const HeapBlocks& blocks,
                                      const std::vector<std::uint64_t>& thread_pointers);

// The tables in which libstdc++ counts the threads that sleep in std::atomic::wait, std::barrier,
// std::latch and semaphores: they are touched only when a thread had to sleep, which is timing alone.
std::vector<AddressRange> waiter_tables(const ProgramFile& program);

}  // namespace mesim
