// What a DMA device of a config does: one of three patterns over a block of memory, the accesses of a trace,
// or what somebody else decides as it goes (a DmaFeed). A trace's load or store is a transfer of every line
// that it touches.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "coherence/dma_agent.hpp"
#include "sim/fields.hpp"
#include "traces/trace.hpp"

namespace mesim {

struct DmaConfig {
  std::uint32_t count = 0;
  std::uint32_t queue_depth = 8;
  std::uint32_t interval_cycles = 0;
  std::string pattern = "copy";
  std::uint64_t bytes = 64 * 1024;
  std::uint64_t source_address = 0x4000'0000;
  std::uint64_t target_address = 0x8000'0000;
  InputPath path;
  std::string format = "auto";

  void fields(Fields& f);
};

// A device whose transfers depend on each other's ends and on work of its own, such as an accelerator.
class DmaFeed {
 public:
  virtual ~DmaFeed() = default;
  virtual void advance(Cycles now) = 0;  // everything that it does up to this cycle
  virtual Cycles next_event() const = 0;
  virtual bool waiting() const = 0;  // a transfer wants to begin
  virtual DmaTransfer<NoData> next() = 0;
  virtual void done(const DmaTransfer<NoData>& transfer, Cycles now) = 0;
  virtual bool finished() const = 0;
  virtual void digest(Digest& digest) const = 0;
};

// Transfers of lines without contents.
class DmaSource {
 public:
  using Transfer = DmaTransfer<NoData>;

  // `device` of several moves a block of its own, behind the blocks of those before it.
  DmaSource(const DmaConfig& config, std::uint32_t line_bytes, unsigned device);

  // Instead of the pattern, from the next reset on; null: the pattern.
  void load(std::unique_ptr<RecordStream> stream) { next_stream_ = std::move(stream); }

  // Instead of both, from the next reset on.
  void load(std::unique_ptr<DmaFeed> feed) { next_feed_ = std::move(feed); }

  void advance(Cycles now) {
    if (feed_) feed_->advance(now);
  }
  Cycles next_event() const { return feed_ ? feed_->next_event() : never; }
  Cycles ready_at() const { return available() ? free_at_ : never; }
  Transfer next(Cycles now);
  void done(const Transfer& transfer, NoData, Cycles now);
  bool finished() const;
  void reset(std::uint64_t seed);
  void digest(Digest& digest) const;

 private:
  bool available() const;
  Transfer next_of_trace();
  void look_ahead();  // to the trace's next access

  std::uint64_t first_read_, first_write_, lines_;
  bool reads_, writes_, copies_;
  unsigned line_bits_;
  Cycles interval_;
  Cycles free_at_ = 0;
  std::uint64_t read_ = 0, written_ = 0;  // lines that were asked for
  std::uint64_t done_ = 0;                // of a copy's lines, written
  std::vector<std::uint64_t> to_write_;   // of a copy's lines, those that have been read, by number
  std::unique_ptr<RecordStream> stream_, next_stream_;
  std::unique_ptr<DmaFeed> feed_, next_feed_;
  std::span<const Record> batch_;
  std::uint64_t line_ = 0, last_line_ = 0;  // left of the trace's access at hand
  bool more_ = false;
};

}  // namespace mesim
