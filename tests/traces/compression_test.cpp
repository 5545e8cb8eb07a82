// Compressed traces: read whole, however many members they have; broken ones end with the byte offset and the
// number of records read, never with a crash, a hang or records that were not there.
#include <catch2/catch.hpp>

#include "sim/random.hpp"
#include "tests/traces/compress.hpp"
#include "tests/traces/trace_files.hpp"

namespace mesim::test {
namespace {

std::string lackey_text(int lines, std::uint64_t seed) {
  Random random(seed);
  std::string text;
  for (int i = 0; i < lines; ++i)
    text += i % 3 == 0 ? fmt::format("I  {:08x},4\n", 0x400000 + 4 * random.below(64))
                       : fmt::format(" L {:08x},8\n", 0x1fff000000 + 8 * random.below(4096));
  return text;
}

struct Outcome {
  std::vector<Record> records;
  std::string error;
  Exit status = Exit::ok;
};

Outcome read(const std::string& path, const std::string& format = "lackey") {
  Outcome outcome;
  try {
    const auto stream = open_trace(path, format)->merged();
    for (auto batch = stream->next(); !batch.empty(); batch = stream->next())
      outcome.records.insert(outcome.records.end(), batch.begin(), batch.end());
    CHECK(stream->next().empty());
  } catch (const Error& error) {
    outcome.error = error.what();
    outcome.status = error.status();
  }
  return outcome;
}

bool is_prefix(const std::vector<Record>& part, const std::vector<Record>& whole) {
  return part.size() <= whole.size() && std::equal(part.begin(), part.end(), whole.begin());
}

}  // namespace

TEST_CASE("compressed traces are known by their first bytes, not by their name") {
  const TemporaryFolder folder;
  const std::string text = lackey_text(30000, 1);
  const auto wanted = all(folder.file("plain.xz", text));
  REQUIRE(wanted.size() == 30000);
  for (const Compression& c : compressions) {
    const std::string path = folder.file("trace", c.compress(text));
    const auto trace = open_trace(path);
    CHECK(trace->info().compression == c.name);
    CHECK(trace->info().format == "lackey");
    CHECK(all(*trace->merged()) == wanted);
  }
}

TEST_CASE("several members or frames one after the other are read to the end") {
  const TemporaryFolder folder;
  const std::string a = lackey_text(5000, 1), b = lackey_text(7000, 2), c = lackey_text(1, 3);
  const auto wanted = all(folder.file("plain", a + b + c));
  for (const Compression& m : compressions) {
    // The cut may also lie inside a line.
    const std::string joined =
        m.compress(a) + m.compress(b.substr(0, 1001)) + m.compress(b.substr(1001)) + m.compress(c);
    CHECK(all(folder.file("trace", joined)) == wanted);
  }
}

TEST_CASE("what follows the last member and is none is an error") {
  const TemporaryFolder folder;
  const std::string text = lackey_text(100, 1);
  for (const Compression& c : compressions) {
    const std::string packed = c.compress(text);
    const Outcome outcome = read(folder.file("trace", packed + "hello, world"));
    CHECK(outcome.status == Exit::bad_input);
    CHECK(outcome.records.size() == 100);
    // xz looks at the 12 bytes of a stream header before it judges.
    const auto at = outcome.error.find("byte offset ");
    REQUIRE(at != std::string::npos);
    CHECK(std::stoull(outcome.error.substr(at + 12)) - packed.size() <= 12);
    CHECK(outcome.error.find("(compressed), after 100 records: ") != std::string::npos);
  }
  CHECK(read(folder.file("trace", gzip(text) + std::string(512, '\0'))).error.empty());  // padding of tapes
}

TEST_CASE("a compressed trace cut anywhere is an error with offset and records") {
  const TemporaryFolder folder;
  const std::string text = lackey_text(120, 4);
  const auto wanted = all(folder.file("plain", text));
  for (const Compression& c : compressions) {
    const std::string packed = c.compress(text);
    for (std::size_t size = 6; size < packed.size(); ++size) {
      const std::string path = folder.file("trace", packed.substr(0, size));
      const Outcome outcome = read(path);
      INFO(c.name << " cut at " << size << ": " << outcome.error);
      REQUIRE(outcome.status == Exit::bad_input);
      REQUIRE(is_prefix(outcome.records, wanted));
      REQUIRE(outcome.error.find("byte offset ") != std::string::npos);
      REQUIRE(outcome.error.find(fmt::format("after {} records", outcome.records.size())) !=
              std::string::npos);
    }
  }
}

TEST_CASE("a compressed trace with a flipped bit is an error, or reads as before") {
  const TemporaryFolder folder;
  Random random(5);
  const std::string text = lackey_text(600, 5);
  const auto wanted = all(folder.file("plain", text));
  for (const Compression& c : compressions) {
    const std::string packed = c.compress(text);
    for (int i = 0; i < 150; ++i) {
      std::string broken = packed;
      const std::size_t bit = random.below(8 * packed.size());
      broken[bit / 8] = static_cast<char>(broken[bit / 8] ^ (1 << bit % 8));
      const Outcome outcome = read(folder.file("trace", broken));
      INFO(c.name << " bit " << bit << ": " << outcome.error);
      // All of these four end a member with a checksum, so wrong data never passes; what was decoded before
      // the checksum is delivered, and the error follows.
      if (outcome.error.empty()) {
        REQUIRE(outcome.records == wanted);
      } else {
        REQUIRE(outcome.status == Exit::bad_input);
      }
    }
  }
}

TEST_CASE("a trace that is missing, a folder or a device is told as such") {
  const TemporaryFolder folder;
  const Outcome missing = read(folder.path("none"));
  CHECK(missing.status == Exit::io);
  CHECK(missing.error == folder.path("none") + ": cannot be opened: No such file or directory");
  CHECK(read("/dev/null").error == "/dev/null: is not a regular file");
}

}  // namespace mesim::test
