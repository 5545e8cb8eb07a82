/* Included by `mesim trace record` before each source: copies that name the compiler's builtins, as
   libstdc++'s headers do, become calls that are recorded. */
#ifndef MESIM_RECORDED_BUILTINS_H
#define MESIM_RECORDED_BUILTINS_H

#ifdef __cplusplus
extern "C" {
#define MESIM_NOTHROW noexcept(true)
#else
#define MESIM_NOTHROW
#endif

void* __mesim_memcpy(void* to, const void* from, __SIZE_TYPE__ bytes) MESIM_NOTHROW;
void* __mesim_memmove(void* to, const void* from, __SIZE_TYPE__ bytes) MESIM_NOTHROW;
void* __mesim_memset(void* to, int value, __SIZE_TYPE__ bytes) MESIM_NOTHROW;

#ifdef __cplusplus
}
#endif

#define __builtin_memcpy __mesim_memcpy
#define __builtin_memmove __mesim_memmove
#define __builtin_memset __mesim_memset

#endif
