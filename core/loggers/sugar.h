/* core/loggers/sugar.h: the macros for core/loggers (public; gcc and clang, C only). See core/sugar/sugar.h. */
#ifndef TAPEGRAD_CORE_LOGGERS_SUGAR_H
#define TAPEGRAD_CORE_LOGGERS_SUGAR_H
#pragma GCC system_header

#include "core/loggers/csv_logger.h"
#include "core/sugar/sugar.h"

/* loggers_CSVLogger("logs", .name = "first") */
#define loggers_CSVLogger(...) T_BEGIN_("loggers_CSVLogger(" #__VA_ARGS__ ")") \
    T_OPTIONS_(loggers_CSVLoggerOptions, t__o, LOGGERS_CSV_LOGGER_DEFAULTS_, __VA_ARGS__) \
    T_END_(loggers_CSVLogger *, loggers_CSVLogger_new(&t__o))
/* loggers_log_metrics(logger, metrics), loggers_log_metrics(logger, metrics, step) */
typedef struct loggers_StepArguments_ { int first_; int64_t step; } loggers_StepArguments_;
#define loggers_log_metrics(logger, ...) T_BEGIN_("loggers_log_metrics(" #logger ", " #__VA_ARGS__ ")") \
    loggers_CSVLogger *t__l = (logger); const t_TensorDict *t__d = T_HEAD_(__VA_ARGS__); \
    T_OPTIONS_(loggers_StepArguments_, t__o, .step = T_NONE, .first_ = 0, T_TAIL_(__VA_ARGS__)) \
    T_END_(bool, (loggers_log_metrics)(t__l, t__d, t__o.step))
#define loggers_save(logger) T_BEGIN_("loggers_save(" #logger ")") loggers_CSVLogger *t__l = (logger); \
    T_END_(bool, (loggers_save)(t__l))

#endif
