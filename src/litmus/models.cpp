#include "litmus/models.hpp"

namespace mesim::litmus {

const std::vector<std::string>& model_names() {
  static const std::vector<std::string> names = {"sc", "tso", "pso", "pso-v9", "rmo", "ztso", "rvwmo"};
  return names;
}

std::string_view model_name(Model model) { return model_names()[static_cast<std::size_t>(model)]; }

std::optional<Model> model_of(std::string_view name) {
  for (const Model model : all_models) {
    if (model_name(model) == name) return model;
  }
  return std::nullopt;
}

}  // namespace mesim::litmus
