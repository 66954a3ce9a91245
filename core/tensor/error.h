/* core/tensor/error.h: error handling (public).
 *
 * A plain function that fails returns NULL (-1, false) and leaves tensors, tape and scopes unchanged; t_error() then
 * returns the reason. Its further results (the indices of t_max, the Q and R of linalg_qr) are NULL then. A function
 * that gets a NULL argument while an error is pending returns NULL without a new error, so the first error of a chain
 * of calls is the one reported. The macros of sugar.h add the user's line and call the handler once. */
#ifndef TAPEGRAD_CORE_TENSOR_ERROR_H
#define TAPEGRAD_CORE_TENSOR_ERROR_H

#include "core/tensor/api.h"

T_BEGIN_DECLS

/* The pending error, "file.c:31: expression: sentence" (the sentence alone where no macro was involved); else NULL. In
 * the forward of a module its path and class come before the sentence: "train.c:31: nn_call(model, x): in model.2,
 * Linear(4, 2): mat1 and mat2 shapes ...". The path begins with the variable of the outermost nn_call, or its class. */
T_API const char *t_error(void);
/* The sentence alone, in PyTorch's wording where PyTorch has one; NULL when there is none. */
T_API const char *t_error_message(void);
T_API void t_clear_error(void);

/* The macros call this handler on an error. The default (handler NULL) prints the text to stderr and calls exit(1). A
 * handler may return, and the failed call then returns NULL, or longjmp to a t_mark (scope.h).
 *
 * After a handler returned, call t_clear_error() (or t_unwind) before the next call: while an error is pending, a NULL
 * for an optional argument fails too, so that a bias whose creation failed is not taken as "no bias". */
typedef void (*t_ErrorHandler)(const char *text, void *context);
T_API void t_set_error_handler(t_ErrorHandler handler, void *context);

/* raise ValueError(...) in user code (a module's own check): sets the error; returns NULL, so that a function that
 * returns a pointer or bool can end with return t_fail(...). The macro of the same name calls the handler at once. */
T_API void *t_fail(const char *format, ...) T_PRINTF(1, 2);

/* The macros' frame around each call: enter sets the call site and returns the previous one, which leave restores. */
T_API const t_Site *t_enter_(const t_Site *site);
T_API void t_leave_(const t_Site *before);

T_END_DECLS
#endif
