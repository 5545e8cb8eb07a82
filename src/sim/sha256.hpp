// SHA-256 (FIPS 180-4): names the exact bytes of an input in a result.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string>

namespace mesim {

class Sha256 {
 public:
  // `extension`: by the processor's own instructions for it, if it has them; the digest is the same.
  explicit Sha256(bool extension = true) : extension_(extension) {}
  void update(std::span<const std::uint8_t> bytes);
  // The digest in lower-case hexadecimal; ends the message.
  std::string hex();

 private:
  void blocks(const std::uint8_t* bytes, std::size_t count);

  std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::uint8_t, 64> buffer_{};
  std::uint64_t length_ = 0;  // bytes so far
  bool extension_;
};

// Of a file's bytes as stored; of a folder, of its files' names and digests in order of name, not recursing.
// Throws file_error.
std::string sha256_of_path(const std::string& path);

}  // namespace mesim
