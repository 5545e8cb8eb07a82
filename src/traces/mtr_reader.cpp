#include "traces/mtr_reader.hpp"

#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>

#include "sim/error.hpp"
#include "traces/mtr_decoder.hpp"
#include "traces/mtr_metadata.hpp"
#include "traces/plain_file.hpp"
#include "traces/text_stream.hpp"

namespace mesim {
namespace {

using namespace mtr;

// The file with its index read and checked; shared by all streams on it.
struct MtrFile {
  explicit MtrFile(const std::string& path) : file(path) {
    info.path = path;
    info.format = "mtr";
    info.compression = "zstd";
    info.stored_bytes = file.size();
  }

  Error error(std::uint64_t offset, const std::string& what) const {
    return bad_input({info.path}, fmt::format("byte offset {}: {}", offset, what));
  }

  PlainFile file;
  TraceInfo info;
  std::vector<std::vector<ChunkEntry>> threads;
  std::vector<ChunkEntry> order;
  std::vector<ChunkEntry> metadata;
};

std::uint32_t checksum(const char* bytes, std::size_t size) {
  return static_cast<std::uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(bytes), static_cast<uInt>(size)));
}

// The chunks of one stream, unpacked one after the other.
class Unpacker {
 public:
  Unpacker(std::shared_ptr<const MtrFile> file, const std::vector<ChunkEntry>& chunks)
      : file_(std::move(file)), chunks_(chunks), context_(ZSTD_createDCtx()) {
    if (!context_) throw std::bad_alloc();
  }

  // Null at the end. `records_before` is for messages.
  const ChunkEntry* next(std::uint64_t records_before) {
    if (position_ == chunks_.size()) return nullptr;
    const ChunkEntry& chunk = chunks_[position_++];
    packed_.resize(chunk.packed_bytes);
    const std::size_t got = file_->file.read_at(chunk.offset, packed_.data(), packed_.size());
    if (got != packed_.size() || checksum(packed_.data(), got) != chunk.checksum)
      throw fault(records_before, "the checksum of the chunk is wrong");
    raw_.resize(chunk.raw_bytes + margin_bytes);
    ZSTD_inBuffer in{packed_.data(), packed_.size(), 0};
    ZSTD_outBuffer out{raw_.data(), raw_.size(), 0};
    while (in.pos < in.size && out.pos < out.size) {
      const std::size_t status = ZSTD_decompressStream(context_.get(), &out, &in);
      if (ZSTD_isError(status)) throw fault(records_before, ZSTD_getErrorName(status));
    }
    if (in.pos != in.size || out.pos != chunk.raw_bytes)
      throw fault(records_before, "the chunk has the wrong size");
    return &chunk;
  }

  const std::uint8_t* raw() const { return reinterpret_cast<const std::uint8_t*>(raw_.data()); }

  Error fault(std::uint64_t records_before, const std::string& what) const {
    return file_->error(chunks_[position_ - 1].offset,
                        fmt::format("after {} records: {}", records_before, what));
  }

 private:
  struct Free {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
  };
  std::shared_ptr<const MtrFile> file_;
  const std::vector<ChunkEntry>& chunks_;  // of file_
  std::unique_ptr<ZSTD_DCtx, Free> context_;
  std::size_t position_ = 0;
  std::vector<char> packed_;
  std::vector<char> raw_;
};

// One thread's records, as many as asked for.
class ThreadReader {
 public:
  ThreadReader(const std::shared_ptr<const MtrFile>& file, std::uint32_t thread)
      : unpacker_(file, file->threads[thread]), decoder_(static_cast<std::uint16_t>(thread)) {}

