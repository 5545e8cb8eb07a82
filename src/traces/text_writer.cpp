#include "traces/text_writer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/error.hpp"

namespace mesim {

TextWriter::TextWriter(const std::string& path, const std::string& format)
    : file_(path), lackey_(format == "lackey") {
  if (!lackey_ && format != "din")
    throw Error(Exit::bad_input, fmt::format("cannot write traces as '{}', expected lackey or din", format));
}

void TextWriter::append(std::span<const Record> records) {
  for (const Record& record : records) {
    const bool has_place = record.kind == RecordKind::fetch || is_memory(record.kind);
    if (!has_place) {
      ++dropped_;
      continue;
    }
    threads_ += record.thread != 0;
    gaps_ += record.gap != 0;
    registers_ += record.flags != 0 || record.registers != decltype(record.registers){};
    atomic_ += record.kind >= RecordKind::atomic_load;
    lackey_ ? put_lackey(record) : put_din(record);
  }
  file_.write(text_);
  text_.clear();
}

void TextWriter::put_lackey(const Record& record) {
  const bool is_fetch = record.kind == RecordKind::fetch;
  if (is_fetch) pc_ = record.address;
  pcs_ += record.pc != pc_;
  const char* const head = is_fetch                                        ? "I  "
                           : is_read(record.kind) && is_write(record.kind) ? " M "
                           : is_read(record.kind)                          ? " L "
                                                                           : " S ";
  fmt::format_to(std::back_inserter(text_), "{}{:08x},{}\n", head, record.address, std::max(record.size, 1U));
}

// A modify is a read and a write of the same address.
void TextWriter::put_din(const Record& record) {
  const bool is_fetch = record.kind == RecordKind::fetch;
  sizes_ += record.size != 1;
  pcs_ += record.pc != (is_fetch ? record.address : 0);
  const auto put = [&](int label) {
    fmt::format_to(std::back_inserter(text_), "{} {:x}\n", label, record.address);
  };
  if (is_fetch) put(2);
  if (is_read(record.kind)) put(0);
  if (is_write(record.kind)) put(1);
}

void TextWriter::close() { file_.commit(); }

std::vector<std::string> TextWriter::losses() const {
  std::vector<std::string> said;
  const auto say = [&](std::uint64_t count, const char* what) {
    if (count != 0) said.push_back(fmt::format("{} {}", count, what));
  };
  say(dropped_, "records of synchronisation, computation or regions dropped");
  say(atomic_, "atomic references written as plain ones");
  say(threads_, "records of other threads than 0 written without their thread");
  say(sizes_, "sizes dropped");
  say(pcs_, "program counters dropped");
  say(gaps_, "gaps dropped");
  say(registers_, "records lose registers and branch flags");
  return said;
}

}  // namespace mesim
