#include <algorithm>
#include <filesystem>
#include <regex>

#include "traces/file_trace.hpp"
#include "traces/text_stream.hpp"
#include "traces/thread_index.hpp"

namespace mesim {
namespace {

namespace fs = std::filesystem;

// A stream of one core's file, with its thread number.
class NumberedStream final : public RecordStream {
 public:
  NumberedStream(std::unique_ptr<RecordStream> from, std::uint32_t thread)
      : from_(std::move(from)), thread_(static_cast<std::uint16_t>(thread)) {}
  std::span<const Record> next() override {
    const auto batch = from_->next();
    records_.assign(batch.begin(), batch.end());
    for (Record& record : records_) record.thread = thread_;
    return records_;
  }

 private:
  std::unique_ptr<RecordStream> from_;
  std::uint16_t thread_;
  std::vector<Record> records_;
};

// One record of each stream in turn; a stream that ended is passed over.
class InTurnStream final : public RecordStream {
 public:
  explicit InTurnStream(std::vector<std::unique_ptr<RecordStream>> streams) {
    for (auto& stream : streams) lanes_.push_back({std::move(stream), {}});
  }
  std::span<const Record> next() override {
    records_.clear();
    while (records_.size() < batch_records && !lanes_.empty()) {
      if (turn_ >= lanes_.size()) turn_ = 0;
      Lane& lane = lanes_[turn_];
      if (lane.batch.empty()) lane.batch = lane.stream->next();
      if (lane.batch.empty()) {
        lanes_.erase(lanes_.begin() + static_cast<std::ptrdiff_t>(turn_));
        continue;
      }
      records_.push_back(lane.batch.front());
      lane.batch = lane.batch.subspan(1);
      ++turn_;
    }
    return records_;
  }

 private:
  struct Lane {
    std::unique_ptr<RecordStream> stream;
    std::span<const Record> batch;
  };
  std::vector<Lane> lanes_;
  std::size_t turn_ = 0;
  std::vector<Record> records_;
};

class FolderTrace final : public Trace {
 public:
  FolderTrace(TraceInfo info, std::vector<std::unique_ptr<Trace>> cores)
      : info_(std::move(info)), cores_(std::move(cores)) {}
  const TraceInfo& info() const override { return info_; }
  std::unique_ptr<RecordStream> merged() override {
    std::vector<std::unique_ptr<RecordStream>> streams;
    for (std::uint32_t i = 0; i < info_.threads; ++i) streams.push_back(thread(i));
    return std::make_unique<InTurnStream>(std::move(streams));
  }
  std::unique_ptr<RecordStream> thread(std::uint32_t index) override {
    check_thread(info_, index);
    return std::make_unique<NumberedStream>(cores_[index]->merged(), index);
  }

 private:
  TraceInfo info_;
  std::vector<std::unique_ptr<Trace>> cores_;
};

// The per-core files of a folder by (what stands before and after the number), by number.
using CoreFiles = std::map<std::uint64_t, std::string>;

std::map<std::string, CoreFiles> core_files(const std::string& folder) {
  static const std::regex shape(R"((?:(p|core|cpu|thread)([_-]?)|(.+[_-]))(\d{1,5})\.(.+))");
  std::map<std::string, CoreFiles> groups;
  for (const auto& entry : fs::directory_iterator(folder)) {
    std::smatch match;
    const std::string name = entry.path().filename().string();
    if (!entry.is_regular_file() || !std::regex_match(name, match, shape)) continue;
    // Any suffix will do after a name that says core; else the suffix must say trace or data.
    const std::string suffix = match[5].str();
    if (match[3].matched && !suffix.starts_with("trace") && !suffix.starts_with("data")) continue;
    const std::string group = match[1].str() + match[2].str() + match[3].str() + "N." + suffix;
    const auto [place, is_new] = groups[group].emplace(std::stoull(match[4].str()), entry.path().string());
    if (!is_new)
      throw bad_input({folder}, fmt::format("two files for one core: {} and {}",
                                            fs::path(place->second).filename().string(), name));
  }
  return groups;
}

CoreFiles only_group(const std::string& folder) {
  std::map<std::string, CoreFiles> groups;
  try {
    groups = core_files(folder);
  } catch (const fs::filesystem_error& error) {
    throw file_error(folder, "cannot read the folder", error.code().value());
  }
  if (groups.empty())
    throw bad_input(
        {folder},
        "a folder without traces; expected per-core files such as p0.trace, core0.trace or NAME_0.data");
  if (groups.size() > 1)
    throw bad_input({folder},
                    fmt::format("two sets of per-core files: {} and {}; put them into folders of their own",
                                groups.begin()->first, std::next(groups.begin())->first));
  const auto& [name, files] = *groups.begin();
  std::uint64_t wanted = files.begin()->first == 1 ? 1 : 0;  // numbered from 0 or from 1
  for (const auto& [number, path] : files) {
    if (number != wanted)
      throw bad_input({folder},
                      fmt::format("per-core file {} is missing: {} has number {}", wanted, name, number));
    ++wanted;
  }
  return files;
}

}  // namespace

std::unique_ptr<Trace> open_folder_trace(const std::string& path, const std::string& format) {
  TraceInfo info;
  info.path = path;
  info.compression = "none";
  std::vector<std::unique_ptr<Trace>> cores;
  bool first = true;
  for (const auto& [number, file] : only_group(path)) {
    cores.push_back(open_file_trace(file, format, true));
    const TraceInfo& core = cores.back()->info();
    if (core.threads != 1) throw bad_input({file}, "records of several processors in a per-core file");
    info.stored_bytes += core.stored_bytes;
    if (core.records == 0U) continue;  // an empty file has no format of its own
    if (!first && core.format != info.format)
      throw bad_input({file},
                      fmt::format("format {} here, {} in the files before it", core.format, info.format));
    info.format = core.format;
    info.compression = core.compression;
    info.notes = core.notes;
    first = false;
  }
  if (first) throw bad_input({path}, "the trace has 0 records: all per-core files are empty");
  info.threads = static_cast<std::uint32_t>(cores.size());
  return std::make_unique<FolderTrace>(std::move(info), std::move(cores));
}

}  // namespace mesim
