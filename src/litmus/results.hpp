// Runs litmus tests under models and keeps what the `mesim litmus` command prints.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "litmus/exploration.hpp"
#include "litmus/inputs.hpp"
#include "litmus/models.hpp"

namespace mesim::litmus {

// automatic: the axioms, but the machines for programs with loops, which only they follow exactly; both:
// each, and ModelResult::engines_agree says whether they give the same.
enum class Engine : std::uint8_t { automatic, axiomatic, operational, both };

struct ModelResult {
  Model model = Model::sc;
  Exploration exploration;
  Verdict verdict;
  bool engines_agree = true;
};

// A test that cannot be read has its error in place of results.
struct ReadFailure {
  std::uint64_t line = 0;
  std::uint64_t column = 0;
  std::string message;
  std::string whole;  // with file, line and column
};

struct TestResult {
  Test test;  // its name, file and arch also where it cannot be read
  std::optional<ReadFailure> failure;
  std::vector<ModelResult> models;
};

// The model that a test's architecture has: X86 TSO, RISCV RVWMO, GENERIC SC.
Model model_of_architecture(const std::string& arch);

// One model of a test.
ModelResult run_model(const Test& test, Model model, Engine engine, const Limits& limits);

// Never throws for what stands in a test. `models` empty: that of the architecture.
TestResult run_test(const TestInput& input, const std::vector<Model>& models, Engine engine,
                    const Limits& limits);

}  // namespace mesim::litmus
