/* core/vision/io/jpeg.c: JPEG files: markers, tables, frames and scans (ITU-T T.81, annex B), JFIF and Adobe's segment,
 * which say what the components are. */
#include <inttypes.h>
#include <string.h>

#include "core/vision/io/jpeg_internal.h"

enum {
    SOF0 = 0xc0,
    SOF1 = 0xc1,
    SOF2 = 0xc2,
    DHT = 0xc4,
    JPG = 0xc8,
    DAC = 0xcc,
    SOF15 = 0xcf,
    RST0 = 0xd0,
    RST7 = 0xd7,
    SOI = 0xd8,
    EOI = 0xd9,
    SOS = 0xda,
    DQT = 0xdb,
    DNL = 0xdc,
    DRI = 0xdd,
    APP0 = 0xe0,
    APP1 = 0xe1,
    APP14 = 0xee,
    APP15 = 0xef,
    COM = 0xfe,
    TEM = 0x01
};

static bool fail(const tg_Jpeg *j, size_t at, const char *what) {
    return tg_fail("%s, byte %zu: %s", j->file->name, at, what);
}

bool tg_jpeg_is(const uint8_t *bytes, size_t size) {
    return size >= 3 && bytes[0] == 0xff && bytes[1] == SOI && bytes[2] == 0xff;
}

static int number(const uint8_t *bytes) {
    return bytes[0] << 8 | bytes[1];
}

/* A segment's contents, behind its length. */
typedef struct Segment {
    const uint8_t *bytes;
    size_t size, first; /* first: position in the file */
} Segment;

/* Segments whose contents do not matter: as in libjpeg their length may be wrong. */
static bool is_skipped(int marker) {
    return (marker >= APP0 && marker <= APP15) || marker == COM || marker == DNL || marker == DAC;
}

static bool read_segment(tg_Jpeg *j, Segment *s, int marker) {
    const size_t left = j->file->size - j->at;
    if (left < 2) return fail(j, j->file->size, "the file ends within a marker's segment");
    size_t length = (size_t)number(j->file->bytes + j->at);
    if (length < 2 && is_skipped(marker)) length = 2;
    if (length < 2) return fail(j, j->at, "a segment's length is below 2");
    if (length > left) return fail(j, j->at, "a segment is longer than the file");
    *s = (Segment){j->file->bytes + j->at + 2, length - 2, j->at + 2};
    j->at += length;
    return true;
}

/* ---- tables ---- */

static bool read_quantization(tg_Jpeg *j, const Segment *s) {
    for (size_t at = 0; at < s->size;) {
        const int wide = s->bytes[at] >> 4, index = s->bytes[at] & 15;
        const size_t bytes = wide ? 128 : 64;
        if (wide > 1 || index > 3)
            return fail(j, s->first + at, "a quantization table that is not of 8 or 16 bits, or not 0 to 3");
        if (s->size - at - 1 < bytes) return fail(j, s->first + at, "a quantization table is cut off");
        for (int k = 0; k < 64; k++) {
            const uint8_t *p = s->bytes + at + 1 + (wide ? 2 * k : k);
            j->quantization[index][tg_jpeg_zigzag[k]] = (uint16_t)(wide ? number(p) : *p);
        }
        j->has_quantization[index] = true;
        at += 1 + bytes;
    }
    return true;
}

static bool read_huffman(tg_Jpeg *j, const Segment *s) {
    for (size_t at = 0; at < s->size;) {
        const int is_ac = s->bytes[at] >> 4, index = s->bytes[at] & 15;
        size_t count = 0;
        if (is_ac > 1 || index > 3)
            return fail(j, s->first + at, "a Huffman table that is not DC or AC, or not 0 to 3");
        if (s->size - at < 17) return fail(j, s->first + at, "a Huffman table is cut off");
        for (int i = 0; i < 16; i++) count += s->bytes[at + 1 + (size_t)i];
        if (count > 256 || s->size - at - 17 < count) return fail(j, s->first + at, "a Huffman table is cut off");
        tg_jpeg_make_table(is_ac ? &j->ac[index] : &j->dc[index], s->bytes + at + 1, s->bytes + at + 17);
        at += 17 + count;
    }
    return true;
}

