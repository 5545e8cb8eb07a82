#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <limits>

#include "sim/error.hpp"
#include "traces/mtr_encoder.hpp"
#include "traces/mtr_metadata.hpp"
#include "traces/pending_file.hpp"
#include "traces/trace_writer.hpp"

namespace mesim {
namespace {

using namespace mtr;

// Larger chunks gain nothing, as a stream is compressed as a whole; smaller ones cost index and flushes.
constexpr std::size_t chunk_bytes = 128 << 10;
// About 2 MiB of memory a thread. Larger tables and higher levels gain 2 % on lackey traces and cost twice
// the time; a smaller window forgets the loops of long programs.
constexpr int compression_level = 9;
constexpr int window_log = 20;
constexpr int table_log = 16;

// One zstd stream, flushed chunk by chunk.
class Packer {
 public:
  Packer() : context_(ZSTD_createCCtx()) {
    if (!context_) throw std::bad_alloc();
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, compression_level);
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_windowLog, window_log);
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_hashLog, table_log);
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_chainLog, table_log);
  }

  // `parts` one after the other; the packed bytes are valid until the next call.
  std::string_view pack(std::initializer_list<std::string_view> parts) {
    packed_.clear();
    for (const std::string_view part : parts) run(part, ZSTD_e_continue);
    run({}, ZSTD_e_flush);
    return packed_;
  }

 private:
  void run(std::string_view part, ZSTD_EndDirective end) {
    ZSTD_inBuffer in{part.data(), part.size(), 0};
    for (std::size_t left = 1; left != 0;) {
      char block[1 << 14];
      ZSTD_outBuffer out{block, sizeof(block), 0};
      left = ZSTD_compressStream2(context_.get(), &out, &in, end);
      if (ZSTD_isError(left)) throw Error(Exit::internal, fmt::format("zstd: {}", ZSTD_getErrorName(left)));
      packed_.append(block, out.pos);
      if (end == ZSTD_e_continue) left = in.size - in.pos;
    }
  }

  struct Free {
    void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  };
  std::unique_ptr<ZSTD_CCtx, Free> context_;
  std::string packed_;
};

struct ThreadStream {
  Encoder encoder;
  Packer packer;
};

std::uint32_t checksum(std::string_view bytes) {
  return static_cast<std::uint32_t>(
      crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size())));
}

void sort_symbols(std::vector<Symbol>& symbols) {
  std::sort(symbols.begin(), symbols.end(), [](const Symbol& a, const Symbol& b) {
    return std::tie(a.address, a.size_bytes, a.name, a.origin) <
           std::tie(b.address, b.size_bytes, b.name, b.origin);
  });
}

}  // namespace

struct TraceWriter::State {
  State(const std::string& path, TraceHeader given) : header(std::move(given)), file(path) {
    Header head{};
    std::memcpy(head.magic, magic.data(), magic.size());
    head.version = version;
    write_struct(head);
  }

  void append(const Record& record) {
    if (record.thread != run_thread) {
      end_order_run();
      run_thread = record.thread;
      if (record.thread >= threads.size()) threads.resize(record.thread + std::size_t{1});
      if (!threads[record.thread]) threads[record.thread] = std::make_unique<ThreadStream>();
      stream = threads[record.thread].get();
    }
    ++run_records;
    ++records;
    stream->encoder.append(record);
    if (stream->encoder.bytes() >= chunk_bytes) write_thread_chunk(record.thread);
  }

  void end_order_run() {
    if (run_records == 0) return;
    put_number(order, run_thread);
    put_number(order, run_records);
    order_records += run_records;
    run_records = 0;
    if (order.size() >= chunk_bytes) write_order_chunk();
  }

  void write_thread_chunk(std::uint32_t thread) {
    ThreadStream& from = *threads[thread];
    const Encoder::Chunk chunk = from.encoder.finish();
    if (chunk.records == 0) return;
    write_chunk(thread, from.packer, chunk.control, chunk.addresses, chunk.records);
    from.encoder.start_chunk();
  }

  void write_order_chunk() {
    if (order.empty()) return;
    write_chunk(order_stream, order_packer, order, {}, order_records);
    order.clear();
    order_records = 0;
  }

  void write_chunk(std::uint32_t id, Packer& packer, std::string_view control, std::string_view addresses,
                   std::uint64_t count) {
    const std::string_view packed = packer.pack({control, addresses});
    ChunkEntry entry{};
    entry.offset = file.offset();
    entry.records = count;
    entry.stream = id;
    entry.packed_bytes = static_cast<std::uint32_t>(packed.size());
    entry.raw_bytes = static_cast<std::uint32_t>(control.size() + addresses.size());
    entry.control_bytes = static_cast<std::uint32_t>(control.size());
    entry.checksum = checksum(packed);
    index.push_back(entry);
    file.write(packed);
  }

  void close() {
    end_order_run();
    for (std::size_t t = 0; t < threads.size(); ++t)
      if (threads[t]) write_thread_chunk(static_cast<std::uint32_t>(t));
    header.threads = std::max({header.threads, static_cast<std::uint32_t>(threads.size()), 1U});
    if (header.threads > 1) write_order_chunk();
    sort_symbols(header.symbols);
    write_metadata();
    write_index();
    file.commit();
  }

  void write_metadata() {
    Packer packer;
    const std::string text = metadata_text(header);
    for (std::size_t at = 0; at < text.size(); at += most_chunk_bytes)
      write_chunk(metadata_stream, packer, std::string_view(text).substr(at, most_chunk_bytes), {}, 0);
  }

  void write_index() {
    const std::string_view bytes(reinterpret_cast<const char*>(index.data()),
                                 index.size() * sizeof(ChunkEntry));
    Trailer trailer{};
    trailer.index_offset = file.offset();
    trailer.records = records;
    trailer.chunks = static_cast<std::uint32_t>(index.size());
    trailer.index_checksum = checksum(bytes);
    trailer.threads = header.threads;
    trailer.checksum = checksum({reinterpret_cast<const char*>(&trailer), offsetof(Trailer, checksum)});
    std::memcpy(trailer.magic, end_magic.data(), end_magic.size());
    file.write(bytes);
    write_struct(trailer);
  }

  template <typename T>
  void write_struct(const T& value) {
    file.write({reinterpret_cast<const char*>(&value), sizeof(value)});
  }

  static constexpr std::uint32_t no_thread = std::numeric_limits<std::uint32_t>::max();

  TraceHeader header;
  PendingFile file;
  std::vector<ChunkEntry> index;
  std::vector<std::unique_ptr<ThreadStream>> threads;
  std::uint64_t records = 0;
  std::uint32_t run_thread = no_thread;
  ThreadStream* stream = nullptr;
  std::uint64_t run_records = 0;
  std::string order;
  std::uint64_t order_records = 0;
  Packer order_packer;
  bool closed = false;
};

TraceWriter::TraceWriter(const std::string& path, TraceHeader header)
    : state_(std::make_unique<State>(path, std::move(header))) {}

TraceWriter::~TraceWriter() = default;

TraceHeader& TraceWriter::header() { return state_->header; }

void TraceWriter::append(std::span<const Record> records) {
  for (const Record& record : records) state_->append(record);
}

void TraceWriter::close() {
  if (state_->closed) return;
  state_->close();
  state_->closed = true;
}

}  // namespace mesim
