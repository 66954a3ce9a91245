/* tests/programs/address_space.c: with little address space left (ulimit -v) large tensors still have memory: the
 * range for them, usually 1 GB, is as small as it must be; and what does not fit is refused. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/core.h"

static const long MB = 1 << 20;

/* Bytes of address space in use: the first number of /proc/self/statm, in pages; 0: unknown. */
static long bytes_in_use(void) {
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file) return 0;
    if (fscanf(file, "%ld", &pages) != 1) pages = 0;
    fclose(file);
    return pages * sysconf(_SC_PAGESIZE);
}

int main(void) {
    t_set_num_threads(1); /* no stacks of workers */
    t_set_error_handler(NULL, NULL);
    const long used = bytes_in_use();
    if (!used || setrlimit(RLIMIT_AS, &(struct rlimit){(rlim_t)(used + 200 * MB), RLIM_INFINITY}) != 0) {
        printf("address_space: the address space cannot be limited here\n");
        return 0;
    }
    bool ok = true;
    with_scope () {
        Tensor *x = t_ones(10 * MB / 4), *y = x ? t_add(x, x) : NULL; /* of 10 MB each */
        ok = y && t_item(t_sum(y)) == 2 * 10 * MB / 4;
        const t_TensorOptions options = {.size = sizeof options};
        Tensor *large = ok ? (t_ones)((int64_t[]){300 * MB / 4}, 1, &options) : NULL;
        const char *text = t_error();
        ok = ok && !large && text && strncmp(text, "out of memory", 13) == 0;
        t_clear_error();
        ok = ok && (t_add)(y, y); /* and there is memory again */
    }
    printf("address_space: %s\n", ok ? "large tensors in 200 MB" : "no memory for 10 MB, or some for 300 MB");
    return !ok;
}
