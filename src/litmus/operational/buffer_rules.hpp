// The rules of the machine with store buffers, one by one, so that a test can weaken each and see that the
// comparison with the axioms notices. Sources: x86-TSO (Sewell et al., CACM 2010); SPARC V9, appendix D (PSO
// and its atomics).
#pragma once
#include "litmus/models.hpp"

namespace mesim::litmus::operational {

struct BufferRules {
  enum class Buffer : unsigned char {
    none,      // SC: a store is in memory at once
    fifo,      // TSO: one queue a thread
    per_word,  // PSO: one queue a thread and word
  };
  Buffer buffer = Buffer::fifo;
  bool atomics_wait_for_all_words = true;  // false: SPARC V9, only for stores to the atomic's word

  bool loads_forward = true;             // a load takes the newest own store to its word from the buffer
  bool oldest_first = true;              // a queue drains in order; false: newest first
  bool fences_wait = true;               // a store-load fence waits for the thread's buffers to drain
  bool atomics_wait = true;              // an atomic waits for the buffers
  bool atomics_write_through = true;     // an atomic's store is in memory in the same step as its load
  bool markers_separate = true;          // a store-store fence keeps later stores behind earlier ones
  bool atomics_wait_for_markers = true;  // V9: an atomic waits for the stores before a store-store fence
  bool releases_wait = true;             // .rl: a store behind earlier stores, loads and atomics for them
  bool foreign_stores_break_reservations = true;
};

// The rules of sc, tso, pso or pso_v9.
inline BufferRules buffer_rules(Model model) {
  BufferRules rules;
  rules.buffer = model == Model::sc    ? BufferRules::Buffer::none
                 : model == Model::tso ? BufferRules::Buffer::fifo
                                       : BufferRules::Buffer::per_word;
  // What follows from other rules, or has no buffer to concern.
  if (model == Model::sc) {
    rules.loads_forward = rules.oldest_first = rules.fences_wait = false;
    rules.atomics_wait = rules.atomics_write_through = rules.atomics_wait_for_all_words = false;
    rules.releases_wait = false;
  }
  rules.markers_separate = rules.buffer == BufferRules::Buffer::per_word;
  if (model == Model::pso_v9)
    rules.atomics_wait_for_all_words = false;
  else
    rules.atomics_wait_for_markers = false;
  return rules;
}

}  // namespace mesim::litmus::operational
