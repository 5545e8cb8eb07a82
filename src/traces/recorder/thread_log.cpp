#include "traces/recorder/thread_log.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "traces/recorder/places.hpp"

namespace mesim::recorder {

thread_local ThreadLog* current = nullptr;

namespace {

// The recorder maps only here, so that it does not move the program's own mappings.
constexpr std::uint64_t area_base = 0x1000'0000'0000;
constexpr std::uint64_t area_bytes = 64 << 20;
constexpr std::uint64_t log_bytes = 64 << 10;  // of an area, before the window
constexpr std::uint64_t small_window = 256 << 10;
constexpr std::uint64_t large_window = 4 << 20;
constexpr std::uint64_t page = 4096;
// Bytes of glibc's thread descriptor that follow pthread_self() at the top of a stack, at most.
constexpr std::uint64_t descriptor_bytes = 0x900;

std::atomic<std::uint32_t> threads{0};
std::atomic<bool> stopped{false};

std::uint64_t round_up(std::uint64_t value, std::uint64_t step) { return (value + step - 1) / step * step; }

int open_file(std::uint32_t index) {
  const char* folder = std::getenv(folder_variable);
  if (folder == nullptr) return -1;
  char path[4096];
  std::snprintf(path, sizeof path, "%s/%05u.raw", folder, index);
  const int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) give_up("cannot create a file in the recording folder");
  // A high number, so that the program's own files keep the numbers they would have.
  const int high = fcntl(file, F_DUPFD_CLOEXEC, 512);
  if (high < 0) return file;
  close(file);
  return high;
}

void* map_at(std::uint64_t address, std::uint64_t bytes, int flags, int file, std::uint64_t offset) {
  void* const at = mmap(reinterpret_cast<void*>(address), bytes, PROT_READ | PROT_WRITE, flags | MAP_FIXED,
                        file, static_cast<off_t>(offset));
  if (at == MAP_FAILED) give_up("cannot map memory for the log");
  return at;
}

// The end of the first thread's stack lies behind the strings that the kernel put there, the program's path
// last.
std::uint64_t main_stack_end() {
  const auto path = getauxval(AT_EXECFN);
  return round_up(path + std::strlen(reinterpret_cast<const char*>(path)) + 1, page);
}

std::uint64_t main_stack_bytes() {
  rlimit limit{};
  getrlimit(RLIMIT_STACK, &limit);
  constexpr rlim_t most = 1 << 30;
  return limit.rlim_cur < most ? limit.rlim_cur : most;
}

// Field 47 of /proc/self/stat. The name in field 2 may hold anything, so fields count from the last ')'.
std::uint64_t heap_start() {
  char text[4096];
  const int file = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  const ssize_t length = read(file, text, sizeof text - 1);
  close(file);
  if (length <= 0) return 0;
  text[length] = 0;
  const char* at = std::strrchr(text, ')');
  for (int field = 2; at != nullptr && field < 47; ++field) at = std::strchr(at + 1, ' ');
  return at == nullptr ? 0 : std::strtoull(at + 1, nullptr, 10);
}

}  // namespace

void print_message(const char* message) {
  char text[512];
  const int length = std::snprintf(text, sizeof text, "mesim recorder: %s\n", message);
  if (write(2, text, static_cast<std::size_t>(length)) < 0) return;
}

void give_up(const char* message) {
  print_message(message);
  _exit(112);
}

RawEvent& ThreadLog::next_window() {
  const int saved_errno = errno;
  const bool was_inside = inside;
  inside = true;
  const std::uint64_t bytes = file_bytes < 16 * small_window ? small_window : large_window;
  const auto at = reinterpret_cast<std::uint64_t>(window());
  if (discard) {
    if (end == nullptr) map_at(at, bytes, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  } else {
    // Reserved, not just extended: a full disk is then an error here, not a bus error later.
    if (posix_fallocate(file, static_cast<off_t>(file_bytes), static_cast<off_t>(bytes)) != 0)
      give_up("no space left for the recording");
    map_at(at, bytes, MAP_SHARED, file, file_bytes);
    file_bytes += bytes;
  }
  cursor = window();
  last_look = nullptr;
  end = cursor + bytes / sizeof(RawEvent);
  inside = was_inside;
  errno = saved_errno;
  return *cursor++;
}

void ThreadLog::give_way() { sched_yield(); }

ThreadLog& new_log() {
  const std::uint32_t index = threads.fetch_add(1);
  if (index >= most_threads) give_up("more than 65535 threads");
  const std::uint64_t at = area_base + index * area_bytes;
  auto* const log = static_cast<ThreadLog*>(map_at(at, log_bytes, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  log->index = index;
  log->file = stopped ? -1 : open_file(index);
  log->discard = log->file < 0;
  return *log;
}

void begin_thread(ThreadLog& log) {
  current = &log;
  const auto self = reinterpret_cast<std::uint64_t>(pthread_self());
  const std::uint64_t end = log.index == 0 ? main_stack_end() : round_up(self + descriptor_bytes, page);
  const std::uint64_t bytes = log.index == 0 ? main_stack_bytes() : log.stack_bytes;
  log.put(RawKind::thread_start, 0, self, 0, end - bytes, end);
  log.put(RawKind::ignore, 0, reinterpret_cast<std::uint64_t>(&errno), 0, sizeof errno);
  if (log.index == 0) log.put(RawKind::heap_start, 0, heap_start(), 0);
}

ThreadLog& attach() {
  const int saved_errno = errno;
  ThreadLog& log = new_log();
  if (log.index == 0) {
    map_places();
    pthread_atfork([] { log_of_thread().put(RawKind::forked, 0, 0, 0); }, nullptr, stop_recording);
  } else {
    log.stack_bytes = 8 << 20;
  }
  begin_thread(log);
  errno = saved_errno;
  return log;
}

void stop_recording() {
  stopped = true;
  ThreadLog& log = log_of_thread();
  log.discard = true;
  log.file = -1;
  log.end = nullptr;
  log.cursor = nullptr;
}

}  // namespace mesim::recorder

// The first thread is attached before the program's constructors run.
extern "C" void __tsan_init() { mesim::recorder::log_of_thread(); }

namespace {
[[gnu::constructor(101)]] void attach_first_thread() { mesim::recorder::log_of_thread(); }
}  // namespace
