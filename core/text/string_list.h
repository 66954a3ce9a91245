/* core/text/string_list.h: t_StringList, a list of strings, Python's ["a", "b"] (public). */
#ifndef TAPEGRAD_CORE_TEXT_STRING_LIST_H
#define TAPEGRAD_CORE_TEXT_STRING_LIST_H

#include "core/tensor/scope.h"

T_BEGIN_DECLS

/* Owned by the scope like a tensor; the strings are copies, zero-terminated. The fields are read-only. */
typedef struct t_StringList {
    t_Object object;
    int64_t len, capacity;
    const char **items;
    struct tg_StringBlock *blocks; /* the memory of the strings */
} t_StringList;

T_API t_StringList *t_strings_new(const char *const *items, int64_t count); /* [*items] */
T_API bool t_strings_append(t_StringList *list, const char *text);          /* list.append(text) */
T_API const char *t_strings_get(const t_StringList *list, int64_t index);   /* list[index], negative from the end */
/* separator.join(list), a string owned by the scope */
T_API const char *t_strings_join(const char *separator, const t_StringList *list);

T_END_DECLS
#endif
