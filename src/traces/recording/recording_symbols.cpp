#include "traces/recording/recording_symbols.hpp"

#include <algorithm>

namespace mesim {
namespace {

constexpr const char* waiter_table_name = "std::__detail::__waiter_pool_base::_S_for(void const*)::__w";

bool is_of_recorder(const Symbol& symbol) {
  return symbol.name.find("mesim::recorder::") != std::string::npos;
}

std::vector<Symbol> variables(const RecordedRun& run, const ProgramFile& program) {
  const auto places = variable_places(run.program, run.temporary_folder);
  std::vector<Symbol> result;
  for (auto symbol : program.variables) {
    if (is_of_recorder(symbol)) continue;
    const auto place = places.find(symbol.address);
    if (place != places.end()) symbol.origin = place->second;
    result.push_back(std::move(symbol));
  }
  return result;
}

// A thread's thread-local variables, as far as its memory was used, and its stack below them.
void add_thread(std::uint32_t thread, std::uint64_t pointer, const ProgramFile& program,
                const AddressMap& addresses, std::vector<Symbol>& result) {
  const auto stack = addresses.stack(thread);
  std::uint64_t stack_end = stack.end;
  for (const auto& variable : program.thread_variables) {
    if (is_of_recorder(variable)) continue;
    const auto at = addresses.find(thread, pointer + variable.address);
    if (at)
      result.push_back({*at, variable.size_bytes, fmt::format("{} (thread {})", variable.name, thread), ""});
  }
  const auto block = addresses.find(thread, pointer - program.thread_bytes);
  if (block && stack.lowest_used <= *block && *block < stack.end) stack_end = *block;
  if (stack.lowest_used < stack_end)
    result.push_back(
        {stack.lowest_used, stack_end - stack.lowest_used, fmt::format("stack of thread {}", thread), ""});
}

// Of overlapping ones the one that begins first stays, at one address the larger.
std::vector<Symbol> without_overlap(std::vector<Symbol> symbols) {
  std::stable_sort(symbols.begin(), symbols.end(), [](const Symbol& a, const Symbol& b) {
    return a.address != b.address ? a.address < b.address : a.size_bytes > b.size_bytes;
  });
  std::vector<Symbol> result;
  std::uint64_t end = 0;
  for (auto& symbol : symbols) {
    if (symbol.address < end) continue;
    end = symbol.address + symbol.size_bytes;
    result.push_back(std::move(symbol));
  }
  return result;
}

}  // namespace

std::vector<Symbol> recording_symbols(const RecordedRun& run, const ProgramFile& program,
                                      const AddressMap& addresses, const HeapBlocks& blocks,
                                      const std::vector<std::uint64_t>& thread_pointers) {
  auto result = variables(run, program);
  auto heap = blocks.symbols(source_lines(run.program, blocks.frames(), run.temporary_folder));
  result.insert(result.end(), heap.begin(), heap.end());
  for (std::uint32_t thread = 0; thread < thread_pointers.size(); ++thread)
    add_thread(thread, thread_pointers[thread], program, addresses, result);
  return without_overlap(std::move(result));
}

std::vector<AddressRange> waiter_tables(const ProgramFile& program) {
  std::vector<AddressRange> result;
  for (const auto& symbol : program.variables)
    if (symbol.name == waiter_table_name)
      result.push_back({symbol.address, symbol.address + symbol.size_bytes});
  return result;
}

}  // namespace mesim
