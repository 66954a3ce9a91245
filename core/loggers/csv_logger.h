/* core/loggers/csv_logger.h: CSVLogger of lightning.pytorch.loggers; PyTorch itself has none (public; part of
 * core/loggers/loggers.h).
 *
 *     loggers_CSVLogger *logger = loggers_CSVLogger("logs", .name = "first");
 *     t_TensorDict *metrics = t_dict();
 *     t_dict_set(metrics, "loss", loss);
 *     loggers_log_metrics(logger, metrics, step);
 *     loggers_save(logger);
 *
 * writes logs/first/version_0/metrics.csv: a row for each call, a column for each name, in the order in which they
 * came, with the step after those of the first call; a metric that a call does not have is an empty cell. A later name
 * is one more column of all rows. The file is replaced as a whole: a crash leaves the one of the last save. */
#ifndef TAPEGRAD_CORE_LOGGERS_CSV_LOGGER_H
#define TAPEGRAD_CORE_LOGGERS_CSV_LOGGER_H

#include "core/ops/dict.h"

T_BEGIN_DECLS

typedef struct loggers_CSVLogger loggers_CSVLogger;

/* CSVLogger(save_dir, name='lightning_logs', version=None, prefix='', flush_logs_every_n_steps=100) */
typedef struct loggers_CSVLoggerOptions {
    uint32_t size;
    const char *save_dir;
    const char *name;    /* of the experiment; "": none */
    const char *version; /* the name of its folder; NULL: version_N, with the next N that is free */
    const char *prefix;  /* before the names of metrics, with "-" */
    int64_t flush_logs_every_n_steps; /* saves when step + 1 is a multiple of it */
} loggers_CSVLoggerOptions;
#define LOGGERS_CSV_LOGGER_DEFAULTS_ .name = "lightning_logs", .flush_logs_every_n_steps = 100, \
    .size = sizeof(loggers_CSVLoggerOptions)
extern T_API const loggers_CSVLoggerOptions loggers_CSVLoggerDefaults;
/* Creates the folder. A logger belongs to its scope like a tensor, and saves at its end. Errors: no save_dir; the
 * system's. */
T_API loggers_CSVLogger *loggers_CSVLogger_new(const loggers_CSVLoggerOptions *options);
/* logger.log_metrics(metrics, step): numbers (tensors of one element) and texts. T_NONE: the number of rows so far.
 * Error: a tensor of more elements; then nothing is logged. */
T_API bool loggers_log_metrics(loggers_CSVLogger *self, const t_TensorDict *metrics, int64_t step);
T_API bool loggers_save(loggers_CSVLogger *self);                 /* logger.save() */
T_API const char *loggers_log_dir(const loggers_CSVLogger *self); /* logger.log_dir */

T_END_DECLS
#endif
