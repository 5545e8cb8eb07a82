// Formats of the numbers that accelerators multiply: what an element takes in memory, what its sums are kept
// in, and what a value becomes when it is written in it.
//
// Sources: IEEE 754-2019 (fp32, fp16); Google, BFloat16 (bf16: fp32 without its lower 16 bits); NVIDIA A100
// Tensor Core GPU Architecture, 2020 (tf32: 10 bits of significand, stored as fp32; int4); Open Compute
// Project, 8-bit Floating Point Specification, revision 1.0 (fp8, values beyond the range saturate).
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace mesim::accel {

enum class ElementType : std::uint8_t { raw, fp32, tf32, bf16, fp16, fp8_e4m3, fp8_e5m2, int8, int4 };

struct ElementFormat {
  const char* name;
  std::uint32_t bits;             // in memory
  std::uint32_t significand = 0;  // bits behind the point; 0 of integers
  int least_exponent = 0;         // of a value that is not subnormal
  double greatest = 0;
  bool saturates = false;  // beyond it; else infinite
  double least = 0;        // of integers
};
const ElementFormat& format_of(ElementType type);

// "raw", "fp32", ...; the type of a name that is one of them.
std::vector<std::string> element_type_names();
ElementType element_type(const std::string& name);

// Sums of 8-bit and 4-bit integers are 32-bit integers, all others fp32.
inline constexpr std::uint32_t element_accumulator_bytes = 4;

// The nearest value of the type, of two the even one. `raw` leaves it alone.
float rounded(ElementType type, float value);
// The largest relative error of that, within the range.
double unit_roundoff(ElementType type);

}  // namespace mesim::accel
