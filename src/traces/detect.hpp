// Which format a trace file has, from its first bytes.
#pragma once
#include <string>
#include <string_view>

#include "traces/file_format.hpp"

namespace mesim {

inline constexpr std::size_t detection_bytes = 64 << 10;

// `head`: the first detection_bytes of the file, decompressed, or all of it if it has fewer (`whole`).
// Text formats compete by how many of the first lines they can read; the one that gets furthest wins.
// `per_core`: the file is one of a folder of per-core files, so lines "0|1|2 number" are per-core-012, not
// din. Errors: Exit::bad_input if no format fits (naming what the file looks like: a tar archive, a git-LFS
// pointer, an empty file) or if two fit equally, with how to choose.
const FileFormat& detect_format(const std::string& path, std::string_view head, bool whole, bool per_core);

}  // namespace mesim
