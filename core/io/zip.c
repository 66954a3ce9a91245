/* core/io/zip.c: reading the directory of a ZIP archive (PKWARE's APPNOTE 6.3, sections 4.3 to 4.5), and entries that
 * are stored or deflated. */
#include "core/io/zip.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/io/utf8.h"

enum {
    END = 22, END64 = 56, LOCATOR = 20, RECORD = 46, HEADER = 30, /* sizes of the records' fixed parts */
    END_SIGNATURE = 0x06054b50, END64_SIGNATURE = 0x06064b50, LOCATOR_SIGNATURE = 0x07064b50,
    RECORD_SIGNATURE = 0x02014b50, HEADER_SIGNATURE = 0x04034b50,
    STORED = 0, DEFLATED = 8, /* methods */
    ENCRYPTED = 1 << 0 | 1 << 6 | 1 << 13, PATCHED = 1 << 5, HAS_DESCRIPTOR = 1 << 3, /* flags */
};

static uint64_t little_endian(const uint8_t *from, int bytes) {
    uint64_t x = 0;
    for (int i = 0; i < bytes; i++) x |= (uint64_t)from[i] << (8 * i);
    return x;
}

static uint16_t u16(const uint8_t *from) {
    return (uint16_t)little_endian(from, 2);
}

static uint32_t u32(const uint8_t *from) {
    return (uint32_t)little_endian(from, 4);
}

int tg_zip_is(const tg_Input *in) {
    uint8_t signature[4];
    if (in->size < END) return 0;
    if (!tg_input_read(in, 0, signature, sizeof signature)) return -1;
    return u32(signature) == HEADER_SIGNATURE || u32(signature) == END_SIGNATURE;
}

/* ---- the end of the archive ---- */

/* Searches for the end record backwards from the file's end; only its comment, of at most 65535 bytes, may follow
 * it. */
static bool find_end(const tg_Input *in, uint64_t *at, uint8_t end[END]) {
    enum { STEP = 1024, FARTHEST = 0xffff };
    uint8_t block[STEP + END];
    for (uint64_t comment = 0; comment <= FARTHEST && comment + END <= in->size; comment += STEP) {
        uint64_t last = in->size - END - comment, first = last >= STEP - 1 ? last - (STEP - 1) : 0;
        if (!tg_input_read(in, first, block, (size_t)(last - first) + END)) return false;
        for (uint64_t p = last + 1; p-- > first;) {
            const uint8_t *record = block + (p - first);
            if (u32(record) != END_SIGNATURE || p + END + u16(record + 20) != in->size) continue;
            memcpy(end, record, END);
            *at = p;
            return true;
        }
    }
    return tg_fail("%s is not a ZIP archive, or is truncated: it has no end record", in->name);
}

/* The zip64 end record, if there is one: its locator is directly before the end record. */
static bool read_end64(tg_Zip *zip, uint64_t *end_at, bool *is_there, uint64_t *disks) {
    uint8_t locator[LOCATOR], end[END64];
    *is_there = false;
    if (*end_at < LOCATOR + END64) return true;
    if (!tg_input_read(zip->in, *end_at - LOCATOR, locator, LOCATOR)) return false;
    if (u32(locator) != LOCATOR_SIGNATURE) return true;
    uint64_t at = little_endian(locator + 8, 8);
    const bool is_before = at == *end_at - LOCATOR - END64;
    if (is_before && !tg_input_read(zip->in, at, end, END64)) return false;
    if (!is_before || u32(end) != END64_SIGNATURE ||
        little_endian(end + 4, 8) != END64 - 12)
        return tg_fail("%s: the zip64 end record is not at byte %" PRIu64 ", where its locator says", zip->in->name,
                       at);
    *disks |= u32(locator + 4) | (u32(locator + 16) > 1) | u32(end + 16) | u32(end + 20) |
              (little_endian(end + 24, 8) ^ little_endian(end + 32, 8));
    zip->count = little_endian(end + 32, 8);
    zip->directory_bytes = little_endian(end + 40, 8);
    zip->directory_at = little_endian(end + 48, 8);
    *end_at = at;
    *is_there = true;
    return true;
}

/* Values in both end records must be equal, unless the smaller one has the placeholder `none`. */
static bool agrees(uint64_t small, uint64_t full, uint64_t none) {
    return small == full || small == none;
}

