// From an address to its place and back, by a text such as
//
//   row:rank:bank:group:column:channel          fields from the top of the address down to its burst
//   row:column:bank:group:column[3]             column[3]: the three bits that are not yet placed
//   row:bank:group:column; bank ^= row, group ^= row[2]     the field, XORed with row bits from 2 up
//
// XOR terms spread rows over banks (Zhang, Zhu, Zhang, "A permutation-based page interleaving scheme", MICRO
// 2000). A field that the organisation does not have (rank of one rank) has no bits and may stand or be left
// out. Channels need not be a power of two: their number divides the address at the channel's place.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "memory/dram/geometry.hpp"

namespace mesim::dram {

class AddressMap {
 public:
  // Throws bad_input, naming `source`, for a text that places a field twice, not at all or not at all right.
  AddressMap(const DramStandard& standard, const std::string& source);

  // The place of the burst that holds `address`; addresses beyond the capacity wrap around.
  Location decode(std::uint64_t address) const;
  // The lowest address that decodes to `location`.
  std::uint64_t encode(const Location& location) const;

  std::uint64_t capacity_bytes() const { return capacity_; }
  std::uint32_t channels() const { return channels_; }
  const Geometry& geometry() const { return geometry_; }

  // Bursts that follow each other fall into stripes: of burst b the place but for its column depends on b
  // modulo `bursts`, and with each stripe the column grows by one, up to the end of a frame of `columns`
  // stripes, which begins at a multiple of its size. `columns` is 1 where columns choose banks too.
  struct Stripes {
    std::uint64_t bursts = 1;
    std::uint64_t columns = 1;
    std::uint64_t frame_bursts() const { return bursts * columns; }
  };
  const Stripes& stripes() const { return stripes_; }

  enum Field : std::uint8_t { row, column, bank, group, rank, pseudo, channel, field_count };

 private:
  // `bits` bits of the address from `address_bit` are bits of the field from `field_bit`.
  struct Piece {
    Field field;
    std::uint8_t address_bit;
    std::uint8_t field_bit;
    std::uint64_t mask;
  };
  struct Xor {
    Field target;
    Field with;
    std::uint8_t shift;
    std::uint32_t mask;
  };
  // A place as one word: row, column, channel, bank from the top down. Each bit of it is an XOR of address
  // bits, so the word is an XOR of what the digits of an address, eight bits each, stand for.
  using Packed = std::uint64_t;
  using Digit = std::array<Packed, 256>;
  using Values = std::array<std::uint32_t, field_count>;

  void place_fields(const std::string& text, const std::string& source);
  void add_xor(const std::string& text, const std::string& source);
  void make_digits();
  void find_stripes();
  Location place_of(std::uint64_t burst) const;
  void mix(Values& values) const {
    for (const Xor& x : xors_) values[x.target] ^= (values[x.with] >> x.shift) & x.mask;
  }

  Geometry geometry_;
  std::array<std::uint8_t, field_count> width_{};
  std::vector<Piece> pieces_;
  std::vector<Xor> xors_;
  std::vector<Digit> digits_;
  std::uint32_t channels_ = 1;
  std::uint64_t capacity_ = 0;
  std::uint64_t wrap_ = 0;  // capacity of one channel, or of all where their number is a power of two
  unsigned burst_bits_ = 6;
  unsigned channel_bit_ = 0;  // where the channels' number divides the address
  bool divides_ = false;
  Stripes stripes_;
};

inline Location AddressMap::decode(std::uint64_t address) const {
  Location out;
  if (divides_) {
    const std::uint64_t above = address >> channel_bit_;
    out.channel = static_cast<std::uint32_t>(above % channels_);
    address = (above / channels_) << channel_bit_ | (address & ((std::uint64_t{1} << channel_bit_) - 1));
  }
  if (address >= wrap_) address %= wrap_;
  const Digit* digit = digits_.data();
  Packed packed = 0;
  for (std::uint64_t burst = address >> burst_bits_; burst != 0; burst >>= 8)
    packed ^= (*digit++)[burst & 0xff];
  if (!divides_) out.channel = packed >> 8 & 0xff;
  out.row = static_cast<std::uint32_t>(packed >> 32);
  out.column = packed >> 16 & 0xffff;
  out.bank = packed & 0xff;
  return out;
}

}  // namespace mesim::dram
