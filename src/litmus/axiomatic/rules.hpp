// The axioms that the memory models are made of. A model is a set of rules; without one of them it is weaker,
// which the tests use to see that each is needed.
//
// An execution is allowed if the following relation has no cycle: preserved program order (the rules below),
// reads-from between threads, coherence order, and from-reads; and if its reads and stores to each location
// follow the coherence rules. Sources: Sarkar et al., "x86-TSO" (CACM 2010); SPARC V9, appendix D; the RISC-V
// unprivileged ISA 20191213, section 14.1, whose rules keep their numbers here; Alglave et al., "Herding
// cats" (TOPLAS 2014) for the form. RVWMO's rules 2 (two loads of one location that see different stores) and
// 8 (lr and its sc) are no rules of their own: the first follows from coherence_read_read and from-reads, the
// second from same_address_store; and where .aq and .rl stand alone they are taken as RCpc, as the public
// model files take them, so that rule 7 asks for nothing that 5 and 6 do not. An rmw is one event, so that
// nothing comes between its halves.
#pragma once
#include <cstdint>
#include <string_view>

#include "litmus/models.hpp"

namespace mesim::litmus {

enum class Rule : std::uint8_t {
  program_order,         // everything in program order (SC)
  load_any,              // load; any access
  load_store,            // load; store: of no model, but of machines whose stores wait for older loads
  store_store,           // store; store
  same_address_store,    // any access; store to the same location (RVWMO 1)
  atomic_forwarded,      // atomic or sc; load that reads it (RVWMO 3)
  fence,                 // what a fence orders (RVWMO 4)
  acquire,               // acquire; any (RVWMO 5)
  release,               // any; release (RVWMO 6)
  annotated_atomics,     // annotated atomic, lr or sc; another one (RVWMO 7)
  address_dependency,    // (RVWMO 9)
  data_dependency,       // (RVWMO 10)
  control_dependency,    // load; branch; store (RVWMO 11)
  forwarded_dependency,  // load; store that depends on it; load that reads the store (RVWMO 12)
  address_then_store,    // load; access whose address depends on it; store (RVWMO 13)
  atomic_full,           // any; atomic; any: locked instructions drain the buffers
  atomic_same_address,   // store; atomic's read of the same location (SPARC V9)
  coherence_read_read,   // CoRR: two loads of one location see its stores in order
  coherence_write_read,  // CoWR: a load does not miss its own thread's store before it
  coherence_read_write,  // CoRW: a load does not see its own thread's later store
  atomicity,             // no store of another thread between what lr read and the store of its sc
  count
};
using Rules = std::uint32_t;
constexpr Rules rule_bit(Rule rule) { return Rules{1} << static_cast<unsigned>(rule); }

Rules rules_of(Model model);
// "fence", "address dependency": for explanations.
std::string_view rule_name(Rule rule);

}  // namespace mesim::litmus
