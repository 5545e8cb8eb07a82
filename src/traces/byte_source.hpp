// The bytes of a trace file, decompressed on the way. The compression is known by its first bytes (magic
// number), never by the file's name. Sources of the formats: RFC 1952 (gzip), the .xz file format 1.1.0,
// RFC 8878 (zstd), bzip2; all four allow several members or frames one after the other.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace mesim {

// A fault in the compressed bytes. The reader of records turns it into an Error that also says how many
// records were read before.
struct SourceFault {
  std::uint64_t offset;  // in the file as stored
  std::string what;
};

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Up to `size` (> 0) bytes; fewer only at the end or before a fault; 0 at the end, and again at each later
  // call. Bytes decoded before a fault are delivered first. Throws SourceFault, or Error if reading fails.
  virtual std::size_t read(char* to, std::size_t size) = 0;
  // "none", "gzip", "xz", "zstd", "bzip2"
  virtual const char* compression() const = 0;
  virtual std::uint64_t stored_bytes() const = 0;  // size of the file
};

// Errors: Exit::io if the file cannot be opened or read, or is a folder.
std::unique_ptr<ByteSource> open_bytes(const std::string& path);

}  // namespace mesim
