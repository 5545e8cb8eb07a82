// Any bytes as a trace of any format: records, or an error that names the file.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "sim/error.hpp"
#include "traces/trace.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const int file = memfd_create("trace", 0);
  const std::string path = "/proc/self/fd/" + std::to_string(file);
  if (ftruncate(file, 0) != 0 || pwrite(file, data, size, 0) != static_cast<ssize_t>(size)) std::abort();
  try {
    const auto trace = mesim::open_trace(path);
    const auto stream = trace->merged();
    while (!stream->next().empty()) {
    }
  } catch (const mesim::Error& error) {
    if (std::string(error.what()).rfind(path, 0) != 0) std::abort();
  }
  return 0;
}
