// One sweep at a time in a folder: a lock on DIR/lock that the system drops when its holder ends, however it
// ends.
#pragma once
#include <string>

namespace mesim {

class FolderLock {
 public:
  // Throws bad_input naming the process that holds the folder, file_error if there can be no lock.
  explicit FolderLock(const std::string& folder);
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  ~FolderLock();

 private:
  int descriptor_ = -1;
};

}  // namespace mesim