/* ---- the frame ---- */

static int64_t divided(int64_t a, int64_t b) {
    return (a + b - 1) / b;
}

static bool read_frame(tg_Jpeg *j, const Segment *s, int marker) {
    if (j->has_frame) return fail(j, s->first, "the file has two frames");
    if (marker != SOF0 && marker != SOF1 && marker != SOF2)
        return tg_fail("%s, byte %zu: the coding process SOF%d is not supported: baseline, extended sequential and "
                       "progressive Huffman coding are",
                       j->file->name, s->first, marker - SOF0);
    if (s->size < 6 || s->size != 6 + 3 * (size_t)s->bytes[5])
        return fail(j, s->first, "Bogus marker length: the frame's header is longer, or cut off");
    if (s->bytes[0] != 8)
        return tg_fail("%s, byte %zu: samples of %d bits are not supported: of 8 bits are", j->file->name, s->first,
                       s->bytes[0]);
    j->height = number(s->bytes + 1);
    j->width = number(s->bytes + 3);
    j->components = s->bytes[5];
    if (!j->height || !j->width) return fail(j, s->first + 1, "Empty JPEG image (DNL not supported)");
    if (j->components != 1 && j->components != 3 && j->components != 4)
        return tg_fail("%s, byte %zu: %d components, where 1, 3 or 4 are supported", j->file->name, s->first + 5,
                       j->components);
    j->is_progressive = marker == SOF2;
    j->h_max = j->v_max = 1;
    for (int i = 0; i < j->components; i++) {
        const uint8_t *p = s->bytes + 6 + 3 * i;
        tg_JpegComponent *c = &j->component[i];
        *c = (tg_JpegComponent){.id = p[0], .h = p[1] >> 4, .v = p[1] & 15, .quantization = p[2]};
        if (c->h < 1 || c->h > 4 || c->v < 1 || c->v > 4 || c->quantization > 3)
            return fail(j, s->first + 6 + 3 * (size_t)i, "Bogus sampling factors or quantization table");
        if (c->h > j->h_max) j->h_max = c->h;
        if (c->v > j->v_max) j->v_max = c->v;
    }
    j->mcus = divided(j->width, 8 * j->h_max);
    j->mcu_rows = divided(j->height, 8 * j->v_max);
    uint64_t blocks = 0;
    for (int i = 0; i < j->components; i++) {
        tg_JpegComponent *c = &j->component[i];
        if (j->h_max % c->h || j->v_max % c->v)
            return fail(j, s->first + 7 + 3 * (size_t)i, "Fractional sampling not implemented yet");
        c->width = divided(j->width * c->h, j->h_max);
        c->height = divided(j->height * c->v, j->v_max);
        c->blocks = divided(c->width, 8);
        c->block_rows = divided(c->height, 8);
        c->stride = j->mcus * c->h;
        c->stored_rows = j->mcu_rows * c->v;
        blocks += (uint64_t)(c->stride * c->stored_rows);
    }
    /* a block takes a bit or more, which bounds the memory that a small file can ask for */
    if (blocks / 8 > j->file->size)
        return tg_fail("%s: the file has %zu bytes, too few for an image of %" PRId64 " x %" PRId64 " pixels: Image is "
                       "incomplete or truncated",
                       j->file->name, j->file->size, j->width, j->height);
    j->has_frame = true;
    for (int i = 0; i < j->components; i++) {
        tg_JpegComponent *c = &j->component[i];
        const size_t samples = (size_t)(c->stride * c->stored_rows) * 64;
        c->samples = tg_alloc_raw(samples);
        if (c->samples) memset(c->samples, 128, samples);
        if (j->is_progressive) c->coefficients = tg_alloc(samples * sizeof(int16_t));
        if (!c->samples || (j->is_progressive && !c->coefficients)) return false;
    }
    return true;
}

