// A trace cut short, multiplied, dealt out to cores.
#include "traces/options.hpp"

#include <catch2/catch.hpp>

#include "sim/random.hpp"
#include "tests/traces/trace_files.hpp"

namespace mesim::test {
namespace {

std::vector<Record> some_records(std::size_t count, std::uint16_t threads) {
  Random random(count);
  std::vector<Record> records;
  for (std::size_t i = 0; i < count; ++i) {
    const auto thread = static_cast<std::uint16_t>(random.below(threads));
    records.push_back(record(static_cast<RecordKind>(random.below(13)), random.below(1 << 20), 8,
                             0x400000 + 4 * i, thread));
    if (records.back().kind == RecordKind::wait) records.back().size = 0;  // waits for nothing
  }
  return records;
}

}  // namespace

TEST_CASE("limit: the first records of each thread, in every order") {
  const auto records = some_records(5000, 3);
  for (const std::uint64_t limit : {1U, 700U, 5000U}) {
    std::vector<Record> wanted;
    std::array<std::uint64_t, 3> seen{};
    for (const Record& r : records)
      if (seen[r.thread]++ < limit) wanted.push_back(r);
    const auto trace = limit_records(memory_trace({}, records), limit);
    CHECK(all(*trace->merged()) == wanted);
    for (std::uint16_t t = 0; t < 3; ++t) {
      std::vector<Record> of_thread;
      for (const Record& r : wanted)
        if (r.thread == t) of_thread.push_back(r);
      CHECK(all(*trace->thread(t)) == of_thread);
    }
  }
}

TEST_CASE("limit: a thread ends before a wait whose signal is cut off, and so do those that wait for it") {
  const auto trace_of = [](std::uint64_t limit) {
    std::vector<Record> records;
    for (int i = 0; i < 10; ++i) records.push_back(record(RecordKind::store, 0x1000, 8, 0, 0));
    records.push_back(record(RecordKind::signal, 1, 0, 0, 0));
    records.push_back(record(RecordKind::load, 0x2000, 8, 0, 1));
    records.push_back(record(RecordKind::wait, 1, 1, 0, 1));
    records.push_back(record(RecordKind::signal, 2, 0, 0, 1));
    records.push_back(record(RecordKind::wait, 2, 1, 0, 2));
    records.push_back(record(RecordKind::load, 0x3000, 8, 0, 2));
    return limit_records(memory_trace({}, records), limit);
  };
  const auto cut = trace_of(10);  // thread 0's signal is its 11th record
  CHECK(all(*cut->thread(0)).size() == 10);
  CHECK(all(*cut->thread(1)).size() == 1);
  CHECK(all(*cut->thread(2)).empty());
  CHECK(all(*cut->merged()).size() == 11);
  CHECK(cut->info().records == 11);
  REQUIRE(cut->info().notes.size() == 1);
  CHECK(cut->info().notes[0] ==
        "limit: 2 of 3 threads end at a wait for what another thread does behind the limit");
  const auto whole = trace_of(11);
  CHECK(all(*whole->merged()).size() == 16);
  CHECK(whole->info().notes.empty());
}

TEST_CASE("limit: a trace shorter than asked says so") {
  CHECK(shorter_than_asked("t", 10, 10).empty());
  CHECK(shorter_than_asked("t", 0, 3).empty());
  CHECK(shorter_than_asked("t", 10, 7) == "t: the trace is shorter than asked: 7 records of 10");
}

TEST_CASE("copies: threads of their own and no address in common") {
  const auto records = some_records(2000, 2);
  const auto trace = copy_trace(memory_trace({}, records), 3);
  REQUIRE(trace->info().threads == 6);
  CHECK(trace->info().records == 6000);
  std::array<std::pair<std::uint64_t, std::uint64_t>, 3> range;  // of addresses and pcs, by copy
  range.fill({~0ULL, 0});
  const auto merged = all(*trace->merged());
  REQUIRE(merged.size() == 6000);
  for (const Record& r : merged) {
    if (r.kind == RecordKind::compute || r.kind >= RecordKind::region_begin || r.kind == RecordKind::fence)
      continue;
    auto& [low, high] = range[r.thread / 2];
    low = std::min({low, r.address, r.pc});
    high = std::max({high, r.address + r.size, r.pc});
  }
  CHECK(range[0].second < range[1].first);
  CHECK(range[1].second < range[2].first);
  // Copy 0 is the trace itself; each copy is the trace but for the move.
  for (std::uint32_t t = 0; t < 6; ++t) {
    const auto copied = all(*trace->thread(t));
    const auto original = all(*memory_trace({}, records)->thread(t % 2));
    REQUIRE(copied.size() == original.size());
    for (std::size_t i = 0; i < copied.size(); ++i) {
      CHECK(copied[i].kind == original[i].kind);
      if (t < 2) CHECK(copied[i] == original[i]);
    }
  }
}

TEST_CASE("copies: what does not fit is an error") {
  CHECK(message_of([] {
          copy_trace(memory_trace({}, {record(RecordKind::load, ~0ULL - 8, 8)}), 2);
        }).find("do not fit into 64 bits") != std::string::npos);
  CHECK(message_of([] { copy_trace(memory_trace({}, {}), 70000); }).find("70000 threads") !=
        std::string::npos);
}

TEST_CASE("spread: record i goes to thread (i / chunk) % threads") {
  auto records = some_records(5000, 1);
  for (const std::uint64_t chunk : {1U, 7U, 100U, 512U, 9999U}) {
    auto wanted = records;
    for (std::size_t i = 0; i < wanted.size(); ++i)
      wanted[i].thread = static_cast<std::uint16_t>(i / chunk % 4);
    const auto trace = spread_trace(memory_trace({}, records), 4, chunk);
    CHECK(trace->info().threads == 4);
    CHECK(all(*trace->merged()) == wanted);
    std::vector<Record> second;
    for (const Record& r : wanted)
      if (r.thread == 1) second.push_back(r);
    CHECK(all(*trace->thread(1)) == second);
  }
  CHECK(message_of([&] {
          spread_trace(memory_trace({}, some_records(9, 2)), 4, 1);
        }).find("spread deals out a trace of one thread, this one has 2") != std::string::npos);
}

TEST_CASE("the shape that config asks for: spread, then limit, then copies") {
  TraceShape shape;
  shape.spread = 2;
  shape.spread_chunk = 10;
  shape.limit = 15;
  shape.copies = 2;
  const auto trace = shape_trace(memory_trace({}, some_records(100, 1)), shape);
  CHECK(trace->info().threads == 4);
  CHECK(all(*trace->merged()).size() == 60);
  CHECK(all(*trace->thread(3)).size() == 15);
}

}  // namespace mesim::test
