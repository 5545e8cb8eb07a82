#include "traces/file_trace.hpp"

#include "traces/detect.hpp"
#include "traces/filter_stream.hpp"
#include "traces/source_error.hpp"
#include "traces/thread_index.hpp"

namespace mesim {
namespace {

class FileTrace final : public Trace {
 public:
  FileTrace(TraceInfo info, const FileFormat& format) : info_(std::move(info)), format_(format) {
    if (format_.threads_in_records) count_threads();
  }

  const TraceInfo& info() const override { return info_; }
  std::unique_ptr<RecordStream> merged() override { return format_.open(open_bytes(info_.path), info_.path); }
  std::unique_ptr<RecordStream> thread(std::uint32_t index) override {
    check_thread(info_, index);
    if (info_.threads == 1) return merged();
    return std::make_unique<FilterStream>(merged(), index);
  }

 private:
  // The format does not say how many threads there are: the file is read once.
  void count_threads() {
    const auto stream = merged();
    std::uint64_t records = 0;
    for (auto batch = stream->next(); !batch.empty(); batch = stream->next()) {
      records += batch.size();
      for (const Record& record : batch)
        info_.threads = std::max<std::uint32_t>(info_.threads, record.thread + 1U);
    }
    info_.records = records;
  }

  TraceInfo info_;
  const FileFormat& format_;
};

struct Head {
  std::string bytes;
  bool whole = false;
  const char* compression = "none";
  std::uint64_t stored_bytes = 0;
};

Head read_head(const std::string& path) {
  const auto source = open_bytes(path);
  Head head;
  head.compression = source->compression();
  head.stored_bytes = source->stored_bytes();
  head.bytes.resize(detection_bytes);
  std::size_t size = 0;
  while (size < head.bytes.size() && !head.whole) {
    // A fault right at the start is an error here; a later one is left to the reader, who gets there again.
    try {
      const std::size_t got = source->read(head.bytes.data() + size, head.bytes.size() - size);
      head.whole = got == 0;
      size += got;
    } catch (const SourceFault& fault) {
      if (size == 0) throw source_error(path, fault, 0);
      break;
    }
  }
  head.bytes.resize(size);
  return head;
}

const FileFormat& detect(const std::string& path, const Head& head, bool per_core) {
  try {
    return detect_format(path, head.bytes, head.whole, per_core);
  } catch (const Error&) {
    fail_if_damaged(*open_bytes(path), path, 0);
    throw;
  }
}

}  // namespace

std::unique_ptr<Trace> open_file_trace(const std::string& path, const std::string& format, bool per_core) {
  const Head head = read_head(path);
  const bool empty_core = per_core && head.bytes.empty();
  const FileFormat* found = format == "auto" ? nullptr : find_file_format(format);
  if (found == nullptr)
    found = empty_core ? &per_core_rw_format : &detect(path, head, per_core);
  else if (head.bytes.empty() && !empty_core)
    throw bad_input({path}, "the trace has 0 records: the file is empty");
  TraceInfo info;
  info.path = path;
  info.format = found->name;
  info.compression = head.compression;
  info.stored_bytes = head.stored_bytes;
  if (empty_core) info.records = 0;
  if (found->note != nullptr) info.notes.emplace_back(found->note);
  return std::make_unique<FileTrace>(std::move(info), *found);
}

}  // namespace mesim
