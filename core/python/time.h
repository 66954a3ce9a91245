/* core/python/time.h: Python's clocks (public; part of core/python/python.h). */
#ifndef TAPEGRAD_CORE_PYTHON_TIME_H
#define TAPEGRAD_CORE_PYTHON_TIME_H

#include "core/tensor/api.h"

T_BEGIN_DECLS

T_API double time_time(void);         /* time.time(): seconds since 1970 */
/* time.perf_counter(): seconds of a clock that is never set back, for differences */
T_API double time_perf_counter(void);

T_END_DECLS
#endif
