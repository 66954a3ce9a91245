/* tests/support/files/safetensors_support.c: writes safetensors files in memory, for tests. */
#include "tests/support/files/safetensors_support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint8_t *file_of(const char *header, size_t size, size_t *all) {
    const size_t n = strlen(header);
    *all = 8 + n + size;
    uint8_t *bytes = malloc(*all);
    ck_assert_ptr_nonnull(bytes);
    for (int i = 0; i < 8; i++) bytes[i] = (uint8_t)((uint64_t)n >> 8 * i);
    memcpy(bytes + 8, header, n);
    for (size_t i = 0; i < size; i++) bytes[8 + n + i] = (uint8_t)(i + 1);
    return bytes;
}

t_TensorDict *load_of(const char *header, size_t size) {
    size_t all;
    uint8_t *bytes = file_of(header, size, &all);
    t_TensorDict *dict = (safetensors_load)(bytes, all, NULL);
    free(bytes);
    return dict;
}

void expect_bad(const char *header, size_t size, const char *message) {
    char text[600];
    snprintf(text, sizeof text, "data: %s", message);
    const t_TensorDict *dict = load_of(header, size);
    ck_assert_msg(!dict, "it was read, but expected: %s", text);
    expect_error(text);
}