static void free_jpeg(tg_Jpeg *j) {
    for (int i = 0; j->has_frame && i < j->components; i++) {
        tg_JpegComponent *c = &j->component[i];
        const size_t samples = (size_t)(c->stride * c->stored_rows) * 64;
        tg_free(c->samples, samples);
        tg_free(c->coefficients, samples * sizeof(int16_t));
    }
}

/* ---- scans ---- */

/* A Huffman table that the scan uses; a missing or broken one is an error. */
static bool check_table(const tg_Jpeg *j, bool is_ac, int index, size_t at) {
    const tg_JpegTable *table = index > 3 ? NULL : is_ac ? &j->ac[index] : &j->dc[index];
    if (!table || !table->is_set)
        return tg_fail("%s, byte %zu: Huffman table 0x%02x was not defined", j->file->name, at, index + 16 * is_ac);
    if (table->is_broken) return fail(j, at, "Bogus Huffman table definition: too many codes");
    return is_ac || table->largest_value < 16 ||
           fail(j, at, "Bogus Huffman table definition: a DC value of more than 15 bits");
}

static bool read_scan(tg_Jpeg *j, const Segment *s) {
    if (!j->has_frame) return fail(j, s->first, "a scan before the frame: Invalid JPEG file structure: SOS before SOF");
    const int count = s->size ? s->bytes[0] : 0;
    if (count < 1 || count > 4 || s->size != 4 + 2 * (size_t)count)
        return fail(j, s->first, "Bogus marker length: the scan's header is longer, or cut off");
    if (!j->has_scan && !j->is_progressive) tg_jpeg_standard_tables(j);
    j->has_scan = true;
    const uint8_t *end = s->bytes + 1 + 2 * count;
    j->first = end[0], j->last = end[1], j->high = end[2] >> 4, j->low = end[2] & 15;
    if (!j->is_progressive) j->first = 0, j->last = 63, j->high = j->low = 0;
    if (j->last > 63 || j->first > j->last || j->low > 13 || (j->high && j->high != j->low + 1) ||
        (j->is_progressive && j->first == 0 && j->last != 0) || (j->first > 0 && count != 1))
        return tg_fail("%s, byte %zu: Invalid progressive parameters Ss=%d Se=%d Ah=%d Al=%d", j->file->name,
                       s->first + 1 + 2 * (size_t)count, j->first, j->last, j->high, j->low);
    j->scan_count = count;
    int blocks = 0;
    for (int i = 0; i < count; i++) {
        int found = -1;
        for (int k = 0; k < j->components; k++)
            if (j->component[k].id == s->bytes[1 + 2 * i]) found = found < 0 ? k : found;
        for (int k = 0; k < i; k++)
            if (j->scan[k] == found) found = -1;
        if (found < 0) return fail(j, s->first + 1 + 2 * (size_t)i, "Invalid component ID in the scan");
        tg_JpegComponent *c = &j->component[found];
        j->scan[i] = found;
        c->dc = s->bytes[2 + 2 * i] >> 4;
        c->ac = s->bytes[2 + 2 * i] & 15;
        blocks += c->h * c->v;
        const size_t tables_at = s->first + 2 + 2 * (size_t)i;
        if (j->first == 0 && !(j->is_progressive && j->high) && !check_table(j, false, c->dc, tables_at)) return false;
        if (j->last > 0 && !check_table(j, true, c->ac, tables_at)) return false;
        if (!c->has_table) { /* it keeps the one that its first scan has */
            if (!j->has_quantization[c->quantization])
                return tg_fail("%s, byte %zu: Quantization table 0x%02x was not defined", j->file->name, s->first,
                               c->quantization);
            memcpy(c->table, j->quantization[c->quantization], sizeof c->table);
            c->has_table = true;
        }
    }
    if (count > 1 && blocks > 10) return fail(j, s->first, "Sampling factors too large for interleaved scan");
    return tg_jpeg_scan(j);
}

/* ---- markers ---- */

static void read_application(tg_Jpeg *j, const Segment *s, int marker) {
    if (marker == APP0 && s->size >= 14 && memcmp(s->bytes, "JFIF", 5) == 0) j->has_jfif = true;
    if (marker == APP14 && s->size >= 12 && memcmp(s->bytes, "Adobe", 5) == 0) {
        j->has_adobe = true;
        j->adobe_transform = s->bytes[11];
    }
    if (marker == APP1 && s->size > 6 && memcmp(s->bytes, "Exif\0", 6) == 0)
        j->orientation = tg_exif_orientation(s->bytes + 6, s->size - 6);
}

