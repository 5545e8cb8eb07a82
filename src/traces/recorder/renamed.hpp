// Library functions that the program's own objects call under another name, `__mesim_` before the old one,
// so that only they are recorded and the library's internal use is not.
#pragma once
#include <array>
#include <string_view>

namespace mesim::recorder {

inline constexpr std::string_view renaming_prefix = "__mesim_";

inline constexpr std::array<std::string_view, 54> renamed_functions = {
    "memcpy",
    "memmove",
    "mempcpy",
    "memset",
    "bzero",
    "memcmp",
    "memchr",
    "strlen",
    "strnlen",
    "strcpy",
    "stpcpy",
    "strncpy",
    "strcat",
    "strncat",
    "strcmp",
    "strncmp",
    "strchr",
    "strrchr",
    "strstr",
    "__memcpy_chk",
    "__memmove_chk",
    "__mempcpy_chk",
    "__memset_chk",
    "__strcpy_chk",
    "__stpcpy_chk",
    "__strncpy_chk",
    "__strcat_chk",
    "__strncat_chk",
    "malloc",
    "calloc",
    "realloc",
    "aligned_alloc",
    "memalign",
    "posix_memalign",
    "strdup",
    "strndup",
    "free",
    "_Znwm",
    "_Znam",
    "_ZnwmRKSt9nothrow_t",
    "_ZnamRKSt9nothrow_t",
    "_ZnwmSt11align_val_t",
    "_ZnamSt11align_val_t",
    "_ZdlPv",
    "_ZdaPv",
    "_ZdlPvm",
    "_ZdaPvm",
    "_ZdlPvSt11align_val_t",
    "_ZdaPvSt11align_val_t",
    "_ZdlPvmSt11align_val_t",
    "_ZdaPvmSt11align_val_t",
    "__cxa_guard_acquire",
    "__cxa_guard_release",
    "__cxa_guard_abort",
};

}  // namespace mesim::recorder
