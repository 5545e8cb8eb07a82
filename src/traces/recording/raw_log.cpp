#include "traces/recording/raw_log.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "sim/error.hpp"

namespace mesim {

using recorder::RawEvent;
using recorder::RawKind;

RawLog::RawLog(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) throw file_error(path, "cannot open", errno);
  struct stat status {};
  fstat(file, &status);
  const auto bytes = static_cast<std::size_t>(status.st_size);
  void* const at = bytes == 0 ? nullptr : mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file, 0);
  const int problem = errno;
  close(file);
  if (at == MAP_FAILED) throw file_error(path, "cannot map", problem);
  events_ = static_cast<const RawEvent*>(at);
  count_ = bytes / sizeof(RawEvent);
}

RawLog::~RawLog() {
  if (events_ != nullptr) munmap(const_cast<RawEvent*>(events_), count_ * sizeof(RawEvent));
}

bool RawLog::next(RawItem& item) {
  if (at_ >= count_) return false;
  const RawEvent& event = events_[at_];
  item.kind = static_cast<RawKind>(event.word >> 56);
  if (item.kind == RawKind::none) return false;
  const bool detailed = has_detail(item.kind);
  if (detailed && at_ + 1 >= count_) return false;
  item.size = event.word >> 48 & 0xff;
  item.address = event.address;
  item.pc = event.word & recorder::pc_mask;
  item.detail = detailed ? events_[at_ + 1].address : 0;
  item.detail2 = detailed ? events_[at_ + 1].word : 0;
  at_ += detailed ? 2 : 1;
  return true;
}

std::vector<std::string> raw_logs(const std::string& folder) {
  std::vector<std::string> paths;
  for (;;) {
    auto path = fmt::format("{}/{:05}.raw", folder, paths.size());
    if (!std::filesystem::exists(path)) return paths;
    paths.push_back(std::move(path));
  }
}

}  // namespace mesim
