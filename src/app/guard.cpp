#include "app/guard.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <exception>
#include <new>

namespace mesim {
namespace {

// A file opened later must not become standard output or error because the caller closed those. The stand-in
// for output is opened for reading, so that writing to it still fails.
void hold_standard_descriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(descriptor, F_GETFD) != -1) continue;
    (void)open("/dev/null", descriptor == STDOUT_FILENO ? O_RDONLY : O_RDWR);  // takes the lowest free number
  }
}

int report(Exit status, const std::string& message) {
  const std::string line = "error: " + message + "\n";
  (void)!::write(STDERR_FILENO, line.data(), line.size());  // where else could a failure be told
  return static_cast<int>(status);
}

}  // namespace

int guarded_main(const std::function<Exit(Output&)>& body) {
  hold_standard_descriptors();
  std::signal(SIGPIPE, SIG_IGN);  // both become errors of writing
  std::signal(SIGXFSZ, SIG_IGN);
  Output out(STDOUT_FILENO);
  try {
    const Exit status = body(out);
    out.flush();
    return static_cast<int>(status);
  } catch (const Error& error) {
    return report(error.status(), error.what());
  } catch (const std::bad_alloc&) {
    return report(Exit::internal, "internal: out of memory");
  } catch (const std::exception& error) {
    return report(Exit::internal, std::string("internal: ") + error.what());
  } catch (...) {
    return report(Exit::internal, "internal: an exception of unknown type");
  }
}

}  // namespace mesim
