// The rules of the machine that performs accesses out of order, one by one, so that a test can weaken each.
// Numbers are those of the preserved program order of RVWMO (RISC-V unprivileged ISA 20191213, chapter 14).
// Some rules are not listed because the machine cannot break them: it never guesses a value, so an access
// waits for the loads that give its address or data (9, 10), a load that takes its value from an own store
// waits for what that store waits for (12), and an sc only succeeds at the word that its lr has read (8).
#pragma once
#include "litmus/models.hpp"

namespace mesim::litmus::operational {

struct WeakRules {
  bool stores_after_same_word = true;      // 1: a store after earlier accesses to its word
  bool loads_of_one_word = true;           // 2: loads of one word do not go back to an older store
  bool atomics_do_not_forward = true;      // 3: a load waits for the own atomic it reads from
  bool fences = true;                      // 4
  bool acquires = true;                    // 5, and after x86's LOCKed instructions
  bool releases = true;                    // 6, and before them
  bool annotated_in_order = true;          // 7: acquires and releases among each other
  bool dependencies_are_syntactic = true;  // 9, 10: also through r^r, whose value is known beforehand
  bool stores_after_branches = true;       // 11
  bool stores_after_addresses = true;      // 13: a store after the addresses of earlier accesses are known
  bool reservations_break = true;          // sc fails after another thread's store to the word
  // Ztso
  bool loads_first = false;  // every access after earlier loads
  bool stores_last = false;  // every store after earlier accesses
};

// The rules of rmo, ztso or rvwmo.
inline WeakRules weak_rules(Model model) {
  WeakRules rules;
  if (model == Model::rmo) {
    rules.annotated_in_order = false;
    rules.stores_after_addresses = false;
  }
  if (model == Model::ztso) {
    rules.loads_first = rules.stores_last = true;
    // these follow
    rules.stores_after_same_word = rules.loads_of_one_word = false;
    rules.stores_after_branches = rules.stores_after_addresses = false;
  }
  return rules;
}

}  // namespace mesim::litmus::operational
