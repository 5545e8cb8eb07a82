// Which of a set's tags equal a tag, as a bit mask: SSE2, and the same without. Four tags a step.
#pragma once
#include <cstdint>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace mesim {

// `tags` holds `quads` * 4 tags, quads <= 16.
inline std::uint64_t tag_matches_portable(const std::uint32_t* tags, std::uint32_t quads, std::uint32_t tag) {
  std::uint64_t mask = 0;
  for (std::uint32_t i = 0; i < quads * 4; ++i) mask |= std::uint64_t{tags[i] == tag} << i;
  return mask;
}

#if defined(__SSE2__)
// As above; `tags` aligned to 16 bytes.
[[gnu::always_inline]] inline std::uint64_t tag_matches_sse2(const std::uint32_t* tags, std::uint32_t quads,
                                                             std::uint32_t tag) {
  const __m128i wanted = _mm_set1_epi32(static_cast<int>(tag));
  const auto* quad = reinterpret_cast<const __m128i*>(tags);
  const auto match = [&](std::uint32_t i) {
    return static_cast<unsigned>(
        _mm_movemask_ps(_mm_castsi128_ps(_mm_cmpeq_epi32(_mm_load_si128(quad + i), wanted))));
  };
  if (quads == 2) [[likely]]
    return match(0) | match(1) << 4;
  std::uint64_t mask = match(0);
  for (std::uint32_t i = 1; i < quads; ++i) mask |= std::uint64_t{match(i)} << (4 * i);
  return mask;
}
#endif

[[gnu::always_inline]] inline std::uint64_t tag_matches(const std::uint32_t* tags, std::uint32_t quads,
                                                        std::uint32_t tag) {
#if defined(__SSE2__)
  return tag_matches_sse2(tags, quads, tag);
#else
  return tag_matches_portable(tags, quads, tag);
#endif
}

}  // namespace mesim
