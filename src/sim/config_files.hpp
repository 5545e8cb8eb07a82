// Where the configs that come with mesim are found.
#pragma once
#include <string>
#include <vector>

namespace mesim {

// The folder `configs`: the environment's MESIM_CONFIGS, or the nearest `configs` (one that holds `presets`)
// at or above the folder of the executable, or its ../share/mesim/configs. Throws file_error when there is
// none.
std::string configs_folder();

// Names of the presets of a kind, or the kinds themselves, sorted. An unknown kind has none.
std::vector<std::string> preset_names(const std::string& kind);
std::vector<std::string> preset_kinds();

// configs/presets/KIND/NAME.json
std::string preset_path(const std::string& kind, const std::string& name);

}  // namespace mesim
