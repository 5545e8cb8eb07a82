// The memory models that ship, by the names of `--model`. Sources: Sarkar, Owens, Sewell et al., "x86-TSO"
// (CACM 2010); the SPARC Architecture Manual V9, appendix D (PSO, RMO); the RISC-V unprivileged ISA 20191213,
// chapters 14 (RVWMO) and 23 (Ztso).
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mesim::litmus {

enum class Model : unsigned char {
  sc,      // sequential consistency
  tso,     // one first-in first-out store buffer a thread
  pso,     // a store buffer for each thread and location; locked instructions drain all of them
  pso_v9,  // the same; atomics wait only for stores to their own location, as in SPARC V9
  rmo,     // same-address order, dependencies and fences
  ztso,    // RISC-V with Ztso
  rvwmo,   // RISC-V
};

inline constexpr Model all_models[] = {Model::sc,  Model::tso,  Model::pso,  Model::pso_v9,
                                       Model::rmo, Model::ztso, Model::rvwmo};

std::string_view model_name(Model model);  // "pso-v9"
std::optional<Model> model_of(std::string_view name);
const std::vector<std::string>& model_names();

}  // namespace mesim::litmus