static bool find_directory(tg_Zip *zip) {
    const tg_Input *in = zip->in;
    uint8_t end[END];
    uint64_t end_at;
    const int is_zip = tg_zip_is(in);
    if (is_zip < 0) return false;
    if (!is_zip) return tg_fail("%s is not a ZIP archive: it does not begin with an entry", in->name);
    if (!find_end(in, &end_at, end)) return false;
    uint64_t count = u16(end + 10), bytes = u32(end + 12), at = u32(end + 16);
    uint64_t disks = (uint64_t)u16(end + 4) | u16(end + 6) | (u16(end + 8) ^ count);
    bool is_large;
    if (!read_end64(zip, &end_at, &is_large, &disks)) return false;
    if (!is_large) {
        zip->count = count;
        zip->directory_bytes = bytes;
        zip->directory_at = at;
    }
    if (disks)
        return tg_fail("%s is a part of a split ZIP archive, as its end record at byte %" PRIu64 " says", in->name,
                       end_at);
    if (!agrees(count, zip->count, 0xffff) || !agrees(bytes, zip->directory_bytes, UINT32_MAX) ||
        !agrees(at, zip->directory_at, UINT32_MAX))
        return tg_fail("%s: the two end records of the ZIP archive, from byte %" PRIu64 " on, contradict each other",
                       in->name, end_at);
    if (zip->directory_at > end_at || zip->directory_bytes != end_at - zip->directory_at)
        return tg_fail("%s: the archive's directory (bytes %" PRIu64 " and %" PRIu64 " more) does not end where its "
                       "end record begins, at byte %" PRIu64,
                       in->name, zip->directory_at, zip->directory_bytes, end_at);
    if (zip->count > zip->directory_bytes / RECORD)
        return tg_fail("%s: %" PRIu64 " entries do not fit into a directory of %" PRIu64 " bytes", in->name, zip->count,
                       zip->directory_bytes);
    return true;
}

/* ---- one entry ---- */

/* The zip64 extra field has, in this order, the 64-bit values for those that are UINT32_MAX in the record. */
static bool read_zip64_extra(const uint8_t *extra, size_t length, uint64_t *const values[3]) {
    const uint8_t *end = extra + length;
    bool ok = true, found = false;
    while (end - extra >= 4) {
        const uint8_t *field = extra + 4;
        size_t size = u16(extra + 2);
        if (size > (size_t)(end - field)) return false;
        extra = field + size;
        if (u16(field - 4) != 1 || found) continue;
        found = true;
        for (int i = 0; i < 3; i++) {
            if (*values[i] != UINT32_MAX) continue;
            if ((size_t)(extra - field) < 8) return false;
            *values[i] = little_endian(field, 8);
            field += 8;
        }
    }
    for (int i = 0; i < 3; i++) ok = ok && (found || *values[i] != UINT32_MAX);
    return ok;
}

/* Reads the record at directory[*at] and makes its name zero-terminated: moves it by one byte, over the last byte of
 * the fixed part. */
static bool read_record(tg_Zip *zip, tg_ZipEntry *entry, uint64_t *at) {
    const char *path = zip->in->name;
    uint8_t *record = zip->directory + *at;
    uint64_t left = zip->directory_bytes - *at;
    if (left < RECORD || u32(record) != RECORD_SIGNATURE)
        return tg_fail("%s: the archive's directory has no entry at byte %" PRIu64, path, zip->directory_at + *at);
    const size_t name = u16(record + 28), extra = u16(record + 30), comment = u16(record + 32);
    if (left - RECORD < name + extra + comment)
        return tg_fail("%s: the entry at byte %" PRIu64 " of the archive's directory is longer than what is left", path,
                       zip->directory_at + *at);
    entry->flags = u16(record + 8);
    entry->method = u16(record + 10);
    entry->packed = u32(record + 20);
    entry->crc = u32(record + 16);
    entry->bytes = u32(record + 24);
    entry->header = u32(record + 42);
    if (u16(record + 34) != 0 ||
        !read_zip64_extra(record + RECORD + name, extra,
                          (uint64_t *const[]){&entry->bytes, &entry->packed, &entry->header}))
        return tg_fail("%s: the sizes of the entry at byte %" PRIu64 " of the archive's directory are broken", path,
                       zip->directory_at + *at);
    char *text = memmove(record + RECORD - 1, record + RECORD, name);
    text[name] = '\0';
    entry->name = text;
    if (name == 0 || strlen(text) != name || tg_utf8_valid(text, name) != name)
        return tg_fail("%s: the entry at byte %" PRIu64 " of the archive's directory has a name that is empty, not "
                       "UTF-8, or contains a 0 byte",
                       path, zip->directory_at + *at);
    *at += RECORD + name + extra + comment;
    return true;
}

