// The protobuf wire format, as much as a trace needs: varints, fixed64, and messages inside messages.
// Protocol Buffers documentation, "Encoding".
#pragma once
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace mesim::protobuf {

// Written to `at`, which has room; the place behind it.
inline std::uint8_t* varint(std::uint8_t* at, std::uint64_t value) {
  while (value >= 0x80) {
    *at++ = static_cast<std::uint8_t>(value | 0x80);
    value >>= 7;
  }
  *at++ = static_cast<std::uint8_t>(value);
  return at;
}

enum class Wire : std::uint8_t { varint = 0, fixed64 = 1, length = 2 };

inline std::uint8_t* tag(std::uint8_t* at, std::uint32_t field, Wire wire) {
  return varint(at, field << 3 | static_cast<std::uint32_t>(wire));
}

inline std::uint8_t* number(std::uint8_t* at, std::uint32_t field, std::uint64_t value) {
  return varint(tag(at, field, Wire::varint), value);
}

inline std::uint8_t* fixed64(std::uint8_t* at, std::uint32_t field, std::uint64_t value) {
  at = tag(at, field, Wire::fixed64);
  for (int byte = 0; byte < 8; ++byte) *at++ = static_cast<std::uint8_t>(value >> 8 * byte);
  return at;
}

// Messages of any length, for what is written once.
class Message {
 public:
  Message& number(std::uint32_t field, std::uint64_t value) {
    std::uint8_t room[20];
    return append(room, protobuf::number(room, field, value));
  }
  Message& text(std::uint32_t field, std::string_view value) {
    std::uint8_t room[20];
    append(room, varint(tag(room, field, Wire::length), value.size()));
    bytes_ += value;
    return *this;
  }
  Message& message(std::uint32_t field, const Message& inner) { return text(field, inner.bytes_); }
  const std::string& bytes() const { return bytes_; }

 private:
  Message& append(const std::uint8_t* from, const std::uint8_t* to) {
    bytes_.append(reinterpret_cast<const char*>(from), static_cast<std::size_t>(to - from));
    return *this;
  }
  std::string bytes_;
};

}  // namespace mesim::protobuf
