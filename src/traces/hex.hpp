// Hexadecimal numbers out of text, 16 digits at a time.
#pragma once
#include <bit>
#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace mesim {

struct HexField {
  std::uint64_t value;
  unsigned digits;  // 0 to 16: how many hexadecimal digits stand at the place
};

// The digits at `p`. Reads the 16 bytes from `p` on and the 16 bytes before the field's end: the buffer must
// have 16 readable bytes on both sides.
inline HexField hex_at(const char* p) {
#ifdef __SSE2__
  const auto load = [](const char* at) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at)); };
  const auto letters = [](__m128i x) {  // bytes from 'a' on, case folded
    return _mm_cmpgt_epi8(_mm_or_si128(x, _mm_set1_epi8(0x20)), _mm_set1_epi8('a' - 1));
  };
  const __m128i x = load(p);
  const __m128i folded = _mm_or_si128(x, _mm_set1_epi8(0x20));
  const __m128i digit =
      _mm_and_si128(_mm_cmpgt_epi8(x, _mm_set1_epi8('0' - 1)), _mm_cmpgt_epi8(_mm_set1_epi8('9' + 1), x));
  const __m128i letter = _mm_and_si128(letters(x), _mm_cmpgt_epi8(_mm_set1_epi8('f' + 1), folded));
  const auto valid = static_cast<unsigned>(_mm_movemask_epi8(_mm_or_si128(digit, letter)));
  const auto digits = static_cast<unsigned>(std::countr_one(valid));

  // The 16 bytes that end with the last digit, as nibbles, with what stands before the field cleared.
  alignas(16) static constexpr std::uint8_t keep[32] = {0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,
                                                        0,   0,   0,   0,   0,   255, 255, 255, 255, 255, 255,
                                                        255, 255, 255, 255, 255, 255, 255, 255, 255, 255};
  const __m128i y = load(p + digits - 16);
  __m128i nibbles =
      _mm_add_epi8(_mm_and_si128(y, _mm_set1_epi8(0x0f)), _mm_and_si128(letters(y), _mm_set1_epi8(9)));
  nibbles = _mm_and_si128(nibbles, load(reinterpret_cast<const char*>(keep) + digits));
  const __m128i pairs = _mm_and_si128(_mm_or_si128(_mm_slli_epi16(nibbles, 4), _mm_srli_epi16(nibbles, 8)),
                                      _mm_set1_epi16(0x00ff));
  const __m128i bytes = _mm_packus_epi16(pairs, pairs);
  return {__builtin_bswap64(static_cast<std::uint64_t>(_mm_cvtsi128_si64(bytes))), digits};
#else
  HexField field{0, 0};
  while (field.digits < 16) {
    const char c = p[field.digits];
    const char folded = static_cast<char>(c | 0x20);
    unsigned nibble;
    if (c >= '0' && c <= '9') {
      nibble = static_cast<unsigned>(c - '0');
    } else if (folded >= 'a' && folded <= 'f') {
      nibble = static_cast<unsigned>(folded - 'a' + 10);
    } else {
      break;
    }
    field.value = field.value << 4 | nibble;
    ++field.digits;
  }
  return field;
#endif
}

}  // namespace mesim
