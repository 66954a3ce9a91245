/* tests/torture/api/torture.h: what torture.c (calls, processes, findings) and arguments.c share. */
#ifndef TESTS_TORTURE_API_TORTURE_H
#define TESTS_TORTURE_API_TORTURE_H

#include "core/tensor/tensor.h"
#include "tests/torture/api/api.h"

enum { MOST_FUNCTIONS = 4000, MOST_PARAMS = 40, MOST_PENDING = 200 };

typedef struct Call {
    int function;
    uint32_t hostile; /* bit i: argument i is hostile */
    uint64_t base;    /* seed of the arguments that are not */
    uint64_t seed, number;
    bool macro;
} Call;

typedef enum FindingKind {
    find_none,
    find_crash,
    find_hang,
    find_leak,
    find_changed,
    find_changed_const,
    find_error_with_result,
    find_silent,
    find_state,
    find_text,
    find_handler
} FindingKind;

typedef struct Finding {
    FindingKind kind;
    char text[1200];
} Finding;

typedef struct Pending {
    Call call;
    Finding finding;
} Pending;

/* Memory of parent and children. */
typedef struct Shared {
    uint64_t base[MOST_FUNCTIONS]; /* a seed with which the function succeeds; 0: none found */
    int tried[MOST_FUNCTIONS];
    uint64_t succeeded[MOST_FUNCTIONS], refused[MOST_FUNCTIONS], calls;
    double seconds[MOST_FUNCTIONS];
    Call current;
    int phase; /* 0 making arguments, 1 calling, 2 comparing, 3 at the end of the process */
    bool leak_check;
    Finding finding;
    Pending pending[MOST_PENDING];
    int pending_count;
    char last_message[400];
    char printed[60000];
} Shared;

extern Shared *shared;

void found(FindingKind kind, const char *format, ...) T_PRINTF(2, 3);

/* numbers */
static inline uint64_t mix(uint64_t a, uint64_t b) {
    uint64_t z = a + 0x9e3779b97f4a7c15u * (b + 1);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}
static inline uint64_t draw(uint64_t *s, uint64_t n) { /* 0 .. n - 1 */
    *s = mix(*s, 1);
    return n ? *s % n : 0;
}
uint64_t hash_bytes(uint64_t h, const void *bytes, size_t count);
uint64_t hash_generator(uint64_t h, const t_Generator *generator);

/* arguments.c, and the files that it calls (arguments.h) */
void index_producers(void);
void index_files(const char *folder); /* paths may name its files */
void arguments_begin(const Call *c);
void arguments_end(void);
void get_argument(int i, Value *value, long double *wide);
void hash_arguments(void);
void compare_arguments(bool refused, const Function *f);
void prepared_before(const char *function); /* prepared.c: states of the thread that it needs */
void print_to(char *text, size_t size); /* from now on the arguments are also printed as C */
void print_call(const Function *f, bool macro);

#endif
