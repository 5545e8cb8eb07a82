// Lackey text against a reader that is obviously right.
#include <catch2/catch.hpp>
#include <sstream>

#include "sim/random.hpp"
#include "tests/shared_data.hpp"
#include "tests/traces/trace_files.hpp"

namespace mesim::test {
namespace {

std::vector<Record> slow_lackey(const std::string& text) {
  std::vector<Record> records;
  std::istringstream lines(text);
  std::uint64_t pc = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("==")) continue;
    std::istringstream words(line);
    char kind, comma;
    Record r;
    words >> kind >> std::hex >> r.address >> comma >> std::dec >> r.size;
    r.kind = kind == 'I'   ? RecordKind::fetch
             : kind == 'L' ? RecordKind::load
             : kind == 'S' ? RecordKind::store
                           : RecordKind::modify;
    if (kind == 'I') pc = r.address;
    r.pc = pc;
    records.push_back(r);
  }
  return records;
}

std::string random_lackey(Random& random, int lines) {
  std::string text = "==7== Lackey, an example Valgrind tool\n";
  for (int i = 0; i < lines; ++i) {
    const char* const kinds[] = {"I  ", " L ", " S ", " M "};
    const std::uint64_t address = random.next() >> random.below(64);
    text += fmt::format("{}{:0{}x},{}\n", kinds[random.below(4)], address, random.chance(0.5) ? 8 : 1,
                        1 + random.below(random.chance(0.1) ? 512 : 16));
    if (random.chance(0.01)) text += "==7== \n";
  }
  return text;
}

}  // namespace

TEST_CASE("lackey text is read as a plain reader reads it") {
  const TemporaryFolder folder;
  Random random(1);
  const std::string text = random_lackey(random, 40000);  // several blocks
  CHECK(all(folder.file("a", text)) == slow_lackey(text));
  CHECK(all(folder.file("b", text.substr(0, text.size() - 1))) ==
        slow_lackey(text));  // no line end at the end
}

TEST_CASE("lackey: data references carry the pc of their instruction") {
  const TemporaryFolder folder;
  const auto records =
      all(folder.file("a", "I  0401ab70,3\n S 1fff0005d8,8\n M 10,16\r\nI  00000040,5\n L 20,4"));
  const auto r = [](RecordKind kind, std::uint64_t address, std::uint32_t size, std::uint64_t pc) {
    return record(kind, address, size, pc);
  };
  CHECK(records == std::vector<Record>{r(RecordKind::fetch, 0x401ab70, 3, 0x401ab70),
                                       r(RecordKind::store, 0x1fff0005d8, 8, 0x401ab70),
                                       r(RecordKind::modify, 0x10, 16, 0x401ab70),
                                       r(RecordKind::fetch, 0x40, 5, 0x40),
                                       r(RecordKind::load, 0x20, 4, 0x40)});
}

TEST_CASE("lackey: a bad line is told with its place and token, after the good ones") {
  const TemporaryFolder folder;
  const auto error_of = [&](const std::string& line) {
    const std::string path = folder.file("t", "I  00000040,5\n" + line + "\n");
    const auto stream = open_trace(path)->merged();
    CHECK(stream->next().size() == 1);
    const std::string message = message_of([&] { stream->next(); });
    return message.starts_with(path) ? message.substr(path.size()) : message;
  };
  CHECK(error_of(" L 12g4,8") == ":2:6: found 'g4,8', expected ',' and a size");
  CHECK(error_of(" X 1234,8") ==
        ":2:2: found 'X', expected I, L, S or M (a reference of lackey) or a line that "
        "begins with ==");
  CHECK(error_of(" L 123456789abcdef01,8") ==
        ":2:4: found '123456789abcdef01,8', expected a hexadecimal address of at most 64 bits");
  CHECK(error_of(" L 1234,0") == ":2:9: found '0', expected a size of 1 to 65536 bytes");
  CHECK(error_of(" L 1234,").starts_with(":2:9: found the end of the line, expected a size"));
  CHECK(error_of(" L 1234,8 x") == ":2:11: found 'x', expected the end of the line");
  CHECK(error_of(" L \x01,8").starts_with(":2:4: found '\\x01,8', expected a hexadecimal address"));
}

TEST_CASE("lackey: the traces of three programs have the records they should") {
  const std::pair<const char*, std::uint64_t> traces[] = {
      {"mm_64", 2896414}, {"mmt_64_16", 3100497}, {"stream_16384_4", 1620829}};
  for (const auto& [name, wanted] : traces) {
    const auto file = shared_data(fmt::format("traces/{}.lackey.xz", name));
    if (!file) return;
    const auto trace = open_trace(*file);
    CHECK(trace->info().format == "lackey");
    CHECK(trace->info().compression == "xz");
    const auto stream = trace->merged();
    std::uint64_t records = 0;
    for (auto batch = stream->next(); !batch.empty(); batch = stream->next()) records += batch.size();
    CHECK(records == wanted);
  }
}

}  // namespace mesim::test