/* The entry's local header must agree with the directory. */
static bool read_local_header(const tg_Zip *zip, tg_ZipEntry *entry) {
    enum { BLOCK = 256 };
    const tg_Input *in = zip->in;
    uint8_t header[HEADER], block[BLOCK];
    const size_t length = strlen(entry->name);
    if (entry->header > zip->directory_at || zip->directory_at - entry->header < HEADER + length)
        return tg_fail("'%s' should be at byte %" PRIu64 " of %s, but no entry can be there", entry->name,
                       entry->header, in->name);
    if (!tg_input_read(in, entry->header, header, HEADER)) return false;
    bool same = u32(header) == HEADER_SIGNATURE && u16(header + 8) == entry->method && u16(header + 26) == length;
    if (same && !(u16(header + 6) & HAS_DESCRIPTOR)) /* otherwise the sizes follow the contents */
        same = u32(header + 14) == entry->crc && agrees(u32(header + 18), entry->packed, UINT32_MAX) &&
               agrees(u32(header + 22), entry->bytes, UINT32_MAX);
    for (size_t done = 0, n; same && done < length; done += n) {
        n = length - done < BLOCK ? length - done : BLOCK;
        if (!tg_input_read(in, entry->header + HEADER + done, block, n)) return false;
        same = memcmp(block, entry->name + done, n) == 0;
    }
    if (!same)
        return tg_fail("'%s' should be at byte %" PRIu64 " of %s, but there is no such entry there", entry->name,
                       entry->header, in->name);
    entry->at = entry->header + HEADER + length + u16(header + 28);
    if (entry->at > zip->directory_at || entry->packed > zip->directory_at - entry->at)
        return tg_fail("'%s' in %s has %" PRIu64 " bytes from byte %" PRIu64
                       " on, but the entries end at byte %" PRIu64,
                       entry->name, in->name, entry->packed, entry->at, zip->directory_at);
    return true;
}

/* ---- the directory ---- */

static int by_offset(const void *a, const void *b) {
    const tg_ZipEntry *x = *(tg_ZipEntry *const *)a, *y = *(tg_ZipEntry *const *)b;
    return (x->header > y->header) - (x->header < y->header);
}

static int compare_names(const void *a, const void *b) {
    return strcmp((*(tg_ZipEntry *const *)a)->name, (*(tg_ZipEntry *const *)b)->name);
}

static bool check_overlaps_and_names(tg_Zip *zip) {
    tg_ZipEntry **entries = zip->by_name;
    if (zip->count == 0) return true;
    qsort(entries, zip->count, sizeof *entries, by_offset);
    for (uint64_t i = 1; i < zip->count; i++)
        if (entries[i]->header < entries[i - 1]->at + entries[i - 1]->packed)
            return tg_fail("'%s' and '%s' in %s overlap, from byte %" PRIu64 " on", entries[i - 1]->name,
                           entries[i]->name, zip->in->name, entries[i]->header);
    qsort(entries, zip->count, sizeof *entries, compare_names);
    for (uint64_t i = 1; i < zip->count; i++)
        if (strcmp(entries[i]->name, entries[i - 1]->name) == 0)
            return tg_fail("'%s' occurs twice in %s", entries[i]->name, zip->in->name);
    return true;
}

static bool read_directory(tg_Zip *zip) {
    zip->directory = tg_alloc_raw(zip->directory_bytes + 1);
    zip->entries = zip->directory ? tg_alloc_raw((zip->count + 1) * sizeof *zip->entries) : NULL;
    zip->by_name = zip->entries ? tg_alloc_raw((zip->count + 1) * sizeof *zip->by_name) : NULL;
    if (!zip->by_name || !tg_input_read(zip->in, zip->directory_at, zip->directory, zip->directory_bytes)) return false;
    uint64_t at = 0;
    for (uint64_t i = 0; i < zip->count; i++) {
        if (!read_record(zip, zip->by_name[i] = &zip->entries[i], &at) || !read_local_header(zip, &zip->entries[i]))
            return false;
    }
    if (at != zip->directory_bytes)
        return tg_fail("%s: the archive's directory has %" PRIu64 " bytes after its last entry, which ends "
                       "at byte %" PRIu64,
                       zip->in->name, zip->directory_bytes - at, zip->directory_at + at);
    return check_overlaps_and_names(zip);
}

bool tg_zip_open(tg_Zip *zip, const tg_Input *in) {
    *zip = (tg_Zip){.in = in};
    return find_directory(zip) && read_directory(zip);
}

