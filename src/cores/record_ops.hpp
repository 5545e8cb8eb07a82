// A thread of a trace as operations of an out-of-order core.
//
// A fetch record and the accesses behind it are one instruction; without fetch records every access is one.
// It becomes an operation for every access, loads before stores. Each needs the registers that the
// instruction reads, stores the instruction's loads too; the last one writes the instruction's registers
// (several loads without a store get an operation more that joins them). Addresses are known from the start,
// because the trace tells them. As in ChampSim, the instruction pointer is no register (its value is
// predicted), and pushes, pops, calls and returns know the stack pointer early (a stack engine folds it). A
// trace without registers does not say who needs a load's value: the first access at least `use_distance`
// instructions later does.
//
// Conditional branches are predicted as they are decoded; unconditional ones, and all targets, are known.
#pragma once
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "cores/branch_predictor.hpp"
#include "cores/core_config.hpp"
#include "cores/micro_op.hpp"
#include "traces/trace.hpp"

namespace mesim {

class RecordOps final : public OpStream {
 public:
  RecordOps(std::unique_ptr<RecordStream> stream, const CoreConfig& config, std::uint32_t line_bytes);

  const MicroOp& front() override;
  void advance(bool) override { ++at_; }
  void go_to(std::uint64_t position) override { at_ = position; }
  void check(const MicroOp&, std::uint64_t, std::uint64_t) const override {}
  bool reachable(std::uint64_t, std::uint32_t) const override { return true; }
  std::uint64_t records() const override { return records_; }

 private:
  // As many as may be in the window and behind it at once; a power of two.
  static constexpr std::size_t kept = 4 * WindowConfig::max_size;
  static constexpr RegisterId first_load = 256;     // from the loads of an instruction to its other parts
  static constexpr std::size_t registers_read = 4;  // by an instruction
  static constexpr std::size_t named_loads = MicroOp::source_count - registers_read;
  static constexpr RegisterId first_unnamed = 272;  // loads whose users the trace does not name
  static constexpr std::size_t unnamed = 128;

  struct User {
    std::uint64_t instruction;
    RegisterId id;
  };

  void decode();
  void fetched(const Record& fetch, MicroOp op);
  void begin_instruction() { loads_ = stores_ = 0; }
  void access(const Record& r, const MicroOp& instruction);
  void parts(const Record& r, OpKind kind, const MicroOp& instruction);
  void needs_loads(MicroOp& op) const;
  void add(MicroOp op);
  MicroOp& newest() { return ops_[(decoded_ - 1) % kept]; }
  void predict(MicroOp& op, const Record& fetch);
  void needs_values(MicroOp& op);
  const Record* peek();
  Record take() {
    ++records_;
    return *record_++;
  }
  const Record* next_access();

  std::unique_ptr<RecordStream> stream_;
  const Record* record_ = nullptr;
  const Record* record_end_ = nullptr;
  std::uint64_t records_ = 0;
  std::uint64_t instructions_ = 0;
  std::vector<MicroOp> ops_;
  std::uint64_t at_ = 0;
  std::uint64_t decoded_ = 0;
  std::uint64_t fetch_line_ = ~std::uint64_t{0};
  std::uint64_t line_bytes_;
  std::uint32_t use_distance_;
  bool has_registers_ = false;
  std::deque<User> users_;
  std::size_t next_unnamed_ = 0;
  std::size_t loads_ = 0;  // of the instruction so far
  std::size_t stores_ = 0;
  std::optional<Gshare> predictor_;
};

}  // namespace mesim
