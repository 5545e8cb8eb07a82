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
  // The same for decoding, where pseudo-channel, rank, group and bank are bits of one number.
  enum Part : std::uint8_t { part_row, part_column, part_bank, part_channel, part_count };
  struct Slice {
    Part part;
    std::uint8_t address_bit;
    std::uint8_t part_bit;
    std::uint64_t mask;
  };
  struct Mix {
    Part target;
    Part with;
    std::uint8_t shift;
    std::uint8_t target_bit;
    std::uint32_t mask;
  };
  using Values = std::array<std::uint32_t, field_count>;

  void place_fields(const std::string& text, const std::string& source);
  void add_xor(const std::string& text, const std::string& source);
  void make_slices();
  std::pair<Part, unsigned> part_of(Field field) const;
  void mix(Values& values) const {
    for (const Xor& x : xors_) values[x.target] ^= (values[x.with] >> x.shift) & x.mask;
  }

  Geometry geometry_;
  std::array<std::uint8_t, field_count> width_{};
  std::vector<Piece> pieces_;
  std::vector<Xor> xors_;
  struct LowestSlice {
    std::uint64_t mask = 0;
    unsigned address_bit = 0;
  };
  std::array<LowestSlice, part_count> first_{};  // from bit 0 of each part
  std::vector<Slice> slices_;                    // the others
  std::vector<Mix> mixes_;
  std::uint32_t channels_ = 1;
  std::uint64_t capacity_ = 0;
  std::uint64_t wrap_ = 0;  // capacity of one channel, or of all where their number is a power of two
  unsigned burst_bits_ = 6;
  unsigned channel_bit_ = 0;  // where the channels' number divides the address
  bool divides_ = false;
};

inline Location AddressMap::decode(std::uint64_t address) const {
  Location out;
  if (divides_) {
    const std::uint64_t above = address >> channel_bit_;
    out.channel = static_cast<std::uint32_t>(above % channels_);
    address = (above / channels_) << channel_bit_ | (address & ((std::uint64_t{1} << channel_bit_) - 1));
  }
  if (address >= wrap_) address %= wrap_;
  const auto lowest = [&](Part part) {
    return static_cast<std::uint32_t>((address >> first_[part].address_bit) & first_[part].mask);
  };
  std::array<std::uint32_t, part_count> parts = {lowest(part_row), lowest(part_column), lowest(part_bank),
                                                 lowest(part_channel)};
  for (const Slice& s : slices_) {
    parts[s.part] |= static_cast<std::uint32_t>((address >> s.address_bit) & s.mask) << s.part_bit;
  }
  for (const Mix& m : mixes_) parts[m.target] ^= ((parts[m.with] >> m.shift) & m.mask) << m.target_bit;
  if (!divides_) out.channel = parts[part_channel];
  out.row = parts[part_row];
  out.column = parts[part_column];
  out.bank = static_cast<std::uint8_t>(parts[part_bank]);
  return out;
}

}  // namespace mesim::dram
