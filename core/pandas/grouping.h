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

/* ---- several keys ---- */

/* Rows by their combinations of keys, which are numbered in the order of the sorted keys, the first key first. */
typedef struct tg_Keys {
    int64_t len, keys;
    int64_t count;  /* of combinations; after one key with missing values first, one may be without rows */
    int64_t *codes; /* of each row: the number of its combination, -1 if a key is missing and dropped */
} tg_Keys;
typedef enum tg_MissingKeys { tg_missing_dropped, tg_missing_first, tg_missing_last } tg_MissingKeys;
bool tg_keys_begin(tg_Keys *keys, int64_t len);
bool tg_keys_add(tg_Keys *keys, const tg_Column *column, tg_MissingKeys missing);
void tg_keys_free(tg_Keys *keys);
/* Lists the rows code after code: those of code c are rows[begin[c]] .. rows[begin[c + 1] - 1]. begin: count + 1. */
void tg_list_rows(const int64_t *codes, int64_t len, int64_t count, int64_t *begin, int64_t *rows);

#endif
