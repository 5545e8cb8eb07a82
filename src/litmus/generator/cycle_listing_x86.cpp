#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "litmus/generator/cycle_listing.hpp"
#include "sim/error.hpp"

namespace mesim::litmus {
namespace {

constexpr std::array<std::string_view, 6> registers{"EAX", "EBX", "ECX", "EDX", "ESI", "EDI"};

void add_fence(std::vector<std::string>& code, const CycleEdge& edge) {
  if (edge.relation == Relation::fence) {
    if (edge.fence.starts_with("fence"))
      throw bad_input({}, fmt::format("x86 has no `{}`, expected mfence, sfence or lfence", edge.fence));
    std::string upper = edge.fence;
    std::transform(upper.begin(), upper.end(), upper.begin(),
                   [](unsigned char c) { return std::toupper(c); });
    code.push_back(upper);
  } else if (edge.relation == Relation::address || edge.relation == Relation::data ||
             edge.relation == Relation::control) {
    throw bad_input({}, "dependencies are written for RISC-V only");
  }
}

}  // namespace

Listing x86_listing(const CycleProgram& program) {
  Listing listing;
  listing.arch = "X86";
  for (std::size_t t = 0; t < program.threads.size(); ++t) {
    auto& code = listing.threads.emplace_back();
    std::size_t used = 0;
    const auto& accesses = program.threads[t];
    for (std::size_t a = 0; a < accesses.size(); ++a) {
      const auto& access = accesses[a];
      if (access.from_before != nullptr) add_fence(code, *access.from_before);
      const auto word = word_name(access.word);
      if (!access.load) {
        code.push_back(fmt::format("MOV [{}],${}", word, access.value));
        continue;
      }
      if (used == registers.size()) throw bad_input({}, "x86 tests have at most 6 loads a thread");
      const auto reg = registers[used++];
      listing.condition.push_back(fmt::format("{}:{}={}", t, reg, access.value));
      if (access.exchange_with_next) {
        listing.initial.push_back(fmt::format("{}:{}={}", t, reg, accesses[++a].value));
        code.push_back(fmt::format("XCHG [{}],{}", word, reg));
      } else {
        code.push_back(fmt::format("MOV {},[{}]", reg, word));
      }
    }
  }
  return listing;
}

}  // namespace mesim::litmus
