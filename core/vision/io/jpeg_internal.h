/* core/vision/io/jpeg_internal.h: decoding JPEG, ITU-T T.81: baseline, extended sequential and progressive Huffman
 * coding, 8 bits a sample (internal).
 *
 *     jpeg.c           markers, frames, scans; the format's row in image.c
 *     jpeg_huffman.c   entropy-coded segments; samples, by the kernels in core/kernels/image
 *     jpeg_color.c     upsampling and colours
 *
 * The pixels are those of libjpeg-turbo with its defaults ("islow" IDCT, "fancy" upsampling), bit for bit, also of
 * broken files, and what it refuses is refused. Differences: arithmetic coding and 12 bits are not here; an image for
 * which the file is too small is refused, so that no few bytes take gigabytes; a progressive file whose scans are not
 * all there is not smoothed between its blocks; and of a file with one scan the end of image's marker may be missing,
 * as for Pillow. */
#ifndef TAPEGRAD_CORE_VISION_IO_JPEG_INTERNAL_H
#define TAPEGRAD_CORE_VISION_IO_JPEG_INTERNAL_H

#include "core/kernels/image/jpeg_kernels.h"
#include "core/vision/io/image_internal.h"

enum { JPEG_COMPONENTS = 4, JPEG_LOOKAHEAD = 10 };

/* A Huffman table, annex C. A symbol is run << 4 | size: so many zeros, then a coefficient of `size` bits, which follow
 * the code. lookup[] by the next JPEG_LOOKAHEAD bits: (bits of the code + size) << 8 | symbol, 0 for a longer code; of
 * the codes of each length the largest (-1: none), and what their index in values[] is relative to. A table that is
 * broken is an error where a scan uses it. */
typedef struct tg_JpegTable {
    bool is_set, is_broken;
    uint8_t largest_value;
    uint16_t lookup[1 << JPEG_LOOKAHEAD];
    int32_t largest[18], offset[17];
    uint8_t values[256];
} tg_JpegTable;

/* Entropy-coded bits: those not used yet are at the top of `bits`. */
typedef struct tg_JpegBits {
    uint64_t bits;
    int count, marker; /* marker: met within the data; 0: none, -1: the end of the file */
    const uint8_t *at, *end;
    const uint8_t *next_ff; /* the first 0xff at or behind `at`, or the end; looked for anew when `at` is behind it */
} tg_JpegBits;

typedef struct tg_JpegComponent {
    int id, h, v, quantization;  /* sampling factors; index of its quantization table */
    int64_t width, height;       /* samples */
    int64_t blocks, block_rows;  /* that the samples take */
    int64_t stride, stored_rows; /* blocks that are stored: whole MCUs */
    uint8_t *samples;            /* stride * 8 bytes in a row */
    int16_t *coefficients;       /* of a progressive file: 64 of each block, in order of rows */
    uint16_t table[64];          /* its quantization table when its first scan began */
    bool has_table;
    int dc, ac, predicted; /* in the current scan: Huffman tables, the last DC value */
} tg_JpegComponent;

typedef struct tg_Jpeg {
    const tg_ImageFile *file;
    const tg_JpegKernels *kernels;
    size_t at; /* the next byte */
    int64_t width, height;
    bool has_frame, has_scan, is_progressive, has_jfif, has_adobe;
    int adobe_transform, orientation;
    int components, h_max, v_max;
    int64_t mcus, mcu_rows;
    tg_JpegComponent component[JPEG_COMPONENTS];
    uint16_t quantization[4][64]; /* in order of rows */
    bool has_quantization[4];
    tg_JpegTable dc[4], ac[4];
    int64_t restart_interval;
    /* the current scan */
    int scan_count, scan[JPEG_COMPONENTS], first, last, high, low; /* Ss, Se, Ah, Al */
    tg_JpegBits bits;
    int next_restart;    /* n of the RSTn that comes next */
    bool is_out_of_data; /* what follows up to the next restart is left as it is */
    int64_t end_of_band; /* EOBRUN */
} tg_Jpeg;

/* From zigzag order to order of rows; 16 more entries, for run lengths of a broken file. */
extern const uint8_t tg_jpeg_zigzag[64 + 16];

void tg_jpeg_make_table(tg_JpegTable *table, const uint8_t counts[16], const uint8_t *values);
/* The tables of annex K.3 where the file has none, as frames of Motion JPEG. */
void tg_jpeg_standard_tables(tg_Jpeg *j);
/* Decodes the entropy-coded data from j->at on. Error: the file ends. */
bool tg_jpeg_scan(tg_Jpeg *j);
/* A block's coefficients become block (x, y) of the component's samples; has_ac: it has more than a DC value. */
void tg_jpeg_samples(const tg_Jpeg *j, const tg_JpegComponent *c, int64_t x, int64_t y, const int16_t block[64],
                     bool has_ac);
/* The image with 1, 3 or 4 channels. */
Tensor *tg_jpeg_pixels(tg_Jpeg *j, ImageReadMode mode);

#endif
