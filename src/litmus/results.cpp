#include "litmus/results.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "litmus/axiomatic/axiomatic.hpp"
#include "litmus/operational/operational.hpp"
#include "litmus/reader.hpp"
#include "litmus/semantics.hpp"

namespace mesim::litmus {
namespace {

// Takes "FILE:LINE:COL: message" apart.
ReadFailure failure_of(const std::string& file, const std::string& whole) {
  ReadFailure failure;
  failure.whole = whole;
  failure.message = whole;
  if (whole.compare(0, file.size() + 1, file + ":") != 0) return failure;
  const char* at = whole.data() + file.size() + 1;
  const char* end = whole.data() + whole.size();
  for (std::uint64_t* number : {&failure.line, &failure.column}) {
    const auto parsed = std::from_chars(at, end, *number);
    if (parsed.ec != std::errc{} || parsed.ptr == end) break;
    at = parsed.ptr + 1;
  }
  while (at != end && *at == ' ') ++at;
  failure.message.assign(at, end);
  return failure;
}

// The test's own name where it can be told, else that of the file.
std::string name_of_unread(const TestInput& input) {
  std::size_t begin = input.text.find_first_not_of(" \t\r\n");
  begin = begin == std::string::npos ? begin : input.text.find_first_of(" \t\r\n", begin);
  if (begin != std::string::npos) {
    begin = input.text.find_first_not_of(" \t", begin);
    const std::size_t end = input.text.find_first_of(" \t\r\n({", begin);
    if (begin != std::string::npos && end != std::string::npos && end > begin) {
      return input.text.substr(begin, std::min<std::size_t>(end - begin, 100));
    }
  }
  return input.file.substr(input.file.find_last_of("/:") + 1);
}

bool has_loop(const Test& test) {
  return std::any_of(test.threads.begin(), test.threads.end(), [](const Thread& thread) {
    return std::any_of(thread.code.begin(), thread.code.end(), [&](const Instruction& i) {
      return (i.op == Op::branch || i.op == Op::jump) &&
             i.target <= static_cast<std::uint32_t>(&i - thread.code.data());
    });
  });
}

ModelResult run_model(const Test& test, Model model, Engine engine, std::optional<AxiomaticEngine>& axiomatic,
                      const Limits& limits) {
  if (engine == Engine::automatic) engine = has_loop(test) ? Engine::operational : Engine::axiomatic;
  ModelResult r;
  r.model = model;
  if (engine != Engine::operational) {
    if (!axiomatic) axiomatic.emplace(test, limits);
    r.exploration = axiomatic->explore(model);
  }
  if (engine != Engine::axiomatic) {
    Exploration machine = run_operational(test, model, limits);
    const bool comparable = r.exploration.limit.empty() && machine.limit.empty();
    if (engine == Engine::both && comparable) r.engines_agree = machine.outcomes == r.exploration.outcomes;
    // where one of the two is complete, it is the answer
    if (engine == Engine::operational || !r.exploration.limit.empty()) r.exploration = std::move(machine);
  }
  r.verdict = judge(test, r.exploration.outcomes);
  return r;
}

}  // namespace

ModelResult run_model(const Test& test, Model model, Engine engine, const Limits& limits) {
  std::optional<AxiomaticEngine> axiomatic;
  return run_model(test, model, engine, axiomatic, limits);
}

Model model_of_architecture(const std::string& arch) {
  return arch == "RISCV" ? Model::rvwmo : arch == "GENERIC" ? Model::sc : Model::tso;
}

TestResult run_test(const TestInput& input, const std::vector<Model>& models, Engine engine,
                    const Limits& limits) {
  TestResult result;
  try {
    result.test = read_test(input.file, input.text);
  } catch (const Error& error) {
    result.failure = failure_of(input.file, error.what());
    result.test.name = name_of_unread(input);
    result.test.file = input.file;
    return result;
  }
  std::optional<AxiomaticEngine> axiomatic;
  const std::vector<Model> of_architecture = {model_of_architecture(result.test.arch)};
  for (const Model model : models.empty() ? of_architecture : models) {
    result.models.push_back(run_model(result.test, model, engine, axiomatic, limits));
  }
  return result;
}

}  // namespace mesim::litmus
