// Coursework form: one file in global order, "processor r|w address" with the address in hexadecimal; from
// the SMP cache assignments that replay canneal of PARSEC.
#include "traces/file_format.hpp"
#include "traces/rw_line.hpp"
#include "traces/text_stream.hpp"

namespace mesim {
namespace {

struct ProcRw {
  const char* fast(const char*, Record&) { return nullptr; }

  LineResult slow(LineScanner& line, Record& record) {
    if (line.at_end()) return LineResult::skip();
    LineScanner at_processor = line;
    const auto processor = line.number(10);
    if (!processor || *processor >= max_processors || !line.word_ends())
      return at_processor.bad("a processor number, 0 to 4095");
    line.skip_blanks();
    if (const LineResult kind = read_rw(line, record); kind.what == LineResult::What::bad) return kind;
    LineScanner at_address = line;
    const auto address = line.hex();
    record.thread = static_cast<std::uint16_t>(*processor);
    return finish_rw(line, at_address, address, record);
  }

  static constexpr std::uint64_t max_processors = 4096;
};

bool fits(std::string_view line) {
  Record record;
  LineScanner scanner(line);
  return ProcRw().slow(scanner, record).what != LineResult::What::bad;
}

}  // namespace

const FileFormat proc_rw_format{
    "proc-rw",
    "coursework text in global order: processor r|w address",
    fits,
    nullptr,
    [](std::unique_ptr<ByteSource> source, const std::string& path) -> std::unique_ptr<RecordStream> {
      return std::make_unique<TextStream<ProcRw>>(std::move(source), path);
    },
    true,
    no_sizes};

}  // namespace mesim
