/* core/io/zip.h: ZIP archives of stored entries, which .npz files and torch.save's are (internal).
 *
 * A reader believes nothing: the end record, the directory and each entry's own header must agree, entries may neither overlap
 * nor share a name, and all of it must lie where it can. Compressed, encrypted and split archives are refused. */
#ifndef TAPEGRAD_CORE_IO_ZIP_H
#define TAPEGRAD_CORE_IO_ZIP_H

#include "core/io/file.h"

uint32_t tg_crc32(uint32_t crc, const void *bytes, size_t count); /* goes on from crc; 0 to begin with */

/* ---- reading (zip.c) ---- */

typedef struct tg_ZipEntry {
    const char *name;
    uint64_t header, at, packed, bytes; /* where its header is, its contents are, how many they are there, and how many unpacked */
    uint32_t crc;
    uint16_t flags, method;
} tg_ZipEntry;

typedef struct tg_Zip {
    const tg_Input *in;
    uint64_t count;
    tg_ZipEntry *entries;  /* in the order of the directory */
    tg_ZipEntry **by_name; /* sorted */
    uint8_t *directory;    /* where the names are */
    uint64_t directory_at, directory_bytes;
} tg_Zip;

bool tg_zip_is(const tg_Input *in); /* does it begin as one? */
bool tg_zip_open(tg_Zip *zip, const tg_Input *in); /* in is to stay open; close after an error too */
void tg_zip_close(tg_Zip *zip);
tg_ZipEntry *tg_zip_find(const tg_Zip *zip, const char *name); /* NULL without an error where there is none */
/* To be asked before `bytes` bytes are read from `at` on. Errors: it is compressed or encrypted; its CRC-32 is another, for which
 * all of it is read. */
bool tg_zip_check(const tg_Zip *zip, const tg_ZipEntry *entry, bool has_crc);

/* ---- writing (zip_write.c) ---- */

typedef struct tg_ZipWriter {
    tg_Output *out;
    tg_Output directory; /* in memory */
    uint64_t count;
} tg_ZipWriter;

void tg_zip_begin(tg_ZipWriter *zip, tg_Output *out);
/* The header of an entry; its contents are the next that is written to out. */
bool tg_zip_add(tg_ZipWriter *zip, const char *name, uint64_t bytes, uint32_t crc);
bool tg_zip_end(tg_ZipWriter *zip, bool ok); /* the directory behind all; at any rate frees it. Returns ok or false */

#endif
