// What makes a page's drawings zoom: uPlot, its licence and zoom.js as one script, and uPlot's style.
#pragma once
#include <string_view>

namespace mesim {

std::string_view zoom_script();
std::string_view zoom_style();

}  // namespace mesim
