// Regions of interest, marked by the program through mesim/region.h.
#include "traces/recorder/thread_log.hpp"

extern "C" void mesim_recorder_region_begin() {
  mesim::recorder::log_of_thread().put(mesim::recorder::RawKind::region_begin, 0, 0, MESIM_CALLER_PC);
}
extern "C" void mesim_recorder_region_end() {
  mesim::recorder::log_of_thread().put(mesim::recorder::RawKind::region_end, 0, 0, MESIM_CALLER_PC);
}
