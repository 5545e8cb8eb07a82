// Writes records as the text of another tool: "lackey" or "din". What the text cannot say is left out and
// counted; records that have no place in it at all (synchronisation, computation, regions) are dropped.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "traces/pending_file.hpp"
#include "traces/record.hpp"

namespace mesim {

class TextWriter {
 public:
  // `format`: "lackey" or "din". The file gets its name at `close`. Errors: Exit::io; Exit::bad_input for
  // another format.
  TextWriter(const std::string& path, const std::string& format);

  void append(std::span<const Record> records);
  void close();

  // What was lost so far, one sentence each; empty if the text says everything.
  std::vector<std::string> losses() const;

 private:
  void put_lackey(const Record& record);
  void put_din(const Record& record);

  PendingFile file_;
  bool lackey_;
  std::string text_;
  std::uint64_t pc_ = 0;  // as a reader of the text will see it
  std::uint64_t dropped_ = 0, atomic_ = 0, sizes_ = 0, pcs_ = 0, threads_ = 0, gaps_ = 0, registers_ = 0;
};

}  // namespace mesim
