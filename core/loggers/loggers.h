/* core/loggers/loggers.h: lightning.pytorch.loggers' CSVLogger (public). The folder may include core/tensor, core/io,
 * core/python and the public headers of core/ops. */
#ifndef TAPEGRAD_CORE_LOGGERS_LOGGERS_H
#define TAPEGRAD_CORE_LOGGERS_LOGGERS_H

#include "core/loggers/csv_logger.h"
#ifndef __cplusplus
#include "core/loggers/sugar.h"
#endif

#endif
