/* core/ops/creation/tensor_literal_internal.h: how an error in a text (a tensor literal, an index) is shown (internal).
 * */
#ifndef TAPEGRAD_CORE_OPS_CREATION_TENSOR_LITERAL_INTERNAL_H
#define TAPEGRAD_CORE_OPS_CREATION_TENSOR_LITERAL_INTERNAL_H

#include "core/tensor/context.h"

/* Fails like tg_fail with three lines: the message, the line of `text` that contains `at`, and a caret under it. */
void *tg_fail_at(const char *text, const char *at, const char *format, ...) T_PRINTF(3, 4);

/* The first character from `at` on that is not white space. */
const char *tg_skip_space(const char *at);

#endif
