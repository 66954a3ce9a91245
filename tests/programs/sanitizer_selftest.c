/* tests/programs/sanitizer_selftest.c: two deliberate errors, which the sanitizers must find despite the caching
 * allocator: `sanitizer_selftest release` reads a tensor's data after its scope closed, `sanitizer_selftest overflow`
 * writes one element past its end. */
#include <stdio.h>
#include <string.h>

#include "core/core.h"

static float read_after_release(void) {
    const float *data = NULL;
    with_scope() data = t_data_ptr(t_ones(100));
    return data[7];
}

static float write_past_the_end(void) {
    Tensor *x = t_ones(3, 5);
    float *data = t_data_ptr_mut(x);
    volatile int64_t past = t_numel(x);
    data[past] = 1;
    return data[0];
}

int main(int argc, char **argv) {
    float seen = argc > 1 && strcmp(argv[1], "overflow") == 0 ? write_past_the_end() : read_after_release();
    printf("sanitizer_selftest: not caught (%g)\n", (double)seen);
    return 0;
}
