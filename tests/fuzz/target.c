/* tests/fuzz/target.c: the reader PARSER under libFuzzer (make fuzz PARSER=npz SECONDS=60). Fields that would make most
 * mutations fail early are corrected after them: the size of a header, an archive's directory and checksums. */
#define _POSIX_C_SOURCE 200112L /* setenv */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/io/zip.h"
#include "core/tensor/context.h"
#include "core/tensorboard/record.h"
#include "tests/fuzz/parsers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

/* Blocks of the library's allocator must end where the sanitizer looks. */
int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc, (void)argv;
    return setenv("TAPEGRAD_CACHE", "off", 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_one(PARSER, data, size);
    return 0;
}

/* Sets the little-endian size of the header that follows it: up to the last `close`, or one of the three before
 * that. */
static void mend_size(uint8_t *data, size_t size, size_t at, size_t bytes, char close, unsigned skip) {
    size_t end = size;
    for (skip = skip % 16 ? 0 : skip / 16 % 4;; skip--) {
        while (end > at + bytes && data[end - 1] != (uint8_t)close) end--;
        if (end <= at + bytes) return;
        if (skip == 0) break;
        end--;
    }
    for (size_t i = 0; i < bytes; i++) data[at + i] = (uint8_t)((uint64_t)(end - at - bytes) >> 8 * i);
}

/* A version 1.0 has 2 bytes, the others 4; the header ends at the line's. */
static void mend_npy(uint8_t *data, size_t size, unsigned seed) {
    if (size > 12) mend_size(data, size, 8, data[6] == 1 ? 2 : 4, '\n', seed);
}

/* The archive again, one entry's contents mutated; 0 where it is none. */
static size_t mutate_entry(uint8_t *data, size_t size, size_t max_size, unsigned seed) {
    tg_Input in;
    tg_Zip zip;
    tg_Output out;
    tg_ZipWriter writer;
    tg_input_memory(&in, data, size, "memory");
    bool ok = tg_zip_open(&zip, &in) && zip.count > 0;
    t_clear_error();
    tg_output_memory(&out);
    tg_zip_begin(&writer, &out);
    uint8_t *contents = malloc(max_size);
    for (uint64_t i = 0; ok && i < zip.count; i++) {
        size_t bytes = zip.entries[i].packed < max_size ? (size_t)zip.entries[i].packed : max_size;
        memcpy(contents, data + zip.entries[i].at, bytes);
        if (i == seed % zip.count) bytes = LLVMFuzzerMutate(contents, bytes, max_size - size + bytes);
        if (i == seed % zip.count && bytes > 10 && contents[0] == 0x93 && seed / 8 % 8)
            mend_npy(contents, bytes, seed / 64);
        ok = tg_zip_add(&writer, zip.entries[i].name, bytes, tg_crc32(0, contents, bytes)) &&
             tg_output_write(&out, contents, bytes);
    }
    size_t all = 0;
    uint8_t *archive = tg_output_take(&out, tg_zip_end(&writer, ok), &all);
    if (archive && all <= max_size) memcpy(data, archive, all);
    const bool fits = archive && all <= max_size;
    tg_zip_close(&zip);
    free(contents);
    free(archive);
    return fits ? all : 0;
}

/* Corrects both copies of the checksums, as long as the directory can be read. */
static void mend_checksums(uint8_t *data, size_t size) {
    enum { CRC_IN_RECORD = 16, CRC_IN_HEADER = 14, NAME_IN_RECORD = 45 /* where zip.c moves it */ };
    tg_Input in;
    tg_Zip zip;
    tg_input_memory(&in, data, size, "memory");
    const bool ok = tg_zip_open(&zip, &in);
    t_clear_error();
    for (uint64_t i = 0; ok && i < zip.count; i++) {
        const tg_ZipEntry *e = &zip.entries[i];
        const uint32_t crc = tg_crc32(0, data + e->at, e->packed);
        const size_t record = (size_t)(zip.directory_at + (uint64_t)(e->name - (char *)zip.directory)) - NAME_IN_RECORD;
        for (int b = 0; b < 4; b++)
            data[record + CRC_IN_RECORD + b] = data[e->header + CRC_IN_HEADER + b] = (uint8_t)(crc >> 8 * b);
    }
    tg_zip_close(&zip);
}

/* The checksums of the records of an event file, as far as their sizes lead. */
static void mend_records(uint8_t *data, size_t size) {
    for (size_t at = 0; size - at >= 16;) {
        uint64_t bytes = 0;
        for (int i = 0; i < 8; i++) bytes |= (uint64_t)data[at + (size_t)i] << 8 * i;
        const uint32_t header = tg_masked_crc32c(data + at, 8);
        for (int i = 0; i < 4; i++) data[at + 8 + (size_t)i] = (uint8_t)(header >> 8 * i);
        if (bytes > size - at - 16) return;
        const uint32_t crc = tg_masked_crc32c(data + at + 12, (size_t)bytes);
        at += 16 + (size_t)bytes;
        for (int i = 0; i < 4; i++) data[at - 4 + (size_t)i] = (uint8_t)(crc >> 8 * i);
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed) {
    const bool is_archive = strcmp(PARSER, "npz") == 0 || strcmp(PARSER, "torch") == 0;
    const bool mends = seed % 8 != 0;
    seed /= 8;
    if (is_archive && mends && seed % 4) {
        const size_t mutated = mutate_entry(data, size, max_size, seed / 4);
        if (mutated) return mutated;
    }
    size = LLVMFuzzerMutate(data, size, max_size);
    if (strcmp(PARSER, "safetensors") == 0 && mends && size > 8) mend_size(data, size, 0, 8, '}', seed);
    if (strcmp(PARSER, "npy") == 0 && mends) mend_npy(data, size, seed);
    if (is_archive && mends) mend_checksums(data, size);
    if (strcmp(PARSER, "events") == 0 && mends) { /* a single record, or several */
        if (size > 16 && seed % 4)
            for (int i = 0; i < 8; i++) data[i] = (uint8_t)((uint64_t)(size - 16) >> 8 * i);
        mend_records(data, size);
    }
    return size;
}
