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

struct CycleEvent {
  unsigned thread = 0;
  std::string access;       // "W x=1", "R y=0", "RW x=0->1"
  std::string instruction;  // its text
  std::string relation;     // to the next event: "rfe", "fr", "co", "po"
  std::string why;          // of po: the rule, such as "fence"
};

struct Reason {
  std::string axiom;              // "the model's order", "coherence", or "no store gives such a value"
  std::vector<CycleEvent> cycle;  // the last event's relation leads to the first; empty for the last axiom
  Outcome outcome;                // of the execution shown
};

// Nothing if the model allows a wanted outcome.
std::optional<Reason> why_forbidden(const Test& test, Model model,
                                    const std::function<bool(const Outcome&)>& wanted,
                                    const Limits& limits = {});

// "P0: W x=1 (MOV [x],$1)", with the relations between, one event a line.
std::string reason_text(const Test& test, const Reason& reason);

}  // namespace mesim::litmus
