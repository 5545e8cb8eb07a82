// How the banks of one controller are numbered, and where an address lies.
#pragma once
#include <bit>
#include <cstdint>

#include "memory/dram/standard_config.hpp"

namespace mesim::dram {

inline constexpr unsigned max_banks = 64;  // of a controller

using BankMask = std::uint64_t;

// Banks are numbered pseudo-channel, rank, group, bank, the last fastest. `rank` below counts ranks of all
// pseudo-channels, `group` groups of all ranks.
struct Geometry {
  unsigned pseudo_channels = 1;
  unsigned ranks = 1;   // of a pseudo-channel
  unsigned groups = 4;  // of a rank
  unsigned banks_per_group = 4;
  std::uint32_t rows = 1;
  std::uint32_t bursts = 1;  // column addresses of a row, a burst each
  std::uint32_t burst_bytes = 64;

  Geometry() = default;
  explicit Geometry(const DramOrganisation& o)
      : pseudo_channels(o.pseudo_channels),
        ranks(o.ranks),
        groups(o.bank_groups),
        banks_per_group(o.banks_per_group),
        rows(o.rows),
        bursts(o.columns / o.burst_length),
        burst_bytes(o.burst_length * o.channel_bits / 8) {}

  unsigned rank_banks() const { return groups * banks_per_group; }
  unsigned all_ranks() const { return pseudo_channels * ranks; }
  unsigned banks() const { return all_ranks() * rank_banks(); }
  unsigned rank_of(unsigned bank) const { return bank / rank_banks(); }
  unsigned group_of(unsigned bank) const { return bank / banks_per_group; }
  unsigned pseudo_of(unsigned bank) const { return bank / (ranks * rank_banks()); }
  unsigned first_bank(unsigned rank) const { return rank * rank_banks(); }
  BankMask rank_mask(unsigned rank) const {
    const unsigned banks = rank_banks();
    const BankMask one = banks == 64 ? ~BankMask{0} : (BankMask{1} << banks) - 1;
    return one << first_bank(rank);
  }
};

// Where a burst lies. `bank` is the number on its controller.
struct Location {
  std::uint32_t channel = 0;
  std::uint32_t row = 0;
  std::uint32_t column = 0;  // in bursts
  std::uint8_t bank = 0;

  friend bool operator==(const Location&, const Location&) = default;
};

}  // namespace mesim::dram
