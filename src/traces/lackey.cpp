// The text of `valgrind --tool=lackey --trace-mem=yes` (Valgrind 3.19, lackey/lk_main.c): "I  addr,size",
// " L addr,size", " S addr,size", " M addr,size"; lines that begin with "==" are Valgrind's own. The data
// references of an instruction follow its I line.
#include "traces/file_format.hpp"
#include "traces/hex.hpp"
#include "traces/text_stream.hpp"

namespace mesim {
namespace {

constexpr std::uint8_t no_kind = 0xff;

constexpr std::array<std::uint8_t, 256> kinds = [] {
  std::array<std::uint8_t, 256> table{};
  table.fill(no_kind);
  table['I'] = static_cast<std::uint8_t>(RecordKind::fetch);
  table['L'] = static_cast<std::uint8_t>(RecordKind::load);
  table['S'] = static_cast<std::uint8_t>(RecordKind::store);
  table['M'] = static_cast<std::uint8_t>(RecordKind::modify);
  return table;
}();

class Lackey {
 public:
  const char* fast(const char* line, Record& record) {
    // One of the first two bytes is a blank, so their sum less a blank is the letter.
    const auto letter = static_cast<unsigned char>(line[0] + line[1] - ' ');
    const std::uint8_t kind = kinds[letter];
    const bool is_fetch = line[0] == 'I';
    if (kind == no_kind || is_fetch != (kind == 0) || line[2] != ' ') return nullptr;
    const HexField address = hex_at(line + 3);
    const char* const comma = line + 3 + address.digits;
    if (address.digits == 0 || comma[0] != ',') return nullptr;
    auto size = static_cast<unsigned char>(comma[1] - '0');
    const char* rest = comma + 2;
    if (size - 1U > 8U) return nullptr;
    if (*rest != '\n') {  // sizes of two digits: vector registers
      const auto digit = static_cast<unsigned char>(*rest - '0');
      if (digit > 9 || rest[1] != '\n') return nullptr;
      size = static_cast<unsigned char>(size * 10 + digit);
      ++rest;
    }
    pc_ = is_fetch ? address.value : pc_;
    record = Record{};
    record.address = address.value;
    record.pc = pc_;
    record.size = size;
    record.kind = static_cast<RecordKind>(kind);
    return rest + 1;
  }

  LineResult slow(LineScanner& line, Record& record) {
    if (line.at_end() || line.accept("==")) return LineResult::skip();
    const std::uint8_t kind = kinds[static_cast<unsigned char>(line.peek())];
    if (kind == no_kind)
      return line.bad("I, L, S or M (a reference of lackey) or a line that begins with ==");
    LineScanner at_kind = line;
    line.accept(line.peek());
    if (!line.word_ends())
      return at_kind.bad("I, L, S or M (a reference of lackey) or a line that begins with ==");
    line.skip_blanks();
    const auto address = line.number(16);
    if (!address) return line.bad("a hexadecimal address of at most 64 bits");
    if (!line.accept(',')) return line.bad("',' and a size");
    LineScanner at_size = line;
    const auto size = line.number(10);
    if (!size || *size == 0 || *size > 65536) return at_size.bad("a size of 1 to 65536 bytes");
    if (!line.at_end()) return line.bad("the end of the line");
    record.kind = static_cast<RecordKind>(kind);
    record.address = *address;
    record.size = static_cast<std::uint32_t>(*size);
    if (record.kind == RecordKind::fetch) pc_ = *address;
    record.pc = pc_;
    return {};
  }

 private:
  std::uint64_t pc_ = 0;
};

bool fits(std::string_view line) {
  Record record;
  LineScanner scanner(line);
  return Lackey().slow(scanner, record).what != LineResult::What::bad;
}

}  // namespace

static_assert(static_cast<int>(RecordKind::fetch) == 0);

const FileFormat lackey_format{
    "lackey",
    "text of valgrind --tool=lackey --trace-mem=yes",
    fits,
    nullptr,
    [](std::unique_ptr<ByteSource> source, const std::string& path) -> std::unique_ptr<RecordStream> {
      return std::make_unique<TextStream<Lackey>>(std::move(source), path);
    },
    false,
    nullptr};

}  // namespace mesim
