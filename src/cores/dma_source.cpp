#include "cores/dma_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace mesim {

void DmaConfig::fields(Fields& f) {
  f.integer("count", count,
            {.max = 16,
             .unit = "devices",
             .help = "that read and write memory through the homes; timed directory only"});
  f.integer("queue_depth", queue_depth,
            {.min = 1, .max = 256, .unit = "lines", .help = "that a device has under way at once"});
  f.integer(
      "interval_cycles", interval_cycles,
      {.max = 1'000'000, .unit = "cycles", .help = "at least, between the beginnings of two transfers"});
  f.choice(
      "pattern", pattern, {"copy", "read", "write", "accelerator"},
      "what a device without a trace does: copy, each line of its block is read and then written elsewhere; "
      "read; write; accelerator, it runs workload.m, n and k on the array of accel, whose operands lie from "
      "source_address on, in the cores' clock");
  f.require("count", count <= 1 || pattern != "accelerator",
            [this] { return fmt::format("{} devices, expected one with the pattern 'accelerator'", count); });
  f.integer("bytes", bytes,
            {.min = 1,
             .max = std::uint64_t{1} << 40,
             .unit = "bytes",
             .help = "of a device's block, in whole lines"});
  f.integer("source_address", source_address, {.unit = "bytes", .help = "where the first device reads"});
  f.integer("target_address", target_address, {.unit = "bytes", .help = "where the first device writes"});
  f.path("path", path,
         "a trace whose thread t device t follows: each access is a transfer of the lines it touches");
  f.text("format", format, "of that trace; auto looks at its content");
}

DmaSource::DmaSource(const DmaConfig& config, std::uint32_t line_bytes, unsigned device)
    : lines_((config.bytes + line_bytes - 1) / line_bytes),
      reads_(config.pattern != "write"),
      writes_(config.pattern == "write"),
      copies_(config.pattern == "copy"),
      line_bits_(static_cast<unsigned>(std::countr_zero(line_bytes))),
      interval_(config.interval_cycles) {
  first_read_ = (config.source_address >> line_bits_) + device * lines_;
  first_write_ = (config.target_address >> line_bits_) + device * lines_;
}

bool DmaSource::available() const {
  if (feed_) return feed_->waiting();
  if (stream_) return more_;
  return !to_write_.empty() || (reads_ && read_ < lines_) || (writes_ && written_ < lines_);
}

bool DmaSource::finished() const {
  if (feed_) return feed_->finished();
  if (stream_) return !more_;
  return !available() && (!copies_ || done_ == lines_);
}

auto DmaSource::next(Cycles now) -> Transfer {
  free_at_ = now + interval_;
  if (feed_) return feed_->next();
  if (stream_) return next_of_trace();
  if (!to_write_.empty()) {
    const std::uint64_t line = to_write_.front();
    to_write_.erase(to_write_.begin());
    return {first_write_ + line, true, {}};
  }
  if (writes_) return {first_write_ + written_++, true, {}};
  return {first_read_ + read_++, false, {}};
}

auto DmaSource::next_of_trace() -> Transfer {
  const bool write = is_write(batch_.front().kind);
  const Transfer transfer{line_, write, {}};
  if (line_++ == last_line_) {
    batch_ = batch_.subspan(1);
    look_ahead();
  }
  return transfer;
}

void DmaSource::look_ahead() {
  for (;; batch_ = batch_.subspan(1)) {
    if (batch_.empty()) batch_ = stream_->next();
    more_ = !batch_.empty();
    if (!more_) return;
    const Record& r = batch_.front();
    if (!is_memory(r.kind)) continue;
    line_ = r.address >> line_bits_;
    last_line_ = (r.address + std::max<std::uint32_t>(r.size, 1) - 1) >> line_bits_;
    return;
  }
}

void DmaSource::done(const Transfer& transfer, NoData, Cycles now) {
  if (feed_) return feed_->done(transfer, now);
  if (stream_ || !copies_) return;
  if (transfer.write) {
    ++done_;
  } else {
    to_write_.push_back(transfer.line - first_read_);
  }
}

void DmaSource::reset(std::uint64_t) {
  stream_ = std::move(next_stream_);
  feed_ = std::move(next_feed_);
  free_at_ = 0;
  read_ = written_ = done_ = 0;
  to_write_.clear();
  batch_ = {};
  more_ = false;
  if (stream_) look_ahead();
}

void DmaSource::digest(Digest& digest) const {
  digest.add(free_at_);
  if (feed_) feed_->digest(digest);
  digest.add(read_);
  digest.add(written_);
  digest.add(done_);
  digest.add(line_);
  for (const std::uint64_t line : to_write_) digest.add(line);
}

}  // namespace mesim
