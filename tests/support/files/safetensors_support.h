/* tests/support/files/safetensors_support.h: writes safetensors files in memory, for tests. */
#ifndef TAPEGRAD_TESTS_SUPPORT_FILES_SAFETENSORS_SUPPORT_H
#define TAPEGRAD_TESTS_SUPPORT_FILES_SAFETENSORS_SUPPORT_H

#include "core/io/io.h"
#include "tests/support/support.h"

/* A header of one tensor. */
#define TEST_2X2 "{\"test\":{\"dtype\":\"I32\",\"shape\":[2,2],\"data_offsets\":[0,16]}}"

/* The header's size, the header, then `size` bytes 1, 2, 3, ...: malloced. */
uint8_t *file_of(const char *header, size_t size, size_t *all);
/* safetensors_load of it. */
t_TensorDict *load_of(const char *header, size_t size);
/* Loading it fails with "data: message". */
void expect_bad(const char *header, size_t size, const char *message);

#endif
