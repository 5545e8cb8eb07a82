// "din" text of Dinero III and IV (Edler and Hill): a label 0 = read, 1 = write, 2 = instruction fetch, then
// a hexadecimal address; what follows on the line is ignored, as Dinero IV does. The format has no sizes: a
// reference touches the byte it names.
#include "traces/file_format.hpp"
#include "traces/hex.hpp"
#include "traces/text_stream.hpp"

namespace mesim {
namespace {

Record reference(std::uint64_t label, std::uint64_t address) {
  constexpr RecordKind kinds[] = {RecordKind::load, RecordKind::store, RecordKind::fetch};
  Record record;
  record.kind = kinds[label];
  record.address = address;
  record.pc = record.kind == RecordKind::fetch ? address : 0;
  record.size = 1;
  return record;
}

struct Din {
  const char* fast(const char* line, Record& record) {
    const auto label = static_cast<unsigned char>(line[0] - '0');
    if (label > 2 || line[1] != ' ') return nullptr;
    const HexField address = hex_at(line + 2);
    const char* const stop = line + 2 + address.digits;
    if (address.digits == 0 || *stop != '\n') return nullptr;
    record = reference(label, address.value);
    return stop + 1;
  }

  LineResult slow(LineScanner& line, Record& record) {
    if (line.at_end()) return LineResult::skip();
    LineScanner at_label = line;
    const auto label = line.number(10);
    if (!label || *label > 2 || !line.word_ends())
      return at_label.bad("a label: 0 (read), 1 (write) or 2 (fetch)");
    line.skip_blanks();
    LineScanner at_address = line;
    const auto address = line.hex();
    if (!address || !line.word_ends()) return at_address.bad("a hexadecimal address of at most 64 bits");
    record = reference(*label, *address);
    return {};
  }
};

bool fits(std::string_view line) {
  Record record;
  LineScanner scanner(line);
  return Din().slow(scanner, record).what != LineResult::What::bad;
}

}  // namespace

const FileFormat din_format{
    "din",
    "Dinero text: 0|1|2 address = read, write, fetch",
    fits,
    nullptr,
    [](std::unique_ptr<ByteSource> source, const std::string& path) -> std::unique_ptr<RecordStream> {
      return std::make_unique<TextStream<Din>>(std::move(source), path);
    },
    false,
    no_sizes};

}  // namespace mesim
