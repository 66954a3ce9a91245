/* core/pandas/grouping.h: the rows of a column by equal values (internal). */
#ifndef TAPEGRAD_CORE_PANDAS_GROUPING_H
#define TAPEGRAD_CORE_PANDAS_GROUPING_H

#include "core/pandas/column.h"

/* Groups in the order of appearance, or sorted; missing values are in none. */
typedef struct tg_Groups {
    int64_t count, len;
    int64_t *codes; /* of each row: the number of its group, -1 if it is missing */
    int64_t *first; /* of each group: the first row */
    int64_t *sizes;
} tg_Groups;
bool tg_groups_make(tg_Groups *groups, const tg_Column *column, bool sorted);
void tg_groups_free(tg_Groups *groups); /* may be called repeatedly, and after a failure */

#endif
