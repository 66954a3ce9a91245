/* core/tensor/error.h: how a call fails (public).
 *
 * A plain function that fails returns NULL (-1, false) and leaves tensors, tape and scopes as they were; t_error() then
 * says why. A NULL argument whose error is still pending passes on in silence, so the first error of a chain is the one
 * that is reported. The macros of sugar.h add the user's line and call the handler, once, where the error arose. */
#ifndef TAPEGRAD_CORE_TENSOR_ERROR_H
#define TAPEGRAD_CORE_TENSOR_ERROR_H

#include "core/tensor/api.h"

T_BEGIN_DECLS

/* The pending error, "file.c:31: expression: sentence" (the sentence alone where no macro was involved); else NULL. */
T_API const char *t_error(void);
/* The sentence alone, in PyTorch's wording where PyTorch has one; NULL when there is none. */
T_API const char *t_error_message(void);
T_API void t_clear_error(void);

/* After a handler returned, call t_clear_error() (or t_unwind) before going on: while an error is pending, a NULL for an
 * optional argument passes on in silence too, lest a bias that failed read as "no bias".
 *
 * What the macros call on an error. The default (handler NULL) prints the text to stderr and exits with status 1.
 * A handler may return, and the failed call then gives NULL, or leave by longjmp to a t_mark (scope.h). */
typedef void (*t_ErrorHandler)(const char *text, void *context);
T_API void t_set_error_handler(t_ErrorHandler handler, void *context);

/* raise ValueError(...) in user code (a module's own check): reports it in the same way; returns NULL, which return takes in
 * a function of a pointer or bool. The macro of the same name is told to the handler at once. */
T_API void *t_fail(const char *format, ...) T_PRINTF(1, 2);

/* The macros' frame around each call: enter sets the call site and returns the one before, for leave to restore. */
T_API const t_Site *t_enter_(const t_Site *site);
T_API void t_leave_(const t_Site *before);

T_END_DECLS
#endif
