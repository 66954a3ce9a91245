/* core/profiler/chrome_trace.h: the trace of a recording as a file (internal). */
#ifndef TAPEGRAD_CORE_PROFILER_CHROME_TRACE_H
#define TAPEGRAD_CORE_PROFILER_CHROME_TRACE_H

#include "core/profiler/recorder.h"

bool tg_write_chrome_trace(const tg_Recording *recording, const char *path);

#endif
