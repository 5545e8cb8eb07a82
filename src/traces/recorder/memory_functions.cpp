// mem* and str* of the program's own objects, which are renamed to these before linking. Ranges are split
// further when the trace is made; copies alternate between source and destination as the real ones do.
#include <string.h>
#include <strings.h>

#include "traces/recorder/thread_log.hpp"

namespace mesim::recorder {
namespace {

constexpr std::uint64_t copy_step = 64;

void range(RawKind kind, const void* address, std::size_t bytes, std::uint64_t pc) {
  if (bytes != 0) log_of_thread().put(kind, 0, reinterpret_cast<std::uint64_t>(address), pc, bytes);
}
void loads(const void* address, std::size_t bytes, std::uint64_t pc) {
  range(RawKind::load_range, address, bytes, pc);
}
void stores(const void* address, std::size_t bytes, std::uint64_t pc) {
  range(RawKind::store_range, address, bytes, pc);
}

void copies(const void* to, const void* from, std::size_t bytes, std::uint64_t pc) {
  const auto* const source = static_cast<const char*>(from);
  const auto* const target = static_cast<const char*>(to);
  for (std::size_t done = 0; done < bytes;) {
    const std::size_t to_border = copy_step - reinterpret_cast<std::uint64_t>(target + done) % copy_step;
    const std::size_t step = bytes - done < to_border ? bytes - done : to_border;
    loads(source + done, step, pc);
    stores(target + done, step, pc);
    done += step;
  }
}

// Bytes that a comparison looks at: up to and including the first that differs.
std::size_t compared_bytes(const char* a, const char* b, std::size_t most, bool ends_at_zero) {
  for (std::size_t at = 0; at < most; ++at)
    if (a[at] != b[at] || (ends_at_zero && a[at] == 0)) return at + 1;
  return most;
}

void compares(const void* a, const void* b, std::size_t most, bool ends_at_zero, std::uint64_t pc) {
  const std::size_t bytes =
      compared_bytes(static_cast<const char*>(a), static_cast<const char*>(b), most, ends_at_zero);
  loads(a, bytes, pc);
  loads(b, bytes, pc);
}

std::size_t length_with_end(const char* text, std::size_t most) {
  const std::size_t length = strnlen(text, most);
  return length < most ? length + 1 : most;
}

constexpr std::size_t no_limit = ~std::size_t{0} >> 1;

char* copy_string(char* to, const char* from, std::uint64_t pc) {
  copies(to, from, strlen(from) + 1, pc);
  return strcpy(to, from);
}
char* copy_string(char* to, const char* from, std::size_t most, std::uint64_t pc) {
  loads(from, length_with_end(from, most), pc);
  stores(to, most, pc);
  return strncpy(to, from, most);
}
char* append_string(char* to, const char* from, std::size_t most, std::uint64_t pc) {
  const std::size_t length = strlen(to);
  const std::size_t added = strnlen(from, most);
  loads(to, length + 1, pc);
  copies(to + length, from, length_with_end(from, most), pc);
  memcpy(to + length, from, added);
  to[length + added] = 0;
  return to;
}
void* copy_bytes(void* to, const void* from, std::size_t bytes, std::uint64_t pc) {
  copies(to, from, bytes, pc);
  return memmove(to, from, bytes);
}
void* set_bytes(void* to, int value, std::size_t bytes, std::uint64_t pc) {
  stores(to, bytes, pc);
  return memset(to, value, bytes);
}

}  // namespace
}  // namespace mesim::recorder

using namespace mesim::recorder;
#define PC MESIM_CALLER_PC

