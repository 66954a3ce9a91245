/* tests/fuzz/target.c: the reader PARSER under libFuzzer (make fuzz PARSER=safetensors SECONDS=60). */
#include <string.h>

#include "tests/fuzz/parsers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_one(PARSER, data, size);
    return 0;
}

/* After most mutations the size of the header is made right again: up to a brace that closes, most often the last one. */
static void mend_safetensors(uint8_t *data, size_t size, unsigned seed) {
    size_t end = size;
    for (unsigned skip = seed % 16 == 1 ? seed / 16 % 4 : 0;; skip--) {
        while (end > 8 && data[end - 1] != '}') end--;
        if (end <= 8) return;
        if (skip == 0) break;
        end--;
    }
    for (int i = 0; i < 8; i++) data[i] = (uint8_t)((uint64_t)(end - 8) >> 8 * i);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed) {
    size = LLVMFuzzerMutate(data, size, room);
    if (seed % 8 && strcmp(PARSER, "safetensors") == 0) mend_safetensors(data, size, seed / 8);
    return size;
}
