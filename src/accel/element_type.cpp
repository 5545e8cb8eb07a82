#include "accel/element_type.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace mesim::accel {
namespace {

constexpr ElementFormat formats[] = {
    {"raw", 32},
    {"fp32", 32, 23, -126, 3.4028234663852886e38},
    {"tf32", 32, 10, -126, 3.4011621342146535e38},
    {"bf16", 16, 7, -126, 3.3895313892515355e38},
    {"fp16", 16, 10, -14, 65504},
    {"fp8_e4m3", 8, 3, -6, 448, true},
    {"fp8_e5m2", 8, 2, -14, 57344, true},
    {"int8", 8, 0, 0, 127, true, -128},
    {"int4", 4, 0, 0, 7, true, -8},
};

}  // namespace

const ElementFormat& format_of(ElementType type) { return formats[static_cast<std::size_t>(type)]; }

std::vector<std::string> element_type_names() {
  std::vector<std::string> names;
  for (const ElementFormat& format : formats) names.emplace_back(format.name);
  return names;
}

ElementType element_type(const std::string& name) {
  const auto found = std::find_if(std::begin(formats), std::end(formats),
                                  [&](const ElementFormat& format) { return name == format.name; });
  return static_cast<ElementType>(found - std::begin(formats));
}

float rounded(ElementType type, float value) {
  if (type == ElementType::raw || type == ElementType::fp32 || !std::isfinite(value) || value == 0)
    return value;
  const ElementFormat& format = format_of(type);
  if (format.significand == 0) {
    return static_cast<float>(
        std::clamp(std::nearbyint(static_cast<double>(value)), format.least, format.greatest));
  }
  const int exponent = std::max(std::ilogb(value), format.least_exponent);
  const double quantum = std::ldexp(1.0, exponent - static_cast<int>(format.significand));
  const double nearest = std::nearbyint(static_cast<double>(value) / quantum) * quantum;
  if (std::abs(nearest) <= format.greatest) return static_cast<float>(nearest);
  const double beyond = format.saturates ? format.greatest : std::numeric_limits<double>::infinity();
  return static_cast<float>(std::copysign(beyond, nearest));
}

double unit_roundoff(ElementType type) {
  const ElementFormat& format = format_of(type);
  return format.significand == 0 ? 0 : std::ldexp(1.0, -static_cast<int>(format.significand) - 1);
}

}  // namespace mesim::accel
