/* tests/support/files/archive_support.c: writes ZIP archives in memory, for tests. */
#include "tests/support/files/archive_support.h"

#include "core/io/zip.h"

void *archive_of(const Piece *pieces, int count, size_t *size) {
    tg_Output out;
    tg_ZipWriter zip;
    tg_output_memory(&out);
    tg_zip_begin(&zip, &out);
    for (int i = 0; i < count; i++) {
        tg_zip_add(&zip, pieces[i].name, pieces[i].size, tg_crc32(0, pieces[i].bytes, pieces[i].size));
        tg_output_write(&out, pieces[i].bytes, pieces[i].size);
    }
    void *bytes = tg_output_take(&out, tg_zip_end(&zip, true), size);
    ck_assert_ptr_nonnull(bytes);
    return bytes;
}
