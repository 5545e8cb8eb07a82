#include "sim/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "sim/error.hpp"

namespace mesim {
namespace {

namespace fs = std::filesystem;

std::string folder_of(const std::string& path) {
  const std::string parent = fs::path(path).parent_path().string();
  return parent.empty() ? "." : parent;
}

// The rename itself survives a crash only once the folder is on disk; not every file system can do it.
void sync_folder(const std::string& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

std::string temporary_name(const std::string& path) { return fmt::format("{}.tmp.{}", path, ::getpid()); }

}  // namespace

OutputFile::OutputFile(std::string path, std::string called)
    : path_(std::move(path)),
      called_(called.empty() ? path_ : std::move(called)),
      temporary_(temporary_name(path_)) {
  descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (descriptor_ < 0) throw file_error(called_, "cannot be created", errno);
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!kept_) ::unlink(temporary_.c_str());
}

void OutputFile::write(std::string_view text) {
  while (!text.empty()) {
    const ssize_t done = ::write(descriptor_, text.data(), text.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) throw file_error(called_, "cannot be written", errno);
    text.remove_prefix(static_cast<std::size_t>(done));
  }
}

void OutputFile::keep() {
  if (::fsync(descriptor_) != 0) throw file_error(called_, "cannot be written to disk", errno);
  const int closed = ::close(descriptor_);
  descriptor_ = -1;
  if (closed != 0) throw file_error(called_, "cannot be closed", errno);
  if (::rename(temporary_.c_str(), path_.c_str()) != 0)
    throw file_error(called_, "cannot be replaced", errno);
  kept_ = true;
  sync_folder(folder_of(path_));
}

void prepare_output_folder(const std::string& folder) {
  std::error_code failure;
  fs::create_directories(folder, failure);
  if (!fs::is_directory(folder)) {
    throw file_error(folder, "the output folder cannot be made", failure ? failure.value() : ENOTDIR);
  }
  OutputFile probe((fs::path(folder) / "probe").string(), folder);
  probe.write("mesim\n");
}

void write_whole_file(const std::string& path, std::string_view text) {
  OutputFile file(path);
  file.write(text);
  file.keep();
}

}  // namespace mesim
