// What stands behind the DMA engine of an accelerator: how long a tile transfer takes.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "accel/tile_op.hpp"
#include "memory/tile_memory.hpp"
#include "sim/units.hpp"

namespace mesim::accel {

struct TransferTime {
  Cycles occupied = 0;  // until the next transfer of the same direction may begin
  Cycles done = 0;      // until the last byte is there
  std::optional<std::uint64_t> run =
      std::nullopt;  // `done` is not known yet: `next` will tell it of this run
};
struct TransferDone {
  std::uint64_t run = 0;
  Cycles at = 0;
};

// Bytes by the memory's own count.
struct MovedBytes {
  std::uint64_t read_bytes = 0;
  std::uint64_t written_bytes = 0;
};

class TransferMemory {
 public:
  virtual ~TransferMemory() = default;
  // A load or store begins in cycle `now`; calls come in the order of time.
  TransferTime transfer(const TileOp& op, Cycles now) {
    (op.kind == OpKind::store ? moved_.written_bytes : moved_.read_bytes) += op.bytes;
    return begin(op, now);
  }
  // The state as seen from `now`, appended: equal states behave alike. For jumping over repetitions.
  virtual void relative_state(Cycles now, std::vector<std::uint64_t>& out) const = 0;
  virtual void shift(Cycles by) = 0;
  // False: the state never recurs, nothing may be jumped.
  virtual bool recurs() const { return true; }

  // The next transfer whose time was not known to end in cycle `until` or before.
  virtual std::optional<TransferDone> next(Cycles) { return std::nullopt; }

  // What it could move at most in a cycle of the array; nothing: no bound.
  struct Peak {
    double read_bytes_per_cycle = 0;
    double write_bytes_per_cycle = 0;
    bool shared = false;  // by both directions, each alone could have all of it
  };
  virtual std::optional<Peak> peak() const { return std::nullopt; }
  // A program or its part has ended.
  virtual void mark(Cycles) {}

  MovedBytes& moved() { return moved_; }
  const MovedBytes& moved() const { return moved_; }

 protected:
  virtual TransferTime begin(const TileOp& op, Cycles now) = 0;

 private:
  MovedBytes moved_;
};

// Everything is there at once: what the array would do with any bandwidth.
class IdealMemory final : public TransferMemory {
 public:
  void relative_state(Cycles, std::vector<std::uint64_t>&) const override {}
  void shift(Cycles) override {}

 protected:
  TransferTime begin(const TileOp&, Cycles) override { return {}; }
};

// A read and a write channel, each busy for bytes / bandwidth; a transfer pays a descriptor before its bytes
// and a latency behind them, which other transfers may overlap. Times are kept in 1/65536 of a cycle.
class BandwidthMemory final : public TransferMemory {
 public:
  struct Rates {
    double read_bytes_per_cycle = 1;
    double write_bytes_per_cycle = 1;
    Cycles descriptor_cycles = 0;
    Cycles latency_cycles = 0;
    Cycles piece_cycles = 0;  // for each piece but the first
  };
  explicit BandwidthMemory(const Rates& rates) : rates_(rates) {}

  void relative_state(Cycles now, std::vector<std::uint64_t>& out) const override;
  void shift(Cycles by) override;
  std::optional<Peak> peak() const override {
    return Peak{rates_.read_bytes_per_cycle, rates_.write_bytes_per_cycle, false};
  }

 protected:
  TransferTime begin(const TileOp& op, Cycles now) override;

 private:
  Rates rates_;
  std::uint64_t busy_until_[2] = {0, 0};  // read, write
};

// A memory of its own clock behind the channels: DRAM by the command. A descriptor
// occupies its queue; how long the transfer takes is the memory's.
class DramPath final : public TransferMemory {
 public:
  DramPath(std::unique_ptr<TileMemory> memory, double clock_mhz, Cycles descriptor_cycles,
           Cycles latency_cycles);

  void relative_state(Cycles, std::vector<std::uint64_t>&) const override {}
  void shift(Cycles) override {}
  bool recurs() const override { return false; }  // refreshes do not
  std::optional<TransferDone> next(Cycles until) override;

  std::optional<Peak> peak() const override;
  void mark(Cycles now) override;
  // Component `memory` of the statistics at each mark.
  const std::vector<StatTree>& marks() const { return marks_; }

  const TileMemory& memory() const { return *memory_; }
  Cycles memory_cycle_at(Cycles cycle) const;  // of its own clock, the first from there on

 protected:
  TransferTime begin(const TileOp& op, Cycles now) override;

 private:
  std::unique_ptr<TileMemory> memory_;
  ClockDomain clock_;
  ClockDomain memory_clock_;
  Cycles descriptor_cycles_;
  Cycles latency_cycles_;
  std::vector<StatTree> marks_;
};

}  // namespace mesim::accel
