// Writing results so that a reader never sees half of one: a temporary name in the same folder, fsync,
// rename, fsync of the folder.
#pragma once
#include <string>
#include <string_view>

namespace mesim {

// Makes the folder (and its parents) and proves that a file can be written there; call it before a run, so
// that nothing is lost after it. Throws file_error.
void prepare_output_folder(const std::string& folder);

// A file that comes about piece by piece under a temporary name and takes its own at `keep`; without that it
// is removed. Whatever fails throws file_error naming what the user asked for, `called` or the path.
class OutputFile {
 public:
  explicit OutputFile(std::string path, std::string called = "");
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();
  void write(std::string_view text);
  void keep();

 private:
  std::string path_;
  std::string called_;
  std::string temporary_;
  int descriptor_ = -1;
  bool kept_ = false;
};

// Replaces `path` by a file with exactly this text, or throws file_error and leaves `path` as it was.
void write_whole_file(const std::string& path, std::string_view text);

}  // namespace mesim