extern "C" {

void* __mesim_memcpy(void* to, const void* from, size_t bytes) { return copy_bytes(to, from, bytes, PC); }
void* __mesim_memmove(void* to, const void* from, size_t bytes) { return copy_bytes(to, from, bytes, PC); }
void* __mesim_mempcpy(void* to, const void* from, size_t bytes) {
  return static_cast<char*>(copy_bytes(to, from, bytes, PC)) + bytes;
}
void* __mesim_memset(void* to, int value, size_t bytes) { return set_bytes(to, value, bytes, PC); }
void __mesim_bzero(void* to, size_t bytes) { set_bytes(to, 0, bytes, PC); }
int __mesim_memcmp(const void* a, const void* b, size_t bytes) {
  compares(a, b, bytes, false, PC);
  return memcmp(a, b, bytes);
}
void* __mesim_memchr(const void* in, int value, size_t bytes) {
  void* const found = const_cast<void*>(memchr(in, value, bytes));
  loads(in, found ? static_cast<const char*>(found) - static_cast<const char*>(in) + 1 : bytes, PC);
  return found;
}

size_t __mesim_strlen(const char* text) {
  const size_t length = strlen(text);
  loads(text, length + 1, PC);
  return length;
}
size_t __mesim_strnlen(const char* text, size_t most) {
  loads(text, length_with_end(text, most), PC);
  return strnlen(text, most);
}
char* __mesim_strcpy(char* to, const char* from) { return copy_string(to, from, PC); }
char* __mesim_stpcpy(char* to, const char* from) { return copy_string(to, from, PC) + strlen(from); }
char* __mesim_strncpy(char* to, const char* from, size_t most) { return copy_string(to, from, most, PC); }
char* __mesim_strcat(char* to, const char* from) { return append_string(to, from, no_limit, PC); }
char* __mesim_strncat(char* to, const char* from, size_t most) { return append_string(to, from, most, PC); }
int __mesim_strcmp(const char* a, const char* b) {
  compares(a, b, no_limit, true, PC);
  return strcmp(a, b);
}
int __mesim_strncmp(const char* a, const char* b, size_t most) {
  compares(a, b, most, true, PC);
  return strncmp(a, b, most);
}
char* __mesim_strchr(const char* in, int value) {
  char* const found = const_cast<char*>(strchr(in, value));
  loads(in, found ? found - in + 1 : strlen(in) + 1, PC);
  return found;
}
char* __mesim_strrchr(const char* in, int value) {
  loads(in, strlen(in) + 1, PC);
  return const_cast<char*>(strrchr(in, value));
}
char* __mesim_strstr(const char* in, const char* what) {
  char* const found = const_cast<char*>(strstr(in, what));
  loads(in, found ? found - in + strlen(what) : strlen(in) + 1, PC);
  loads(what, strlen(what) + 1, PC);
  return found;
}

// What _FORTIFY_SOURCE makes of them. The sizes that it checks are checked here too.
#define MESIM_CHECKED(BYTES) \
  if (static_cast<size_t>(BYTES) > room) give_up("buffer overflow detected by _FORTIFY_SOURCE")
void* __mesim___memcpy_chk(void* to, const void* from, size_t bytes, size_t room) {
  MESIM_CHECKED(bytes);
  return copy_bytes(to, from, bytes, PC);
}
void* __mesim___memmove_chk(void* to, const void* from, size_t bytes, size_t room) {
  MESIM_CHECKED(bytes);
  return copy_bytes(to, from, bytes, PC);
}
void* __mesim___mempcpy_chk(void* to, const void* from, size_t bytes, size_t room) {
  MESIM_CHECKED(bytes);
  return static_cast<char*>(copy_bytes(to, from, bytes, PC)) + bytes;
}
void* __mesim___memset_chk(void* to, int value, size_t bytes, size_t room) {
  MESIM_CHECKED(bytes);
  return set_bytes(to, value, bytes, PC);
}
char* __mesim___strcpy_chk(char* to, const char* from, size_t room) {
  MESIM_CHECKED(strlen(from) + 1);
  return copy_string(to, from, PC);
}
char* __mesim___stpcpy_chk(char* to, const char* from, size_t room) {
  MESIM_CHECKED(strlen(from) + 1);
  return copy_string(to, from, PC) + strlen(from);
}
char* __mesim___strncpy_chk(char* to, const char* from, size_t most, size_t room) {
  MESIM_CHECKED(most);
  return copy_string(to, from, most, PC);
}
char* __mesim___strcat_chk(char* to, const char* from, size_t room) {
  MESIM_CHECKED(strlen(to) + strlen(from) + 1);
  return append_string(to, from, no_limit, PC);
}
char* __mesim___strncat_chk(char* to, const char* from, size_t most, size_t room) {
  MESIM_CHECKED(strlen(to) + strnlen(from, most) + 1);
  return append_string(to, from, most, PC);
}

}  // extern "C"
