#include "litmus/generator/generator.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "litmus/generator/cycle_listing.hpp"

namespace mesim::litmus {

std::string generate_test(std::string_view name, GeneratedArch arch) {
  const bool edges = name.find(' ') != std::string_view::npos;
  const auto program = lay_out(edges ? cycle_from_edges(name) : cycle_from_name(name));
  auto listing = arch == GeneratedArch::x86 ? x86_listing(program) : riscv_listing(program);
  listing.name = name;
  std::replace(listing.name.begin(), listing.name.end(), ' ', '-');
  for (unsigned w = 0; w < program.stores.size(); ++w)
    if (program.stores[w] > 1)
      listing.condition.push_back(fmt::format("{}={}", word_name(w), program.last_value[w]));
  return listing.text();
}

}  // namespace mesim::litmus
