// One record of a trace: what a program did, without time. Every reader produces these, every replay
// consumes them.
#pragma once
#include <array>
#include <cstdint>

namespace mesim {

enum class RecordKind : std::uint8_t {
  fetch,  // an instruction: address, size
  load,
  store,
  modify,  // load and store of one address by one instruction (lackey's M)
  atomic_load,
  atomic_store,
  atomic_rmw,    // exchange, fetch-and-op, compare-and-exchange
  fence,         // full fence; address and size unused
  compute,       // address = cycles without memory access
  wait,          // address = synchronisation object; go on once it was signalled `size` times
  signal,        // address = synchronisation object; signalled once more
  region_begin,  // region of interest, as marked in the program
  region_end,
};

struct Record {
  std::uint64_t address = 0;
  std::uint64_t pc = 0;      // of the instruction, 0 if unknown (a fetch's own address is its pc)
  std::uint32_t size = 0;    // bytes
  std::uint16_t gap = 0;     // instructions of the thread since its previous record, not recorded themselves
  std::uint16_t thread = 0;  // from 0
  RecordKind kind = RecordKind::load;
  std::uint8_t flags = 0;
  // ChampSim's registers of an instruction, on its fetch: two destinations, four sources, 0 = none.
  std::array<std::uint8_t, 6> registers{};

  friend bool operator==(const Record&, const Record&) = default;
};
static_assert(sizeof(Record) == 32);

inline constexpr std::uint8_t flag_branch = 1;
inline constexpr std::uint8_t flag_taken = 2;

constexpr bool is_memory(RecordKind kind) {
  return kind <= RecordKind::atomic_rmw && kind != RecordKind::fetch;
}
constexpr bool is_read(RecordKind kind) {
  return kind == RecordKind::load || kind == RecordKind::modify || kind == RecordKind::atomic_load ||
         kind == RecordKind::atomic_rmw;
}
constexpr bool is_write(RecordKind kind) {
  return kind == RecordKind::store || kind == RecordKind::modify || kind == RecordKind::atomic_store ||
         kind == RecordKind::atomic_rmw;
}

}  // namespace mesim
