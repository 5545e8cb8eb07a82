// A litmus test as a cycle of relations between accesses: each edge leads from one access to the next, in
// program order within a thread, or through memory from thread to thread. A test whose final condition asks
// for the whole cycle tells apart the models that keep and that relax its program-order edges.
// Source: the cycles, edge names and test names of diy (Alglave, Maranget, Sarkar, Sewell, "Fences in weak
// memory models", CAV 2010), in its short (`SB+mfence+po`) and long (`MFencedWR Fre PodWR Fre`) forms.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace mesim::litmus {

enum class Relation {
  program_order,
  fence,
  address,   // the later access takes its address from the earlier load
  data,      // the later store takes its value from the earlier load
  control,   // a branch on the earlier load lies between
  rmw,       // the two halves of one atomic exchange
  reads,     // rf: from a store to a load of its value
  before,    // fr: from a load to a store that overwrites what it read
  coherence  // co: from a store to the next store to the word
};

enum class Access { unknown, load, store };

struct CycleEdge {
  Relation relation;
  bool external;  // to another thread
  bool same_word;
  Access from = Access::unknown;
  Access to = Access::unknown;
  std::string fence;  // its mnemonic, for Relation::fence: `mfence`, `fence rw,rw`
};

// `PodWR Fre MFencedWR Fre`: the long names, separated by blanks. Throws bad_input that names the first edge
// that is unknown or does not fit the one before it.
std::vector<CycleEdge> cycle_from_edges(std::string_view names);

// `SB+mfence+po`, `MP+fence.w.w+addr`, `2+2W`, `10.SB`: a family and what stands in each of its program-order
// places, separated by `+`; one word for all when there is one (`MP+mfences`); several edges in one place
// joined by `-` (`SB+rfi-po+mfence`). Throws bad_input with the known families, places or words.
std::vector<CycleEdge> cycle_from_name(std::string_view name);

// The names of the families, for messages, help and tests that try them all; and the edges of one, where WR
// stands for a place of program order between a store and a load: "WR Fre WR Fre".
std::vector<std::string> cycle_families();
std::string_view family_cycle(std::string_view family);

}  // namespace mesim::litmus
