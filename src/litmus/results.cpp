#include "litmus/results.hpp"

#include <charconv>

#include "litmus/axiomatic/axiomatic.hpp"
#include "litmus/reader.hpp"

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

}  // namespace

Model model_of_architecture(const std::string& arch) {
  return arch == "RISCV" ? Model::rvwmo : arch == "GENERIC" ? Model::sc : Model::tso;
}

TestResult run_test(const TestInput& input, const std::vector<Model>& models, Engine, const Limits& limits) {
  TestResult result;
  try {
    result.test = read_test(input.file, input.text);
  } catch (const Error& error) {
    result.failure = failure_of(input.file, error.what());
    result.test.name = name_of_unread(input);
    result.test.file = input.file;
    return result;
  }
  const AxiomaticEngine axiomatic(result.test, limits);
  const std::vector<Model> of_architecture = {model_of_architecture(result.test.arch)};
  for (const Model model : models.empty() ? of_architecture : models) {
    ModelResult r;
    r.model = model;
    r.exploration = axiomatic.explore(model);
    r.verdict = judge(result.test, r.exploration.outcomes);
    result.models.push_back(std::move(r));
  }
  return result;
}

}  // namespace mesim::litmus
