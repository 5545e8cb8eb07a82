// Small trace files for tests: made in a folder of their own, which disappears with the test.
#pragma once
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "sim/error.hpp"
#include "traces/trace.hpp"

namespace mesim::test {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "mesim_traces_XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }

  std::string path(const std::string& name = "") const { return (path_ / name).string(); }
  // Writes the file and returns its path.
  std::string file(const std::string& name, std::string_view bytes) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return path(name);
  }

 private:
  std::filesystem::path path_;
};

inline std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline std::vector<Record> all(RecordStream& stream) {
  std::vector<Record> records;
  for (auto batch = stream.next(); !batch.empty(); batch = stream.next())
    records.insert(records.end(), batch.begin(), batch.end());
  return records;
}
inline std::vector<Record> all(const std::string& path, const std::string& format = "auto") {
  return all(*open_trace(path, format)->merged());
}

inline Record record(RecordKind kind, std::uint64_t address, std::uint32_t size, std::uint64_t pc = 0,
                     std::uint16_t thread = 0) {
  Record r;
  r.kind = kind;
  r.address = address;
  r.size = size;
  r.pc = pc;
  r.thread = thread;
  return r;
}

// The message of the Error that `act` throws; empty if it throws none.
template <typename Act>
std::string message_of(Act act) {
  try {
    act();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

}  // namespace mesim::test