void tg_zip_close(tg_Zip *zip) {
    tg_free(zip->directory, zip->directory_bytes + 1);
    tg_free(zip->entries, (zip->count + 1) * sizeof *zip->entries);
    tg_free(zip->by_name, (zip->count + 1) * sizeof *zip->by_name);
    *zip = (tg_Zip){0};
}

tg_ZipEntry *tg_zip_find(const tg_Zip *zip, const char *name) {
    const tg_ZipEntry wanted = {.name = name}, *key = &wanted;
    tg_ZipEntry **found = zip->count ? bsearch(&key, zip->by_name, zip->count, sizeof *zip->by_name, compare_names)
        : NULL;
    return found ? *found : NULL;
}

/* ---- contents ---- */

static bool check_coding(const tg_Zip *zip, const tg_ZipEntry *entry) {
    const char *name = entry->name, *path = zip->in->name;
    if (entry->flags & ENCRYPTED) return tg_fail("'%s' in %s is encrypted", name, path);
    if ((entry->method != STORED && entry->method != DEFLATED) || entry->flags & PATCHED)
        return tg_fail("'%s' in %s is compressed by method %u%s, but only stored and deflated entries are supported",
                       name, path, entry->method, entry->flags & PATCHED ? ", as a patch" : "");
    if (entry->method == STORED && entry->packed != entry->bytes)
        return tg_fail("'%s' in %s is stored, and yet %" PRIu64 " bytes long and %" PRIu64 " in the archive", name,
                       path, entry->bytes, entry->packed);
    /* A match of 258 bytes takes at least 2 bits, so that no entry claims more memory than its size explains. */
    return entry->bytes / 1032 <= entry->packed ||
           tg_fail("'%s' in %s cannot have %" PRIu64 " bytes, since it has %" PRIu64 " in the archive", name, path,
                   entry->bytes, entry->packed);
}

static bool inflate_entry(tg_ZipContents *c, const tg_Zip *zip, const tg_ZipEntry *entry) {
    tg_Bytes read = {0};
    if (!zip->in->bytes && (!tg_bytes_reserve(&read, entry->packed) ||
                            !tg_input_read(zip->in, entry->at, read.at, entry->packed))) {
        tg_bytes_free(&read);
        return false;
    }
    const uint8_t *from = read.at ? read.at : zip->in->bytes + entry->at;
    tg_Compressed packed = {from, entry->packed, zip->in->name, entry->at, 0, false, false};
    bool ok = tg_bytes_reserve(&c->unpacked, entry->bytes ? entry->bytes : 1) &&
              tg_inflate(&packed, &c->unpacked, entry->bytes);
    if (ok && (packed.used != packed.size || c->unpacked.count != entry->bytes))
        ok = tg_fail("%s unpacks %" PRIu64 " of its %" PRIu64 " bytes to %zu, and not to %" PRIu64, c->name,
                     (uint64_t)packed.used, entry->packed, c->unpacked.count, entry->bytes);
    tg_bytes_free(&read);
    return ok;
}

static bool check_crc(const tg_ZipContents *c, const tg_ZipEntry *entry) {
    uint8_t block[1 << 14];
    uint32_t crc = 0;
    for (uint64_t done = 0, n; done < c->size; done += n) {
        n = c->size - done < sizeof block ? c->size - done : sizeof block;
        if (!tg_input_read(c->in, c->at + done, block, n)) return false;
        crc = tg_crc32(crc, block, n);
    }
    return crc == entry->crc || tg_fail("%s is damaged: its CRC-32 is %08" PRIx32 ", and was %08" PRIx32
                                        " when it was written", c->name, crc, entry->crc);
}

bool tg_zip_open_entry(tg_ZipContents *c, const tg_Zip *zip, const tg_ZipEntry *entry, bool has_crc) {
    *c = (tg_ZipContents){.in = zip->in, .at = entry->at, .size = entry->bytes};
    snprintf(c->name, sizeof c->name, "'%.200s' in %.180s", entry->name, zip->in->name);
    if (!check_coding(zip, entry)) return false;
    if (entry->method == DEFLATED) {
        if (!inflate_entry(c, zip, entry) || !tg_input_memory(&c->memory, c->unpacked.at, entry->bytes, c->name))
            return false;
        c->in = &c->memory;
        c->at = 0;
    }
    return !has_crc || check_crc(c, entry);
}

void tg_zip_close_entry(tg_ZipContents *contents) {
    tg_bytes_free(&contents->unpacked);
}
