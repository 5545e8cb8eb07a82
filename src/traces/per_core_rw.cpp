// Coursework form: one file pN.trace per processor, lines as printf("%c 0x%8x") writes them: short addresses
// are padded with blanks after "0x" ("r 0x  3c93a0"). From the snooping-bus projects of coherence courses.
#include "traces/file_format.hpp"
#include "traces/rw_line.hpp"
#include "traces/text_stream.hpp"

namespace mesim {
namespace {

struct PerCoreRw {
  const char* fast(const char*, Record&) { return nullptr; }

  LineResult slow(LineScanner& line, Record& record) {
    if (line.at_end()) return LineResult::skip();
    if (const LineResult kind = read_rw(line, record); kind.what == LineResult::What::bad) return kind;
    LineScanner at_address = line;
    if (!line.accept("0x")) return line.bad("an address that begins with 0x");
    line.skip_blanks();
    const auto address = line.number(16);
    return finish_rw(line, at_address, address, record);
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
