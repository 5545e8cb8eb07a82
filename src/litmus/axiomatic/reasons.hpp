// Why a model forbids an outcome: the axiom that every execution with it breaks, shown by one of them as a
// cycle.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "litmus/exploration.hpp"
#include "litmus/models.hpp"
#include "litmus/test.hpp"

namespace mesim::litmus {

struct ReasonEvent {
  unsigned thread = 0;
  std::string access;       // "W x=1", "R y=0", "RW x=0->1"
  std::string instruction;  // its text
};

struct CycleEvent {
  std::size_t event = 0;  // index into Reason::events
  std::string relation;   // to the next event: "rfe", "fr", "co", "po"
  std::string why;        // of po: the rule, such as "fence"
};

struct ReasonEdge {
  std::size_t from = 0;
  std::size_t to = 0;
  std::string relation;
  std::string why;
  bool in_cycle = false;
};

struct Reason {
  std::string axiom;  // "the order of the model", "coherence", "atomicity" or "no store gives such a value"
  // The last event's relation leads to the first. Empty for the last axiom, as are the next two.
  std::vector<CycleEvent> cycle;
  std::vector<ReasonEvent> events;  // of the execution shown, by thread and then in program order
  // The cycle's, and of the others what does not follow: program order and coherence order to the next, reads
  // from a store, from-reads to the first store that overwrites.
  std::vector<ReasonEdge> edges;
  Outcome outcome;  // of the execution shown
};

// Nothing if the model allows a wanted outcome.
std::optional<Reason> why_forbidden(const Test& test, Model model,
                                    const std::function<bool(const Outcome&)>& wanted,
                                    const Limits& limits = {});

// "P0: W x=1 (MOV [x],$1)", with the relations between, one event a line.
std::string reason_text(const Test& test, const Reason& reason);

}  // namespace mesim::litmus
