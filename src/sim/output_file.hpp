// Writing results so that a reader never sees half of one: a temporary name in the same folder, fsync,
// rename, fsync of the folder.
#pragma once
#include <string>
#include <string_view>

namespace mesim {

// Makes the folder (and its parents) and proves that a file can be written there; call it before a run, so
// that nothing is lost after it. Throws file_error.
void prepare_output_folder(const std::string& folder);

// Replaces `path` by a file with exactly this text, or throws file_error and leaves `path` as it was.
void write_whole_file(const std::string& path, std::string_view text);

}  // namespace mesim
