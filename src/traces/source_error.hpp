// How a fault in the bytes of a trace is told.
#pragma once
#include <fmt/format.h>

#include <array>
#include <string_view>

#include "sim/error.hpp"
#include "traces/byte_source.hpp"

namespace mesim {

inline Error source_error(const std::string& path, const SourceFault& fault, std::uint64_t records_before) {
  return bad_input({path}, fmt::format("byte offset {} (compressed), after {} records: {}", fault.offset,
                                       records_before, fault.what));
}

// As ByteSource::read, with a fault turned into an Error of the file.
inline std::size_t read_or_fail(ByteSource& source, const std::string& path, char* to, std::size_t size,
                                std::uint64_t records_before) {
  try {
    return source.read(to, size);
  } catch (const SourceFault& fault) {
    throw source_error(path, fault, records_before);
  }
}

// Before content that makes no sense is blamed: in a compressed file it is most often damage that the
// checksum shows further on. Reads the rest and throws what it finds wrong with the compression.
inline void fail_if_damaged(ByteSource& source, const std::string& path, std::uint64_t records_before) {
  if (std::string_view(source.compression()) == "none") return;
  std::array<char, 1 << 14> rest;
  while (read_or_fail(source, path, rest.data(), rest.size(), records_before) != 0) {
  }
}

}  // namespace mesim
