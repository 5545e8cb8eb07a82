// The library's own functions behind those that the recorder defines under the same names.
#pragma once
#include <dlfcn.h>

#include "traces/recorder/thread_log.hpp"

namespace mesim::recorder {

template <typename Function>
Function* find_real(const char* name) {
  void* const found = dlsym(RTLD_NEXT, name);
  if (found == nullptr) give_up(name);
  return reinterpret_cast<Function*>(found);
}

}  // namespace mesim::recorder

// Looked up at first use; two threads at once find the same.
#define MESIM_REAL(NAME)                                                           \
  ([]() -> decltype(NAME)* {                                                       \
    static decltype(NAME)* real = nullptr;                                         \
    if (real == nullptr) real = mesim::recorder::find_real<decltype(NAME)>(#NAME); \
    return real;                                                                   \
  }())
