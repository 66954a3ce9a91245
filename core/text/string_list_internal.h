/* core/text/string_list_internal.h: what the rest of this folder calls of string_list.c (internal). */
#ifndef TAPEGRAD_CORE_TEXT_STRING_LIST_INTERNAL_H
#define TAPEGRAD_CORE_TEXT_STRING_LIST_INTERNAL_H

#include "core/text/buffer.h"
#include "core/text/string_list.h"

bool tg_check_strings(const t_StringList *list, int position);
bool tg_strings_append(t_StringList *list, const char *text, size_t length); /* without zeros */
/* A string of those bytes and a terminating zero, owned by the scope. */
const char *tg_string_of(const char *bytes, size_t length);

#endif
