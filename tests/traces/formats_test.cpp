// The formats of others beside lackey, each on a few lines whose records are written out here.
#include <catch2/catch.hpp>
#include <cstring>

#include "tests/shared_data.hpp"
#include "tests/traces/trace_files.hpp"

namespace mesim::test {
namespace {

constexpr auto fetch = RecordKind::fetch;
constexpr auto load = RecordKind::load;
constexpr auto store = RecordKind::store;

// One instruction as ChampSim lays it out, byte by byte.
std::string instruction(std::uint64_t ip, int branch, int taken, std::vector<int> destinations,
                        std::vector<int> sources, std::vector<std::uint64_t> written,
                        std::vector<std::uint64_t> read, std::size_t wide) {
  destinations.resize(wide);
  sources.resize(4);
  written.resize(wide);
  read.resize(4);
  std::string bytes;
  const auto put64 = [&](std::uint64_t value) {
    for (int i = 0; i < 8; ++i) bytes += static_cast<char>(value >> 8 * i);
  };
  put64(ip);
  bytes += static_cast<char>(branch);
  bytes += static_cast<char>(taken);
  for (const int r : destinations) bytes += static_cast<char>(r);
  for (const int r : sources) bytes += static_cast<char>(r);
  while (bytes.size() % 8 != 0) bytes += '\0';
  for (const auto address : written) put64(address);
  for (const auto address : read) put64(address);
  if (wide == 4) bytes += std::string(8, '\1');  // address space, padding
  return bytes;
}

}  // namespace

TEST_CASE("din: labels, addresses with and without 0x, extra fields") {
  const TemporaryFolder folder;
  const auto records =
      all(folder.file("t", "0 1000\n1\t0x1F40 4 extra\n\n2 ffffffffffffffff\r\n  0   8"), "din");
  CHECK(records == std::vector<Record>{record(load, 0x1000, 1), record(store, 0x1f40, 1),
                                       record(fetch, ~0ULL, 1, ~0ULL), record(load, 8, 1)});
}

TEST_CASE("ChampSim: an instruction is a fetch, its loads and its stores") {
  const TemporaryFolder folder;
  const std::string bytes =
      instruction(0x400000, 0, 0, {10, 0}, {13, 1, 0, 2}, {0x2000, 0}, {0x1000, 0, 0x1008, 0}, 2) +
      instruction(0x400004, 1, 1, {26, 0}, {26, 25, 0, 0}, {}, {}, 2);
  auto first = record(fetch, 0x400000, 1, 0x400000);
  first.registers = {10, 0, 13, 1, 0, 2};
  auto branch = record(fetch, 0x400004, 1, 0x400004);
  branch.registers = {26, 0, 26, 25, 0, 0};
  branch.flags = flag_branch | flag_taken;
  const std::vector<Record> wanted{first, record(load, 0x1000, 1, 0x400000),
                                   record(load, 0x1008, 1, 0x400000), record(store, 0x2000, 1, 0x400000),
                                   branch};
  const std::string path = folder.file("t", bytes);
  CHECK(open_trace(path)->info().format == "champsim");
  CHECK(all(path) == wanted);
}

TEST_CASE("ChampSim: Cloudsuite records of 96 bytes are read when they are named") {
  const TemporaryFolder folder;
  const std::string path = folder.file(
      "t", instruction(0x400000, 0, 0, {1, 2, 3, 4}, {5, 6, 7, 8}, {0, 0, 0, 0x3000}, {0x1000, 0, 0, 0}, 4) +
               instruction(0x400004, 1, 0, {}, {}, {}, {}, 4));
  auto first = record(fetch, 0x400000, 1, 0x400000);
  first.registers = {1, 2, 5, 6, 7, 8};
  auto second = record(fetch, 0x400004, 1, 0x400004);
  second.flags = flag_branch;
  CHECK(all(path, "champsim-cloudsuite") == std::vector<Record>{first, record(load, 0x1000, 1, 0x400000),
                                                                record(store, 0x3000, 1, 0x400000), second});
}

TEST_CASE("ChampSim: a partial last record is an error after the whole ones") {
  const TemporaryFolder folder;
  std::string bytes;
  for (int i = 0; i < 3000; ++i)
    bytes += instruction(0x400000 + 4U * static_cast<unsigned>(i), 0, 0, {}, {}, {}, {}, 2);
  for (const std::size_t extra : {1U, 63U}) {
    const std::string path = folder.file("t", bytes + std::string(extra, '\1'));
    const auto stream = open_trace(path)->merged();
    std::size_t records = 0;
    const std::string message = message_of([&] {
      for (auto batch = stream->next(); !batch.empty(); batch = stream->next()) records += batch.size();
    });
    CHECK(records == 3000);
    CHECK(message ==
          fmt::format("{}: byte offset 192000, after 3000 records: partial last record of {} bytes, "
                      "expected 64",
                      path, extra));
  }
}

TEST_CASE("ChampSim: the shipped traces have the instructions they should") {
  for (const char* name : {"hit", "stream"}) {
    const auto file = shared_data(fmt::format("traces/{}.champsimtrace.xz", name));
    if (!file) return;
    std::uint64_t instructions = 0;
    const auto stream = open_trace(*file)->merged();
    for (auto batch = stream->next(); !batch.empty(); batch = stream->next())
      for (const Record& r : batch) instructions += r.kind == fetch;
    CHECK(instructions == 1200000);
  }
}

TEST_CASE("coursework: one file in global order") {
  const TemporaryFolder folder;
  const auto trace = open_trace(folder.file("t", "0 r a1663dc4\n3 w 10\n0 w 0x20\n"));
  CHECK(trace->info().format == "proc-rw");
  CHECK(trace->info().threads == 4);
  CHECK(trace->info().records == 3);
  const std::vector<Record> wanted{record(load, 0xa1663dc4, 1, 0, 0), record(store, 0x10, 1, 0, 3),
                                   record(store, 0x20, 1, 0, 0)};
  CHECK(all(*trace->merged()) == wanted);
  CHECK(all(*trace->thread(0)) == std::vector<Record>{wanted[0], wanted[2]});
  CHECK(all(*trace->thread(1)).empty());
  CHECK(message_of([&] { trace->thread(4); }).find("thread 4 asked for, the trace has 4 threads") !=
        std::string::npos);
}

TEST_CASE("coursework: a folder of pN.trace files, addresses padded with blanks") {
  const TemporaryFolder folder;
  folder.file("c/p0.trace", "r 0x5e7ddf60\nw 0x  3c93a0\n");
  folder.file("c/p1.trace", "r 0x3c93a0\nr 0x       8\nw 0x40\n");
  folder.file("c/p2.trace", "");  // a processor without accesses
  folder.file("c/config", "3\n");
  folder.file("c/expected.tsv", "protocol\tcycles\n");
  folder.file("c/notes.txt", "r is a read\n");
  const auto trace = open_trace(folder.path("c"));
  CHECK(trace->info().format == "per-core-rw");
  CHECK(trace->info().threads == 3);
  const std::vector<Record> first{record(load, 0x5e7ddf60, 1), record(store, 0x3c93a0, 1)};
  const std::vector<Record> second{record(load, 0x3c93a0, 1, 0, 1), record(load, 8, 1, 0, 1),
                                   record(store, 0x40, 1, 0, 1)};
  CHECK(all(*trace->thread(0)) == first);
  CHECK(all(*trace->thread(1)) == second);
  CHECK(all(*trace->thread(2)).empty());
  CHECK(all(*trace->merged()) == std::vector<Record>{first[0], second[0], first[1], second[1], second[2]});
}

TEST_CASE("coursework: a folder of per-core files with 0, 1 and 2") {
  const TemporaryFolder folder;
  folder.file("bodytrack_0.data", "0 0x817ae8\n2 0xc\n1 817af0\n");
  folder.file("bodytrack_1.data", "2 4\n");
  const auto trace = open_trace(folder.path());
  CHECK(trace->info().format == "per-core-012");
  CHECK(all(*trace->thread(0)) == std::vector<Record>{record(load, 0x817ae8, 1),
                                                      record(RecordKind::compute, 12, 0),
                                                      record(store, 0x817af0, 1)});
  CHECK(all(*trace->thread(1)) == std::vector<Record>{record(RecordKind::compute, 4, 0, 0, 1)});
  CHECK(all(folder.path("bodytrack_1.data"), "per-core-012") ==
        std::vector<Record>{record(RecordKind::compute, 4, 0)});
}

TEST_CASE("coursework: the names under which per-core files are found") {
  for (const char* name : {"p{}.trace", "core{}.txt", "core_{}.trace.gz", "cpu{}.log", "thread-{}.x",
                           "fft_{}.data", "a-{}.trace"}) {
    const TemporaryFolder folder;
    folder.file(fmt::format(fmt::runtime(name), 0), "r 0x40\n");
    folder.file(fmt::format(fmt::runtime(name), 1), "w 0x40\n");
    CHECK(open_trace(folder.path())->info().threads == 2);
  }
  const TemporaryFolder from_one;
  from_one.file("p1.trace", "r 0x40\n");
  from_one.file("p2.trace", "w 0x40\n");
  CHECK(all(*open_trace(from_one.path())->thread(1)) == std::vector<Record>{record(store, 0x40, 1, 0, 1)});
}

TEST_CASE("coursework: twelve cores are in the order of their numbers") {
  const TemporaryFolder folder;
  for (std::uint64_t i = 0; i < 12; ++i)
    folder.file(fmt::format("p{}.trace", i), fmt::format("r 0x{:x}\n", i));
  const auto records = all(folder.path());
  REQUIRE(records.size() == 12);
  for (std::uint64_t i = 0; i < 12; ++i) CHECK(records[i].address == i);
}

}  // namespace mesim::test
