// Any text: the litmus reader takes it or refuses it as bad input; what it takes, both engines answer alike,
// as far as they finish within small limits.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "litmus/axiomatic/axiomatic.hpp"
#include "litmus/operational/operational.hpp"
#include "litmus/reader.hpp"
#include "litmus/semantics.hpp"

using namespace mesim::litmus;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Test test;
  try {
    test = read_test("fuzz", std::string_view(reinterpret_cast<const char*>(data), size));
  } catch (const mesim::Error& error) {
    if (error.status() != mesim::Exit::bad_input) std::abort();
    return 0;
  }
  std::size_t accesses = 0;
  for (const Thread& thread : test.threads)
    for (const Instruction& i : thread.code) accesses += is_memory(i.op);
  if (test.threads.size() > 3 || accesses > 8) return 0;
  const Limits small{
      .states = 2000, .executions = 2000, .outcomes = 200, .steps_per_thread = 16, .loop_rounds = 2};
  const AxiomaticEngine axioms(test, small);
  for (const Model model : all_models) {
    const Exploration by_axioms = axioms.explore(model);
    const Exploration by_machine = run_operational(test, model, small);
    if (by_axioms.limit.empty() && by_machine.limit.empty() && by_axioms.outcomes != by_machine.outcomes)
      std::abort();
  }
  return 0;
}
