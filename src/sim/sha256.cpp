#include "sim/sha256.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <vector>

#ifdef __x86_64__
#include <cpuid.h>
#include <immintrin.h>
#endif

#include "sim/error.hpp"

namespace mesim {
namespace {

constexpr std::array<std::uint32_t, 64> round_constants = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

std::uint32_t big_endian(const std::uint8_t* p) {
  return (std::uint32_t{p[0]} << 24) | (std::uint32_t{p[1]} << 16) | (std::uint32_t{p[2]} << 8) | p[3];
}

using State = std::array<std::uint32_t, 8>;

// One block of 64 bytes by the instructions that every processor has.
void plain_block(State& state, const std::uint8_t* bytes) {
  std::uint32_t w[64];
  for (int i = 0; i < 16; ++i) w[i] = big_endian(bytes + 4 * i);
  for (int i = 16; i < 64; ++i) {
    const std::uint32_t s0 = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ (w[i - 15] >> 3);
    const std::uint32_t s1 = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ (w[i - 2] >> 10);
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (int i = 0; i < 64; ++i) {
    const std::uint32_t s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const std::uint32_t t1 = h + s1 + ((e & f) ^ (~e & g)) + round_constants[i] + w[i];
    const std::uint32_t s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const std::uint32_t t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + t1;
    d = c;
    c = b;
    b = a;
    a = t1 + t2;
  }
  const std::array<std::uint32_t, 8> add = {a, b, c, d, e, f, g, h};
  for (int i = 0; i < 8; ++i) state[i] += add[i];
}

#ifdef __x86_64__
// The same by the SHA extensions (Intel, "New Instructions Supporting the Secure Hash Algorithm on Intel
// Architecture Processors", 2013): two rounds an instruction, on the state as {f e b a} and {h g d c}.
[[gnu::target("sha,sse4.1,ssse3")]] void extension_blocks(State& state, const std::uint8_t* bytes,
                                                          std::size_t count) {
  const __m128i big_endian_words = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  auto* words = reinterpret_cast<__m128i*>(state.data());
  const __m128i dcba = _mm_shuffle_epi32(_mm_loadu_si128(words), 0xb1);
  const __m128i hgfe = _mm_shuffle_epi32(_mm_loadu_si128(words + 1), 0x1b);
  __m128i abef = _mm_alignr_epi8(dcba, hgfe, 8);
  __m128i cdgh = _mm_blend_epi16(hgfe, dcba, 0xf0);
  for (; count != 0; --count, bytes += 64) {
    const __m128i abef_before = abef, cdgh_before = cdgh;
    __m128i w[4];  // the last sixteen words of the schedule
    for (int i = 0; i < 4; ++i)
      w[i] = _mm_shuffle_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes) + i), big_endian_words);
    for (int i = 0; i < 16; ++i) {
      const __m128i constants = _mm_loadu_si128(reinterpret_cast<const __m128i*>(round_constants.data()) + i);
      const __m128i sum = _mm_add_epi32(w[i % 4], constants);
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0e));
      if (i >= 12) continue;
      const __m128i seven_back = _mm_alignr_epi8(w[(i + 3) % 4], w[(i + 2) % 4], 4);
      w[i % 4] = _mm_sha256msg2_epu32(
          _mm_add_epi32(_mm_sha256msg1_epu32(w[i % 4], w[(i + 1) % 4]), seven_back), w[(i + 3) % 4]);
    }
    abef = _mm_add_epi32(abef, abef_before);
    cdgh = _mm_add_epi32(cdgh, cdgh_before);
  }
  const __m128i feba = _mm_shuffle_epi32(abef, 0x1b);
  const __m128i dchg = _mm_shuffle_epi32(cdgh, 0xb1);
  _mm_storeu_si128(words, _mm_blend_epi16(feba, dchg, 0xf0));
  _mm_storeu_si128(words + 1, _mm_alignr_epi8(dchg, feba, 8));
}

bool has_extension() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __builtin_cpu_supports("sse4.1") && __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 &&
         (b & bit_SHA) != 0;
}
#endif

}  // namespace

void Sha256::blocks(const std::uint8_t* bytes, std::size_t count) {
#ifdef __x86_64__
  static const bool has = has_extension();
  if (extension_ && has) return extension_blocks(state_, bytes, count);
#endif
  for (; count != 0; --count, bytes += 64) plain_block(state_, bytes);
}

void Sha256::update(std::span<const std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const std::size_t used = length_ % 64;
    if (used == 0 && bytes.size() >= 64) {
      const std::size_t whole = bytes.size() / 64;
      blocks(bytes.data(), whole);
      length_ += 64 * whole;
      bytes = bytes.subspan(64 * whole);
      continue;
    }
    const std::size_t take = std::min(bytes.size(), 64 - used);
    std::memcpy(buffer_.data() + used, bytes.data(), take);
    length_ += take;
    bytes = bytes.subspan(take);
    if (length_ % 64 == 0) blocks(buffer_.data(), 1);
  }
}

std::string Sha256::hex() {
  const std::uint64_t bits = length_ * 8;
  const std::array<std::uint8_t, 64> padding = {0x80};
  update({padding.data(), 1 + (119 - length_ % 64) % 64});  // up to 8 bytes short of a block
  std::array<std::uint8_t, 8> tail;
  for (int i = 0; i < 8; ++i) tail[i] = static_cast<std::uint8_t>(bits >> (56 - 8 * i));
  update(tail);
  std::string text;
  for (const std::uint32_t word : state_) text += fmt::format("{:08x}", word);
  return text;
}

namespace {

std::string sha256_of_file(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!file) throw file_error(path, "cannot be opened", errno);
  Sha256 hash;
  std::vector<std::uint8_t> buffer(1U << 18);
  std::size_t got = 0;
  while ((got = std::fread(buffer.data(), 1, buffer.size(), file.get())) > 0)
    hash.update({buffer.data(), got});
  if (std::ferror(file.get()) != 0) throw file_error(path, "cannot be read", errno);
  return hash.hex();
}

}  // namespace

std::string sha256_of_path(const std::string& path) {
  namespace fs = std::filesystem;
  if (!fs::is_directory(path)) return sha256_of_file(path);
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(path)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  Sha256 hash;
  for (const auto& file : files) {
    const std::string line = fmt::format("{}  {}\n", sha256_of_file(file.string()), file.filename().string());
    hash.update({reinterpret_cast<const std::uint8_t*>(line.data()), line.size()});
  }
  return hash.hex();
}

}  // namespace mesim
