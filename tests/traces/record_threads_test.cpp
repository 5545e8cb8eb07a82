// Synchronisation in recordings: what was ordered stays ordered in every replay, and no replay gets stuck.
#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/traces/recorded_program.hpp"

using namespace mesim;
using namespace mesim::test;

namespace {

// Whether each access to `data` lies between its thread's taking and giving of `lock` (alternating
// read-modify-writes), with no other thread's in between.
bool excludes(const std::vector<Record>& order, const Symbol& lock, const Symbol& data) {
  int holder = -1;
  for (const auto& record : order) {
    if (record.kind == RecordKind::atomic_rmw && record.address == lock.address) {
      if (holder != -1 && holder != record.thread) return false;
      holder = holder == -1 ? record.thread : -1;
    }
    if (is_memory(record.kind) && record.address == data.address && holder != record.thread) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("critical sections of a mutex exclude each other in every replay") {
  const auto program = record("mutex.c");
  CHECK(program.info.threads == 5);
  CHECK(program.count(RecordKind::atomic_rmw, "lock") == 400);
  CHECK(program.count(RecordKind::load, "shared_sum") == 201);
  CHECK(program.count(RecordKind::store, "shared_sum") == 200);
  for (const std::size_t turn : {1, 5, 1000})
    for (const unsigned seed : {0u, 1u, 2u, 3u}) {
      auto order = replay(program.threads, turn, seed);
      REQUIRE(!order.empty());
      // The first thread reads the sum at the end, without the lock.
      order.erase(std::remove_if(order.begin(), order.end(), [](const Record& r) { return r.thread == 0; }),
                  order.end());
      CHECK(excludes(order, program.symbol("lock"), program.symbol("shared_sum")));
    }
}

TEST_CASE("reader-writer, spin and recursive locks replay without getting stuck") {
  const auto program = record("locks.c");
  CHECK(never_stuck(program));
  CHECK(program.count(RecordKind::atomic_rmw, "rwlock") == 160);
  CHECK(program.count(RecordKind::atomic_rmw, "recursive") == 320);
}

TEST_CASE("condition variables replay without getting stuck") {
  const auto program = record("condition.c");
  CHECK(never_stuck(program));
  CHECK(program.count(RecordKind::store, "full") == 60);
  CHECK(program.count(RecordKind::atomic_rmw, "changed") == 60);
}

TEST_CASE("a barrier keeps its phases apart in every replay") {
  const auto program = record("barrier.c");
  CHECK(program.count(RecordKind::atomic_rmw, "phase_end") == 30);
  const Symbol& cells = program.symbol("cells");
  for (const std::size_t turn : {1, 3, 1000})
    for (const unsigned seed : {0u, 1u, 2u}) {
      const auto order = replay(program.threads, turn, seed);
      REQUIRE(!order.empty());
      std::uint64_t stores = 0;
      for (const auto& record : order) {
        const std::uint64_t offset = record.address - cells.address;
        if (!is_memory(record.kind) || offset >= cells.size_bytes) continue;
        const std::uint64_t phase = offset / 12;
        // A cell is read only when its whole phase is written.
        if (record.kind == RecordKind::load) CHECK(stores >= 3 * (phase + 1));
        if (record.kind == RecordKind::store) ++stores;
      }
    }
}

TEST_CASE("semaphores alternate in every replay") {
  const auto program = record("semaphore.c");
  const Symbol& count = program.symbol("shared_count");
  for (const unsigned seed : {0u, 1u, 2u}) {
    const auto order = replay(program.threads, 1, seed);
    REQUIRE(!order.empty());
    std::vector<int> writers;
    for (const auto& record : order)
      if (record.kind == RecordKind::store && record.address == count.address) writers.push_back(record.thread);
    REQUIRE(writers.size() == 50);
    for (std::size_t at = 1; at < writers.size(); ++at) CHECK(writers[at] != writers[at - 1]);
  }
}

TEST_CASE("atomics of every width are recorded once each, spins as one look") {
  const auto program = record("atomics.cpp", 0, {"--cxxflags", "-mcx16"});
  CHECK(never_stuck(program));
  CHECK(program.count(RecordKind::atomic_rmw, "byte") == 40);
  CHECK(program.count(RecordKind::atomic_rmw, "half") == 40);
  CHECK(program.count(RecordKind::atomic_rmw, "word") == 40);
  CHECK(program.count(RecordKind::atomic_rmw, "quad") == 80);
  CHECK(program.count(RecordKind::atomic_rmw, "ready") == 4);
  CHECK(program.count(RecordKind::atomic_load, "ready") == 4);
  CHECK(program.count(RecordKind::atomic_rmw, "flag") == 40);
  CHECK(program.count(RecordKind::atomic_store, "flag") == 40);
  CHECK(program.count(RecordKind::atomic_rmw, "pair_words") == 40);
  CHECK(program.count(RecordKind::fence) == 40);
  for (const auto& record : program.merged)
    if (record.kind == RecordKind::atomic_rmw && record.address == program.symbol("pair_words").address)
      CHECK(record.size == 16);
}

TEST_CASE("a detached thread's store is seen after the flag that announces it") {
  const auto program = record("detached.c");
  CHECK(program.count(RecordKind::atomic_load, "done") == 1);
  for (const unsigned seed : {0u, 1u, 2u}) {
    bool stored = false;
    for (const auto& record : replay(program.threads, 1, seed)) {
      if (record.address != program.symbol("value").address) continue;
      if (record.kind == RecordKind::store) stored = true;
      if (record.kind == RecordKind::load) CHECK(stored);
    }
    CHECK(stored);
  }
}

TEST_CASE("barrier, latch, semaphore, atomic wait and call_once of C++20 replay without getting stuck", "[slow]") {
  const auto program = record("waiting_objects.cpp");
  CHECK(never_stuck(program));
  CHECK(program.count(RecordKind::store, "cells") == 5 * (100 + 200 + 300) + 4);
}

TEST_CASE("exceptions cross the recorder", "[slow]") {
  const auto program = record("exceptions.cpp");
  CHECK(program.info.threads == 3);
  CHECK(never_stuck(program));
  CHECK(program.count(RecordKind::store, "destroyed") == 2);
}
