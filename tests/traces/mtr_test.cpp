// mesim's own format: everything that goes in comes out, and comes out small.
#include <catch2/catch.hpp>

#include "sim/random.hpp"
#include "tests/shared_data.hpp"
#include "tests/traces/trace_files.hpp"
#include "traces/trace_writer.hpp"

namespace mesim::test {
namespace {

void write(const std::string& path, const std::vector<Record>& records, TraceHeader header = {}) {
  TraceWriter writer(path, std::move(header));
  writer.append(records);
  writer.close();
}

std::vector<Record> of_thread(const std::vector<Record>& records, std::uint32_t thread) {
  std::vector<Record> kept;
  for (const Record& r : records)
    if (r.thread == thread) kept.push_back(r);
  return kept;
}

// Any field may have any value; `variety` says how often a record is a new one altogether.
std::vector<Record> random_records(Random& random, std::size_t count, std::uint32_t threads, double variety) {
  std::vector<Record> seen;
  std::vector<Record> records;
  while (records.size() < count) {
    Record r;
    if (seen.empty() || random.chance(variety)) {
      r.kind = static_cast<RecordKind>(random.below(13));
      r.pc = random.next() >> random.below(64);
      r.address = random.chance(0.3) ? r.pc : random.next() >> random.below(64);
      r.size = static_cast<std::uint32_t>(random.next() >> (32 + random.below(32)));
      r.gap = random.chance(0.5) ? 0 : static_cast<std::uint16_t>(random.next());
      if (random.chance(0.2)) r.flags = static_cast<std::uint8_t>(random.next());
      if (random.chance(0.2))
        for (auto& reg : r.registers) reg = static_cast<std::uint8_t>(random.next());
      seen.push_back(r);
    } else {
      r = seen[random.below(seen.size())];
      if (random.chance(0.5)) r.address += random.below(3) * 8;
      if (random.chance(0.1)) r.size += 1;
    }
    r.thread = static_cast<std::uint16_t>(random.below(threads));
    for (std::uint64_t run = random.below(20); run > 0 && records.size() < count; --run) {
      records.push_back(r);
      r.address += 64;
    }
  }
  return records;
}

}  // namespace

TEST_CASE("mtr: every field of every record comes back, merged and by thread") {
  const TemporaryFolder folder;
  Random random(7);
  for (const std::uint32_t threads : {1U, 2U, 5U, 64U}) {
    for (const double variety : {0.001, 0.1, 1.0}) {
      const auto records = random_records(random, 10000, threads, variety);
      TraceHeader header;
      header.threads = threads;
      write(folder.path("t.mtr"), records, header);
      const auto trace = open_trace(folder.path("t.mtr"));
      CHECK(trace->info().format == "mtr");
      CHECK(trace->info().records == records.size());
      REQUIRE(trace->info().threads == threads);
      CHECK(all(*trace->merged()) == records);
      for (std::uint32_t t = 0; t < threads; ++t) CHECK(all(*trace->thread(t)) == of_thread(records, t));
    }
  }
}

TEST_CASE("mtr: more sites than the dictionary holds") {
  const TemporaryFolder folder;
  std::vector<Record> records;
  Random random(3);
  for (std::uint64_t i = 0; i < 200000; ++i)
    records.push_back(record(RecordKind::load, random.next(), 8, 0x400000 + 4 * random.below(90000)));
  write(folder.path("t.mtr"), records);
  CHECK(all(folder.path("t.mtr")) == records);
}

TEST_CASE("mtr: what the trace says of itself comes back") {
  const TemporaryFolder folder;
  TraceHeader header;
  header.program = "solver -n 4";
  header.notes = {"libc is not instrumented", "gaps are 3"};
  header.regions = {"solve"};
  header.threads = 3;
  header.symbols = {{0x2000, 64, "grid", "solver.cpp:31"}, {0x1000, 8, "count\xff", ""}};
  write(folder.path("t.mtr"), {record(RecordKind::load, 0x1000, 8)}, header);
  const auto trace = open_trace(folder.path("t.mtr"));
  const TraceInfo& info = trace->info();
  CHECK(info.program == "solver -n 4");
  CHECK(info.notes == header.notes);
  CHECK(info.regions == header.regions);
  CHECK(info.threads == 3);
  REQUIRE(info.symbols.size() == 2);
  CHECK(info.symbols[0].address == 0x1000);
  CHECK(info.symbols[1].name == "grid");
  CHECK(info.symbols[1].origin == "solver.cpp:31");
  CHECK(all(*trace->thread(2)).empty());
}

TEST_CASE("mtr: a file appears only when it is whole") {
  const TemporaryFolder folder;
  {
    TraceWriter writer(folder.path("t.mtr"), {});
    writer.append(record(RecordKind::load, 64, 8));
    CHECK_FALSE(std::filesystem::exists(folder.path("t.mtr")));
  }
  CHECK(std::filesystem::is_empty(folder.path()));
  CHECK(message_of([&] { TraceWriter(folder.path("none/t.mtr"), {}); }).find("No such file") !=
        std::string::npos);
}

TEST_CASE("mtr: at most 1.5 bits a reference on the traces of three programs") {
  const TemporaryFolder folder;
  for (const char* name : {"mm_64", "mmt_64_16", "stream_16384_4"}) {
    const auto file = shared_data(fmt::format("traces/{}.lackey.xz", name));
    if (!file) return;
    const auto records = all(*file);
    write(folder.path("t.mtr"), records);
    CHECK(all(folder.path("t.mtr")) == records);
    const double bits = 8.0 * static_cast<double>(std::filesystem::file_size(folder.path("t.mtr"))) /
                        static_cast<double>(records.size());
    CHECK(bits <= 1.5);
  }
}

}  // namespace mesim::test
