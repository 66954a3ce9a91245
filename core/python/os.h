/* core/python/os.h: os.listdir (public; part of core/python/python.h). */
#ifndef TAPEGRAD_CORE_PYTHON_OS_H
#define TAPEGRAD_CORE_PYTHON_OS_H

#include "core/tensor/scope.h"

T_BEGIN_DECLS

/* Names, owned by the current scope: listing->items[0] to [listing->len - 1]. */
typedef struct os_Listing {
    t_Object object;
    int64_t len, capacity;
    char **items;
} os_Listing;

/* os.listdir(path): the names in a folder except "." and "..", in the order of their bytes (Python's order is the file
 * system's). Errors: Python's, "[Errno 2] No such file or directory: 'images'". */
T_API os_Listing *os_listdir(const char *path);

T_END_DECLS
#endif