/* The next marker; what is between segments is skipped. -1 at the end of the file. */
static int next_marker(tg_Jpeg *j) {
    const uint8_t *bytes = j->file->bytes;
    while (j->at + 1 < j->file->size) {
        if (bytes[j->at] == 0xff && bytes[j->at + 1] != 0 && bytes[j->at + 1] != 0xff) {
            j->at += 2;
            return bytes[j->at - 1];
        }
        j->at++;
    }
    return -1;
}

/* The end of image's marker, or of the file. Components without a scan are gray. A file without the marker has all of
 * its image if that is in one scan; other files may have more scans. */
static bool check_end(const tg_Jpeg *j, bool has_marker) {
    if (!j->has_frame) return fail(j, j->file->size, "the file has no image: Image is incomplete or truncated");
    bool is_whole = j->has_scan && (has_marker || !j->is_progressive);
    for (int i = 0; i < j->components; i++) is_whole = is_whole && (has_marker || j->component[i].has_table);
    return is_whole || fail(j, j->file->size, "the image has no data: Image is incomplete or truncated");
}

static bool read_markers(tg_Jpeg *j) {
    Segment s = {0};
    j->at = 2;
    for (;;) {
        const int marker = next_marker(j);
        if (marker < 0 || marker == EOI) return check_end(j, marker == EOI);
        if (marker == TEM || (marker >= RST0 && marker <= RST7)) continue;
        if (marker == SOI) return fail(j, j->at - 2, "Invalid JPEG file structure: two SOI markers");
        if (marker < SOF0 || marker == JPG || (marker > DRI && marker < APP0) || (marker > APP15 && marker != COM))
            return tg_fail("%s, byte %zu: Unsupported marker type 0x%02x", j->file->name, j->at - 1, marker);
        if (!read_segment(j, &s, marker)) return false;
        bool ok = true;
        if (marker == DQT)
            ok = read_quantization(j, &s);
        else if (marker == DHT)
            ok = read_huffman(j, &s);
        else if (marker == SOS)
            ok = read_scan(j, &s);
        else if (marker == DRI) {
            if (s.size != 2) return fail(j, s.first, "Bogus marker length: the restart interval has 2 bytes");
            j->restart_interval = number(s.bytes);
        } else if (marker >= SOF0 && marker <= SOF15 && marker != JPG && marker != DAC)
            ok = read_frame(j, &s, marker);
        else
            read_application(j, &s, marker);
        if (!ok) return false;
    }
}

/* The coefficients of a progressive file become samples. */
static void finish(tg_Jpeg *j) {
    for (int i = 0; j->is_progressive && i < j->components; i++) {
        tg_JpegComponent *c = &j->component[i];
        for (int64_t y = 0; y < c->block_rows; y++)
            for (int64_t x = 0; x < c->blocks; x++)
                tg_jpeg_samples(j, c, x, y, c->coefficients + (y * c->stride + x) * 64, true);
    }
}

Tensor *tg_jpeg_decode(const tg_ImageFile *file, const io_ImageOptions *options) {
    if (options->mode != ImageReadMode_UNCHANGED && options->mode != ImageReadMode_GRAY &&
        options->mode != ImageReadMode_RGB)
        return tg_fail("%s: The provided mode is not supported for JPEG files", file->name);
    tg_Jpeg *j = tg_alloc(sizeof *j);
    if (!j) return NULL;
    j->file = file;
    j->kernels = tg_jpeg_kernels();
    j->orientation = 1;
    Tensor *image = NULL;
    if (read_markers(j)) {
        finish(j);
        image = tg_jpeg_pixels(j, options->mode);
        if (options->apply_exif_orientation) image = tg_exif_orient(image, j->orientation);
    }
    free_jpeg(j);
    tg_free(j, sizeof *j);
    return image;
}
