// What both coursework forms with r and w have in common: the word, and what follows the address.
#pragma once
#include "traces/line_scanner.hpp"

namespace mesim {

// "r " or "w " and the blanks behind it, into record.kind.
inline LineResult read_rw(LineScanner& line, Record& record) {
  const char kind = line.peek();
  LineScanner at_kind = line;
  if (kind != 'r' && kind != 'w') return line.bad("r or w");
  line.accept(kind);
  if (!line.word_ends()) return at_kind.bad("r or w");
  line.skip_blanks();
  record.kind = kind == 'r' ? RecordKind::load : RecordKind::store;
  return {};
}

// The address that began at `at_address`, the end of its line.
inline LineResult finish_rw(LineScanner& line, LineScanner at_address, std::optional<std::uint64_t> address,
                            Record& record) {
  if (!address || !line.word_ends()) return at_address.bad("a hexadecimal address of at most 64 bits");
  if (!line.at_end()) return line.bad("the end of the line");
  record.address = *address;
  record.size = 1;  // the forms have no sizes
  return {};
}

}  // namespace mesim
