// Damaged files of every format: an Error with a message of one line, or records; nothing else, and soon.
#include <catch2/catch.hpp>
#include <cctype>

#include "sim/random.hpp"
#include "tests/traces/trace_files.hpp"
#include "traces/trace_summary.hpp"
#include "traces/trace_writer.hpp"

namespace mesim::test {
namespace {

// Flips, copies, cuts and inserts what text traces and numbers are made of.
std::string mutated(std::string bytes, Random& random) {
  static const std::string pieces[] = {
      "\n", " ",  ",",  "0x", "ffffffffffffffffff", "==", "I  ", " L ", "r", "9",
      "\r", "-1", "2 ", "\t", std::string(1, '\0'), "g",  "0,",  "w 0x"};
  for (std::uint64_t n = 1 + random.below(4); n > 0; --n) {
    const std::size_t at = random.below(bytes.size() + 1);
    const std::size_t span = random.below(std::min<std::size_t>(bytes.size() - at, 40) + 1);
    switch (random.below(5)) {
      case 0:
        if (at < bytes.size()) bytes[at] = static_cast<char>(bytes[at] ^ (1 << random.below(8)));
        break;
      case 1:
        bytes.erase(at, span);
        break;
      case 2:
        bytes.insert(at, pieces[random.below(std::size(pieces))]);
        break;
      case 3:
        bytes.insert(at, bytes.substr(random.below(bytes.size() + 1), span));
        break;
      case 4:
        if (random.chance(0.2)) bytes.resize(at);
        break;
    }
  }
  return bytes;
}

void read_or_error(const std::string& path, const std::string& format) {
  try {
    const auto trace = open_trace(path, format);
    std::uint64_t merged = 0, by_thread = 0;
    const auto count = [](RecordStream& stream, std::uint64_t& records) {
      for (auto batch = stream.next(); !batch.empty(); batch = stream.next()) {
        for (const Record& r : batch) REQUIRE(r.kind <= RecordKind::region_end);
        records += batch.size();
      }
    };
    count(*trace->merged(), merged);
    for (std::uint32_t t = 0; t < std::min(trace->info().threads, 8U); ++t)
      count(*trace->thread(t), by_thread);
    if (trace->info().threads <= 8) REQUIRE(by_thread == merged);
  } catch (const Error& error) {
    const std::string message = error.what();
    REQUIRE((error.status() == Exit::bad_input || error.status() == Exit::io));
    REQUIRE(message.starts_with(path));
    for (const char c : message) REQUIRE(static_cast<unsigned char>(c) >= ' ');
  }
}

std::vector<Record> sample_records() {
  std::vector<Record> records;
  for (unsigned i = 0; i < 100; ++i) {
    records.push_back(
        record(RecordKind::fetch, 0x400000 + 4 * (i % 20), 4, 0x400000 + 4 * (i % 20), i / 7 % 2));
    records.push_back(record(RecordKind::load, 0x7000 + i * i, 8, 0x400000 + 4 * (i % 20), i / 7 % 2));
  }
  return records;
}

}  // namespace

TEST_CASE("damaged text traces end in an error or in records") {
  const TemporaryFolder folder;
  Random random(11);
  const std::pair<const char*, const char*> seeds[] = {
      {"lackey", "==1== x\nI  0401ab70,3\n S 1fff0005d8,8\n M 10,16\nI  00000040,5\n L 20,4\n"},
      {"din", "0 1000\n1 0x1f40 4 extra\n2 ffffffffffffffff\n"},
      {"proc-rw", "0 r a1663dc4\n3 w 10\n1 w 0x20\n"},
      {"per-core-rw", "r 0x5e7ddf60\nw 0x  3c93a0\n"},
      {"per-core-012", "0 0x817ae8\n2 c\n1 817af0\n"},
      {"auto", "I  0401ab70,3\n S 1fff0005d8,8\n"},
      {"auto", "0 r a1663dc4\n"},
      {"champsim", "0123456789012345678901234567890123456789012345678901234567890123"},
      {"champsim-cloudsuite",
       "012345678901234567890123456789012345678901234567890123456789012345678901234567890123456"},
  };
  for (const auto& [format, seed] : seeds)
    for (int i = 0; i < 250; ++i) read_or_error(folder.file("t", mutated(seed, random)), format);
}

TEST_CASE("an mtr file cut anywhere or with any byte changed is an error") {
  const TemporaryFolder folder;
  TraceHeader header;
  header.notes = {"a note"};
  header.symbols = {{0x7000, 64, "x", "a.c:1"}};
  TraceWriter writer(folder.path("whole"), header);
  writer.append(sample_records());
  writer.close();
  const std::string whole = bytes_of(folder.path("whole"));
  const auto error_of = [&](const std::string& bytes) {
    const std::string path = folder.file("t", bytes);
    return message_of([&] {
      const auto trace = open_trace(path, "mtr");
      all(*trace->merged());
      for (std::uint32_t t = 0; t < trace->info().threads; ++t) all(*trace->thread(t));
    });
  };
  CHECK(error_of(whole).empty());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    INFO("cut at " << size);
    REQUIRE(error_of(whole.substr(0, size)).find("byte offset ") != std::string::npos);
  }
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ 1 << at % 8);
    INFO("byte " << at << " has a bit flipped");
    REQUIRE_FALSE(error_of(bytes).empty());
  }
}

TEST_CASE("damaged mtr files end in an error or in records") {
  const TemporaryFolder folder;
  TraceWriter writer(folder.path("whole"), {});
  writer.append(sample_records());
  writer.close();
  const std::string whole = bytes_of(folder.path("whole"));
  Random random(12);
  for (int i = 0; i < 500; ++i) read_or_error(folder.file("t", mutated(whole, random)), "mtr");
}

}  // namespace mesim::test
