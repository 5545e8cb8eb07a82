/* Marks the region of interest of a program that `mesim trace record` runs: whatever lies between begin and
   end, by any thread. Without the recorder both do nothing and need no library. C and C++. */
#ifndef MESIM_REGION_H
#define MESIM_REGION_H

#ifdef __cplusplus
extern "C" {
#endif

void mesim_recorder_region_begin(void) __attribute__((weak));
void mesim_recorder_region_end(void) __attribute__((weak));

static inline void mesim_region_begin(void) {
  if (mesim_recorder_region_begin) mesim_recorder_region_begin();
}
static inline void mesim_region_end(void) {
  if (mesim_recorder_region_end) mesim_recorder_region_end();
}

#ifdef __cplusplus
}
#endif

#endif