  // Up to `most` records; 0 at the end.
  std::size_t read(Record* out, std::size_t most) {
    try {
      while (decoder_.remaining() == 0) {
        const ChunkEntry* const chunk = unpacker_.next(records_);
        if (chunk == nullptr) return 0;
        decoder_.start_chunk(unpacker_.raw(), chunk->control_bytes, chunk->raw_bytes, chunk->records);
      }
      const std::size_t count = decoder_.decode(out, most);
      records_ += count;
      return count;
    } catch (const CorruptChunk& corrupt) {
      throw unpacker_.fault(records_, corrupt.what);
    }
  }

 private:
  Unpacker unpacker_;
  Decoder decoder_;
  std::uint64_t records_ = 0;
};

class ThreadStream final : public RecordStream {
 public:
  ThreadStream(const std::shared_ptr<const MtrFile>& file, std::uint32_t thread) : reader_(file, thread) {}
  std::span<const Record> next() override {
    return {batch_.data(), reader_.read(batch_.data(), batch_.size())};
  }

 private:
  ThreadReader reader_;
  std::array<Record, batch_records> batch_;
};

// All threads in the order that was recorded.
class MergedStream final : public RecordStream {
 public:
  explicit MergedStream(std::shared_ptr<const MtrFile> file)
      : file_(std::move(file)), order_(file_, file_->order), readers_(file_->threads.size()) {}

  std::span<const Record> next() override {
    std::size_t count = 0;
    while (count < batch_.size()) {
      if (run_ == 0 && !next_run()) break;
      const std::size_t room = batch_.size() - count;
      const std::size_t got = reader_->read(batch_.data() + count, run_ < room ? run_ : room);
      if (got == 0) throw order_.fault(records_ + count, "a thread has fewer records than the merged order");
      count += got;
      run_ -= got;
    }
    records_ += count;
    return {batch_.data(), count};
  }

 private:
  bool next_run() {
    while (at_ == end_) {
      const ChunkEntry* const chunk = order_.next(records_);
      if (chunk == nullptr) return false;
      at_ = order_.raw();
      end_ = at_ + chunk->raw_bytes;
    }
    const std::uint64_t thread = number();
    run_ = number();
    if (thread >= readers_.size() || run_ == 0) throw order_.fault(records_, "the merged order is damaged");
    if (!readers_[thread])
      readers_[thread] = std::make_unique<ThreadReader>(file_, static_cast<std::uint32_t>(thread));
    reader_ = readers_[thread].get();
    return true;
  }

  std::uint64_t number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && at_ != end_; shift += 7) {
      const std::uint8_t byte = *at_++;
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw order_.fault(records_, "the merged order is damaged");
  }

  std::shared_ptr<const MtrFile> file_;
  Unpacker order_;
  std::vector<std::unique_ptr<ThreadReader>> readers_;
  ThreadReader* reader_ = nullptr;
  const std::uint8_t* at_ = nullptr;
  const std::uint8_t* end_ = nullptr;
  std::uint64_t run_ = 0;
  std::uint64_t records_ = 0;
  std::array<Record, batch_records> batch_;
};

class MtrTrace final : public Trace {
 public:
  explicit MtrTrace(std::shared_ptr<const MtrFile> file) : file_(std::move(file)) {}
  const TraceInfo& info() const override { return file_->info; }
  std::unique_ptr<RecordStream> merged() override {
    if (file_->info.threads == 1) return thread(0);
    return std::make_unique<MergedStream>(file_);
  }
  std::unique_ptr<RecordStream> thread(std::uint32_t index) override {
    if (index >= file_->info.threads)
      throw bad_input({file_->info.path}, fmt::format("thread {} asked for, the trace has threads 0 to {}",
                                                      index, file_->info.threads - 1));
    return std::make_unique<ThreadStream>(file_, index);
  }

 private:
  std::shared_ptr<const MtrFile> file_;
};

template <typename T>
T read_struct(const MtrFile& file, std::uint64_t offset) {
  T value{};
  file.file.read_at(offset, reinterpret_cast<char*>(&value), sizeof(value));
  return value;
}

