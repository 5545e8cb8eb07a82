// Coursework form: one file per core, "0 address" = load, "1 address" = store, "2 N" = N cycles of
// computation, all numbers hexadecimal (the Benchmarks archives of multicore cache assignments, NAME_0.data
// and so on). The lines look like din, so a single file is read this way only when the format is named.
#include "traces/file_format.hpp"
#include "traces/text_stream.hpp"

namespace mesim {
namespace {

struct PerCore012 {
  const char* fast(const char*, Record&) { return nullptr; }

  LineResult slow(LineScanner& line, Record& record) {
    if (line.at_end()) return LineResult::skip();
    LineScanner at_label = line;
    const auto label = line.number(10);
    if (!label || *label > 2 || !line.word_ends())
      return at_label.bad("a label: 0 (load), 1 (store) or 2 (compute cycles)");
    line.skip_blanks();
    LineScanner at_value = line;
    const auto value = line.hex();
    if (!value || !line.word_ends()) return at_value.bad("a hexadecimal number of at most 64 bits");
    if (!line.at_end()) return line.bad("the end of the line");
    constexpr RecordKind kinds[] = {RecordKind::load, RecordKind::store, RecordKind::compute};
    record.kind = kinds[*label];
    record.address = *value;
    record.size = is_memory(record.kind) ? 1 : 0;  // the format has no sizes
    return {};
  }
};

bool fits(std::string_view line) {
  Record record;
  LineScanner scanner(line);
  return PerCore012().slow(scanner, record).what != LineResult::What::bad;
}

}  // namespace

const FileFormat per_core_012_format{
    "per-core-012",
    "coursework text, one file per core: 0|1|2 number = load, store, compute cycles",
    fits,
    nullptr,
    [](std::unique_ptr<ByteSource> source, const std::string& path) -> std::unique_ptr<RecordStream> {
      return std::make_unique<TextStream<PerCore012>>(std::move(source), path);
    },
    false,
    no_sizes};

}  // namespace mesim
