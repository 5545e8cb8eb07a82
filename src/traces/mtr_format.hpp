// mesim's own trace format, .mtr, version 1. All numbers are little endian.
//
//   header     magic, version
//   chunks     compressed bytes, one after the other
//   index      one ChunkEntry per chunk
//   trailer    where the index is, its checksum, magic
//
// Each thread is a stream of its own, so that it can be read without the others; a stream is cut into chunks
// and compressed as one zstd stream that is flushed at each chunk. One more stream, present when there are
// several threads, holds their merged order as runs (thread, count) of LEB128 numbers; one chunk holds the
// metadata as JSON. A file without trailer was not closed by its writer.
//
// A thread's records are coded as their difference from a prediction. A *site* is everything of a record but
// its address (for wait and signal: but its address and size); it remembers its last address, a stride and
// which site came next. As long as the next record is of the site that came next, at the last address plus
// stride, it is only counted. The control bytes are
//     run (LEB128)  event  [site number]  [definition]  [size]     run  event ...
// where the event byte says what the next record is and which parts follow (see Event), and the address
// bytes, after the control bytes in the same chunk, hold differences of addresses in 1, 2, 4 or 8 bytes,
// zigzag. The writer decides when strides and successors change, so the reader holds no policy. The predictor
// is that of value-predicting trace compressors (Burtscher, "VPC3", 2004), with a site dictionary in place of
// hash tables.
#pragma once
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace mesim::mtr {

static_assert(std::endian::native == std::endian::little);

inline constexpr std::string_view magic("\x89MTR\r\n\x1a\n", 8);
inline constexpr std::string_view end_magic("MTR-end\n", 8);
inline constexpr std::uint32_t version = 1;

struct Header {
  char magic[8];
  std::uint32_t version;
  std::uint32_t reserved;
};
static_assert(sizeof(Header) == 16);

inline constexpr std::uint32_t order_stream = 0xffffffff;
inline constexpr std::uint32_t metadata_stream = 0xfffffffe;

struct ChunkEntry {
  std::uint64_t offset;         // in the file
  std::uint64_t records;        // of the thread; of all threads in the order stream
  std::uint32_t stream;         // thread, or one of the two above
  std::uint32_t packed_bytes;   // in the file
  std::uint32_t raw_bytes;      // decompressed
  std::uint32_t control_bytes;  // of the raw bytes; the rest are addresses
  std::uint32_t checksum;       // CRC-32 of the packed bytes
  std::uint32_t reserved;
};
static_assert(sizeof(ChunkEntry) == 40);

struct Trailer {
  std::uint64_t index_offset;
  std::uint64_t records;
  std::uint32_t chunks;
  std::uint32_t index_checksum;
  std::uint32_t threads;
  std::uint32_t checksum;  // CRC-32 of the trailer before this
  char magic[8];
};
static_assert(sizeof(Trailer) == 40);

// The event byte.
namespace event {
inline constexpr unsigned site_mask = 3;       // which site:
inline constexpr unsigned site_predicted = 0;  //   the one that came next
inline constexpr unsigned site_numbered = 1;   //   a known one: zigzag LEB128 difference of numbers follows
inline constexpr unsigned site_defined = 2;    //   a new one: its definition follows
inline constexpr unsigned link = 4;            // from now on it comes next after the previous record's site
inline constexpr unsigned address_mask = 3 << 3;
inline constexpr unsigned address_predicted = 0 << 3;
inline constexpr unsigned address_jump = 1 << 3;      // prediction + difference
inline constexpr unsigned address_restride = 2 << 3;  // the same, and the difference is added to the stride
inline constexpr unsigned address_is_pc = 3 << 3;     // of a new site
inline constexpr unsigned resize = 1 << 5;  // zigzag LEB128 difference of size follows, kept by the site
inline constexpr unsigned width_shift = 6;  // the difference has 1 << (event >> 6) bytes
}  // namespace event

// The first byte of a definition; then size (LEB128), and what the bits announce, in this order.
namespace definition {
inline constexpr unsigned kind_mask = 15;
inline constexpr unsigned pc =
    16;  // zigzag LEB128 difference from the previous record's pc; else the same pc
inline constexpr unsigned gap = 32;   // LEB128; else 0
inline constexpr unsigned core = 64;  // flags and six registers; else 0
}  // namespace definition

inline constexpr std::uint32_t most_sites = 1 << 16;  // then the oldest number is used again
inline constexpr std::uint32_t most_threads = 1 << 16;
inline constexpr std::uint32_t most_chunk_bytes = 1 << 26;  // a reader refuses to allocate more
// Decoders may read this far past the control and address bytes.
inline constexpr std::size_t margin_bytes = 16;

constexpr std::uint64_t zigzag(std::uint64_t difference) {
  return (difference << 1) ^ (0 - (difference >> 63));
}
constexpr std::uint64_t unzigzag(std::uint64_t code) { return (code >> 1) ^ (0 - (code & 1)); }

}  // namespace mesim::mtr
