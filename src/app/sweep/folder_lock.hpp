// Who works in a sweep's folder: a lock on DIR/lock that the system drops when its holder ends, however it
// ends.
#pragma once
#include <cstdint>
#include <string>

namespace mesim {

enum class FolderUse : std::uint8_t {
  sweep,  // runs points by itself: excludes everybody
  watch,  // submitted tasks and waits for them: excludes sweeps and others who watch
  task,   // one of those tasks: excludes sweeps only
};

class FolderLock {
 public:
  // Throws bad_input naming the process that holds the folder, file_error if there can be no lock.
  FolderLock(const std::string& folder, FolderUse use);
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  ~FolderLock();

 private:
  int descriptor_ = -1;
};

}  // namespace mesim
