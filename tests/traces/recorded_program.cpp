#include "tests/traces/recorded_program.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

namespace mesim::test {

std::uint64_t RecordedProgram::count(RecordKind kind, const std::string& name) const {
  const Symbol& range = symbol(name);
  return static_cast<std::uint64_t>(std::count_if(merged.begin(), merged.end(), [&](const Record& record) {
    return record.kind == kind && record.address - range.address < range.size_bytes;
  }));
}

std::uint64_t RecordedProgram::count(RecordKind kind) const {
  return static_cast<std::uint64_t>(std::count_if(merged.begin(), merged.end(),
                                                  [&](const Record& record) { return record.kind == kind; }));
}

const Symbol& RecordedProgram::symbol(const std::string& name) const {
  for (const auto& symbol : info.symbols)
    if (symbol.name.compare(0, name.size(), name) == 0) return symbol;
  INFO("symbol " << name);
  REQUIRE(false);
  std::terminate();
}

RecordedProgram record(const std::string& program, int exit_status, const std::vector<std::string>& further) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/recorded.mtr";
  std::vector<std::string> arguments = {"trace", "record", MESIM_SOURCE_DIR "/tests/traces/programs/" + program,
                                        "-o", path};
  arguments.insert(arguments.end(), further.begin(), further.end());
  const Finished finished = run_mesim(arguments);
  INFO(finished.err);
  REQUIRE(finished.status == 0);
  const std::string wanted = "ended with exit status " + std::to_string(exit_status);
  REQUIRE((finished.err.find(wanted) != std::string::npos) == (exit_status != 0));
  REQUIRE((finished.err.find("ended with exit status") != std::string::npos) == (exit_status != 0));
  RecordedProgram result;
  const auto trace = open_trace(path);
  result.info = trace->info();
  const auto stream = trace->merged();
  for (auto batch = stream->next(); !batch.empty(); batch = stream->next())
    result.merged.insert(result.merged.end(), batch.begin(), batch.end());
  result.threads.resize(result.info.threads);
  for (const auto& record : result.merged) result.threads.at(record.thread).push_back(record);
  return result;
}

std::vector<Record> replay(const std::vector<std::vector<Record>>& threads, std::size_t turn, unsigned seed) {
  std::vector<std::size_t> at(threads.size());
  std::map<std::uint64_t, std::uint64_t> signalled;
  std::vector<Record> order;
  std::mt19937 draw(seed);
  std::size_t left = 0;
  for (const auto& thread : threads) left += thread.size();
  for (std::size_t idle = 0, next = 0; order.size() < left && idle < 50 * threads.size(); ++idle) {
    const std::size_t thread = seed == 0 ? next++ % threads.size() : draw() % threads.size();
    for (std::size_t taken = 0; taken < turn && at[thread] < threads[thread].size(); ++taken) {
      const Record& record = threads[thread][at[thread]];
      if (record.kind == RecordKind::wait && signalled[record.address] < record.size) break;
      if (record.kind == RecordKind::signal) ++signalled[record.address];
      order.push_back(record);
      ++at[thread];
      idle = 0;
    }
  }
  if (order.size() < left) order.clear();
  return order;
}

bool never_stuck(const RecordedProgram& program) {
  for (const std::size_t turn : {1, 7, 1000})
    for (const unsigned seed : {0u, 1u, 2u})
      if (replay(program.threads, turn, seed).empty()) return false;
  return true;
}

}  // namespace mesim::test
