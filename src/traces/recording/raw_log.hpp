// Reads the raw log of one thread, as the recorder wrote it.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "traces/recorder/raw_event.hpp"

namespace mesim {

struct RawItem {
  recorder::RawKind kind = recorder::RawKind::none;
  std::uint32_t size = 0;
  std::uint64_t address = 0;
  std::uint64_t pc = 0;
  std::uint64_t detail = 0;
  std::uint64_t detail2 = 0;
};

class RawLog {
 public:
  explicit RawLog(const std::string& path);
  RawLog(const RawLog&) = delete;
  RawLog& operator=(const RawLog&) = delete;
  ~RawLog();

  // False at the end.
  bool next(RawItem& item);
  void rewind() { at_ = 0; }

 private:
  const recorder::RawEvent* events_ = nullptr;
  std::size_t count_ = 0;
  std::size_t at_ = 0;
};

// The raw logs of a folder, by thread.
std::vector<std::string> raw_logs(const std::string& folder);

}  // namespace mesim