Trailer read_trailer(const MtrFile& file) {
  const std::uint64_t size = file.file.size();
  const auto header = read_struct<Header>(file, 0);
  if (std::string_view(header.magic, sizeof(header.magic)) != magic)
    throw file.error(0, "this is no mtr file");
  if (size >= sizeof(Header) && header.reserved != 0)
    throw file.error(12, "the header of the mtr file is damaged");
  if (size >= sizeof(Header) && header.version != version)
    throw file.error(
        8, fmt::format("mtr version {} found, this mesim reads version {}", header.version, version));
  if (size >= sizeof(Header) + sizeof(Trailer)) {
    const auto trailer = read_struct<Trailer>(file, size - sizeof(Trailer));
    if (std::string_view(trailer.magic, sizeof(trailer.magic)) == end_magic) return trailer;
  }
  throw file.error(size,
                   "the end of the mtr file is missing: it is cut short, or its recording was interrupted");
}

void read_index(MtrFile& file) {
  const Trailer trailer = read_trailer(file);  // a flipped bit in it shows in its own checksum
  const std::uint64_t at = file.file.size() - sizeof(Trailer);
  const std::uint64_t index_bytes = std::uint64_t{trailer.chunks} * sizeof(ChunkEntry);
  if (trailer.index_offset < sizeof(Header) || trailer.index_offset > at ||
      at - trailer.index_offset != index_bytes ||
      checksum(reinterpret_cast<const char*>(&trailer), offsetof(Trailer, checksum)) != trailer.checksum ||
      trailer.threads == 0 || trailer.threads > most_threads)
    throw file.error(at, "the trailer of the mtr file is damaged");
  std::vector<ChunkEntry> index(trailer.chunks);
  file.file.read_at(trailer.index_offset, reinterpret_cast<char*>(index.data()), index_bytes);
  if (checksum(reinterpret_cast<const char*>(index.data()), index_bytes) != trailer.index_checksum)
    throw file.error(trailer.index_offset, "the checksum of the index is wrong");

  file.info.threads = trailer.threads;
  file.info.records = trailer.records;
  file.threads.resize(trailer.threads);
  std::uint64_t in_threads = 0, in_order = 0;
  for (const ChunkEntry& chunk : index) {
    const bool known =
        chunk.stream < trailer.threads || chunk.stream == order_stream || chunk.stream == metadata_stream;
    if (!known || chunk.raw_bytes > most_chunk_bytes || chunk.control_bytes > chunk.raw_bytes ||
        chunk.offset > trailer.index_offset || chunk.packed_bytes > trailer.index_offset - chunk.offset)
      throw file.error(trailer.index_offset, "the index is damaged");
    auto& stream = chunk.stream == order_stream      ? file.order
                   : chunk.stream == metadata_stream ? file.metadata
                                                     : file.threads[chunk.stream];
    stream.push_back(chunk);
    (chunk.stream == order_stream ? in_order : in_threads) += chunk.records;
  }
  if (in_threads != trailer.records || (trailer.threads > 1 && in_order != trailer.records))
    throw file.error(trailer.index_offset, "the index is damaged");
}

void read_metadata_chunks(const std::shared_ptr<MtrFile>& file) {
  Unpacker unpacker(file, file->metadata);
  std::string text;
  while (const ChunkEntry* chunk = unpacker.next(0))
    text.append(reinterpret_cast<const char*>(unpacker.raw()), chunk->raw_bytes);
  if (!read_metadata(text, file->info))
    throw file->error(sizeof(Header), "the metadata of the mtr file is damaged");
}

}  // namespace

bool is_mtr(std::string_view head) { return head.starts_with(magic); }

std::unique_ptr<Trace> open_mtr(const std::string& path) {
  const auto file = std::make_shared<MtrFile>(path);
  read_index(*file);
  read_metadata_chunks(file);
  return std::make_unique<MtrTrace>(file);
}

}  // namespace mesim
