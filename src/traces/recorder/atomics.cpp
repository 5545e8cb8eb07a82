// Atomics: performed here, one at a time for each address, so that their recorded order is the real one.
// Every memory order is performed as sequentially consistent; the orders that the program allows beyond
// that do not occur in a recording.
#include "traces/recorder/ordered.hpp"

namespace mesim::recorder {
namespace {

using Word8 = std::uint8_t;
using Word16 = std::uint16_t;
using Word32 = std::uint32_t;
using Word64 = std::uint64_t;
using Word128 = unsigned __int128;

// `__sync` compiles to cmpxchg16b for 16 bytes; `__atomic` would call libatomic.
template <typename Word>
Word compare_and_swap(volatile Word* at, Word expected, Word desired) {
  return __sync_val_compare_and_swap(at, expected, desired);
}

template <typename Word>
Word read(const volatile Word* at) {
  if constexpr (sizeof(Word) == 16)
    return compare_and_swap(const_cast<volatile Word*>(at), Word{0}, Word{0});
  else
    return __atomic_load_n(at, __ATOMIC_SEQ_CST);
}

template <typename Word>
Word load(const volatile Word* at, std::uint64_t pc) {
  Word value{};
  record_ordered(at, sizeof(Word), pc, [&] {
    value = read(at);
    return RawKind::atomic_load;
  });
  return value;
}

// The old value, replaced by change(old).
template <typename Word, typename Change>
Word exchange_by(volatile Word* at, RawKind kind, std::uint64_t pc, Change change) {
  Word old{};
  record_ordered(at, sizeof(Word), pc, [&] {
    old = read(at);
    for (Word seen; (seen = compare_and_swap<Word>(at, old, change(old))) != old;) old = seen;
    return kind == RawKind::atomic_rmw && change(old) == old ? RawKind::atomic_attempt : kind;
  });
  return old;
}

template <typename Word>
Word compare_exchange(volatile Word* at, Word expected, Word desired, std::uint64_t pc) {
  Word old{};
  record_ordered(at, sizeof(Word), pc, [&] {
    old = compare_and_swap(at, expected, desired);
    return old == expected && old != desired ? RawKind::atomic_rmw : RawKind::atomic_attempt;
  });
  return old;
}

template <typename Word>
int compare_exchange_at(volatile Word* at, Word* expected, Word desired, std::uint64_t pc) {
  const Word wanted = *expected;
  const Word old = compare_exchange(at, wanted, desired, pc);
  if (old == wanted) return 1;
  *expected = old;
  return 0;
}

}  // namespace
}  // namespace mesim::recorder

using namespace mesim::recorder;

#define MESIM_FETCH(BITS, NAME, EXPRESSION)                                                          \
  Word##BITS __tsan_atomic##BITS##_##NAME(volatile Word##BITS* at, Word##BITS value, int) {          \
    return exchange_by(at, RawKind::atomic_rmw, MESIM_CALLER_PC,                                     \
                       [value]([[maybe_unused]] Word##BITS old) { return Word##BITS(EXPRESSION); }); \
  }
#define MESIM_ATOMICS(BITS)                                                                           \
  Word##BITS __tsan_atomic##BITS##_load(const volatile Word##BITS* at, int) {                         \
    return load(at, MESIM_CALLER_PC);                                                                 \
  }                                                                                                   \
  void __tsan_atomic##BITS##_store(volatile Word##BITS* at, Word##BITS value, int) {                  \
    exchange_by(at, RawKind::atomic_store, MESIM_CALLER_PC, [value](Word##BITS) { return value; });   \
  }                                                                                                   \
  MESIM_FETCH(BITS, exchange, value)                                                                  \
  MESIM_FETCH(BITS, fetch_add, old + value)                                                           \
  MESIM_FETCH(BITS, fetch_sub, old - value)                                                           \
  MESIM_FETCH(BITS, fetch_and, old& value)                                                            \
  MESIM_FETCH(BITS, fetch_or, old | value)                                                            \
  MESIM_FETCH(BITS, fetch_xor, old ^ value)                                                           \
  MESIM_FETCH(BITS, fetch_nand, ~(old & value))                                                       \
  int __tsan_atomic##BITS##_compare_exchange_strong(volatile Word##BITS* at, Word##BITS* expected,    \
                                                    Word##BITS desired, int, int) {                   \
    return compare_exchange_at(at, expected, desired, MESIM_CALLER_PC);                               \
  }                                                                                                   \
  int __tsan_atomic##BITS##_compare_exchange_weak(volatile Word##BITS* at, Word##BITS* expected,      \
                                                  Word##BITS desired, int, int) {                     \
    return compare_exchange_at(at, expected, desired, MESIM_CALLER_PC);                               \
  }                                                                                                   \
  Word##BITS __tsan_atomic##BITS##_compare_exchange_val(volatile Word##BITS* at, Word##BITS expected, \
                                                        Word##BITS desired, int, int) {               \
    return compare_exchange(at, expected, desired, MESIM_CALLER_PC);                                  \
  }

extern "C" {

MESIM_ATOMICS(8)
MESIM_ATOMICS(16)
MESIM_ATOMICS(32)
MESIM_ATOMICS(64)
MESIM_ATOMICS(128)

// Only a sequentially consistent fence is an instruction on x86; weaker ones order the compiler alone.
void __tsan_atomic_thread_fence(int order) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  if (order == __ATOMIC_SEQ_CST) log_of_thread().put(RawKind::fence, 0, 0, MESIM_CALLER_PC);
}
void __tsan_atomic_signal_fence(int) { __atomic_signal_fence(__ATOMIC_SEQ_CST); }

}  // extern "C"
