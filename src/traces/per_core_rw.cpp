// Coursework form: one file pN.trace per processor, lines as printf("%c 0x%8x") writes them: short addresses
// are padded with blanks after "0x" ("r 0x  3c93a0"). From the snooping-bus projects of coherence courses.
#include "traces/file_format.hpp"
#include "traces/text_stream.hpp"

namespace mesim {
namespace {

struct PerCoreRw {
  const char* fast(const char*, Record&) { return nullptr; }

  LineResult slow(LineScanner& line, Record& record) {
    if (line.at_end()) return LineResult::skip();
    const char kind = line.peek();
    LineScanner at_kind = line;
    if (kind != 'r' && kind != 'w') return line.bad("r or w");
    line.accept(kind);
    if (!line.word_ends()) return at_kind.bad("r or w");
    line.skip_blanks();
    LineScanner at_address = line;
    if (!line.accept("0x")) return line.bad("an address that begins with 0x");
    line.skip_blanks();
    const auto address = line.number(16);
    if (!address || !line.word_ends()) return at_address.bad("a hexadecimal address of at most 64 bits");
    if (!line.at_end()) return line.bad("the end of the line");
    record.kind = kind == 'r' ? RecordKind::load : RecordKind::store;
    record.address = *address;
    record.size = 1;  // the format has no sizes
    return {};
  }
};

bool fits(std::string_view line) {
  Record record;
  LineScanner scanner(line);
  return PerCoreRw().slow(scanner, record).what != LineResult::What::bad;
}

}  // namespace

const FileFormat per_core_rw_format{
    "per-core-rw",
    "coursework text, one file per processor: r|w 0xADDRESS",
    fits,
    nullptr,
    [](std::unique_ptr<ByteSource> source, const std::string& path) -> std::unique_ptr<RecordStream> {
      return std::make_unique<TextStream<PerCoreRw>>(std::move(source), path);
    },
    false,
    no_sizes};

}  // namespace mesim
