/* tests/ops/table/op_table.c: all tables as one. */
#include "tests/ops/table/op_table.h"

#include <stdio.h>
#include <string.h>

#define TABLE_ADDRESS(name) &name##_table,
static const OpTable *const tables[] = {OP_TABLES(TABLE_ADDRESS)};
enum { TABLES = sizeof tables / sizeof *tables };

const OpRow *op_row(int n, const OpTable **table) {
    for (int i = 0; i < TABLES; n -= tables[i++]->count) {
        if (n >= tables[i]->count) continue;
        if (table) *table = tables[i];
        return &tables[i]->rows[n];
    }
    return NULL;
}

int op_row_count(void) {
    int count = 0;
    for (int i = 0; i < TABLES; i++) count += tables[i]->count;
    return count;
}

void case_key(const OpRow *row, const char *inputs, const int64_t *n, char *key, size_t capacity) {
    int used = MAX_NUMBERS;
    while (used > 0 && n[used - 1] == 0) used--;
    size_t at = (size_t)snprintf(key, capacity, *inputs ? "%s %s" : "%s%s", row->name, inputs);
    for (int i = 0; i < used && at < capacity; i++) {
        if (n[i] == T_NONE) at += (size_t)snprintf(key + at, capacity - at, " None");
        else at += (size_t)snprintf(key + at, capacity - at, " %lld", (long long)n[i]);
    }
}

bool case_has_two_dtypes(const char *inputs) {
    bool real = *inputs == '\0';
    for (const char *at = inputs; at && *at; at = strchr(at, ' '), at += at != NULL)
        real = real || is_real_kind(*at);
    return real;
}
