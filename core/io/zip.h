/* core/io/zip.h: ZIP archives, the container of .npz and torch.save files (internal).
 *
 * The reader trusts nothing: the end record, the directory and each entry's own header must agree, entries must not
 * overlap or have the same name, and all offsets must be valid. Entries are stored or deflated; other methods,
 * encrypted and split archives are errors. */
#ifndef TAPEGRAD_CORE_IO_ZIP_H
#define TAPEGRAD_CORE_IO_ZIP_H

#include "core/io/file.h"

/* ---- reading (zip.c) ---- */

typedef struct tg_ZipEntry {
    const char *name;
    uint64_t header, at, packed, bytes; /* offsets of its header and contents; sizes in the archive and unpacked */
    uint32_t crc;
    uint16_t flags, method;
} tg_ZipEntry;

typedef struct tg_Zip {
    const tg_Input *in;
    uint64_t count;
    tg_ZipEntry *entries;  /* in the order of the directory */
    tg_ZipEntry **by_name; /* sorted */
    uint8_t *directory;    /* contains the names */
    uint64_t directory_at, directory_bytes;
} tg_Zip;

/* Whether it begins like a ZIP archive: 1, 0, or -1 if it cannot be read. */
int tg_zip_is(const tg_Input *in);
bool tg_zip_open(tg_Zip *zip, const tg_Input *in); /* `in` must stay open; close also after an error */
void tg_zip_close(tg_Zip *zip);
tg_ZipEntry *tg_zip_find(const tg_Zip *zip, const char *name); /* NULL without an error if there is none */

/* What an entry contains: bytes `at` and on of `in`, which is the archive itself, or memory if it was compressed. */
typedef struct tg_ZipContents {
    const tg_Input *in;
    uint64_t at, size;
    tg_Input memory;
    tg_Bytes unpacked;
    char name[400]; /* "'x.npy' in all.npz" */
} tg_ZipContents;

/* Errors: the method is not supported, or the entry is encrypted; the compressed data are broken; with has_crc, which
 * reads all contents: a wrong CRC-32. Close also after an error. */
bool tg_zip_open_entry(tg_ZipContents *contents, const tg_Zip *zip, const tg_ZipEntry *entry, bool has_crc);
void tg_zip_close_entry(tg_ZipContents *contents);

/* ---- writing (zip_write.c) ---- */

typedef struct tg_ZipWriter {
    tg_Output *out;
    tg_Output directory; /* in memory */
    uint64_t count;
} tg_ZipWriter;

void tg_zip_begin(tg_ZipWriter *zip, tg_Output *out);
/* Writes the header of an entry; the caller then writes the contents to out. */
bool tg_zip_add(tg_ZipWriter *zip, const char *name, uint64_t bytes, uint32_t crc);
/* The same for an entry that the caller writes as `packed` bytes of DEFLATE. */
bool tg_zip_add_deflated(tg_ZipWriter *zip, const char *name, uint64_t packed, uint64_t bytes, uint32_t crc);
/* ok: writes the directory; always frees it. Returns ok, or false on an error */
bool tg_zip_end(tg_ZipWriter *zip, bool ok);

#endif
