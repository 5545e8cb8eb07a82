#include "app/sweep/folder_lock.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "sim/error.hpp"

namespace mesim {
namespace {

// Byte 0 is held by whoever answers for the folder, byte 1 is shared by the tasks.
struct flock range_of(FolderUse use) {
  struct flock lock {};
  lock.l_type = use == FolderUse::task ? F_RDLCK : F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = use == FolderUse::task ? 1 : 0;
  lock.l_len = use == FolderUse::sweep ? 2 : 1;
  return lock;
}

}  // namespace

// POSIX record locks: they belong to the process alone, so children do not keep them, and they reach over a
// network file system.
FolderLock::FolderLock(const std::string& folder, FolderUse use) {
  const std::string path = (std::filesystem::path(folder) / "lock").string();
  descriptor_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor_ < 0) throw file_error(path, "cannot be created", errno);
  struct flock lock = range_of(use);
  if (::fcntl(descriptor_, F_SETLK, &lock) == 0) return;
  const int why = errno;
  struct flock holder = lock;
  const bool known = ::fcntl(descriptor_, F_GETLK, &holder) == 0 && holder.l_type != F_UNLCK;
  ::close(descriptor_);
  if (why != EACCES && why != EAGAIN) throw file_error(path, "cannot be locked", why);
  throw bad_input({folder},
                  known ? fmt::format("another sweep works in it (process {}), expected none", holder.l_pid)
                        : std::string("another sweep works in it, expected none"));
}

FolderLock::~FolderLock() { ::close(descriptor_); }

}  // namespace mesim
