/* core/kernels/image/jpeg_kernels.h: the inner loops of decoding JPEG on raw memory: the inverse DCT, upsampling, and
 * YCbCr to RGB. The same bytes for every instruction set.
 *
 * The folder image/ includes core/kernels only. */
#ifndef TAPEGRAD_CORE_KERNELS_IMAGE_JPEG_KERNELS_H
#define TAPEGRAD_CORE_KERNELS_IMAGE_JPEG_KERNELS_H

#include <stdint.h>

typedef struct tg_JpegKernels {
    /* One block's coefficients times their quantization steps, both in order of rows, as 8 x 8 samples: the inverse DCT
     * of C. Loeffler, A. Ligtenberg and G. Moschytz ("Practical fast 1-D DCT algorithms with 11 multiplications",
     * ICASSP 1989) in 13-bit fixed point, with the roundings of libjpeg's jidctint. */
    void (*idct)(const int16_t coefficients[64], const uint16_t table[64], uint8_t *to, int64_t stride);
    /* A row of n > 2 samples twice as wide: 3/4 of the nearer and 1/4 of the farther sample. */
    void (*widen)(const uint8_t *in, int64_t n, uint8_t *out);
    /* The same between two rows: near has 3/4, far 1/4; sums: space for n. */
    void (*widen_rows)(const uint8_t *near, const uint8_t *far, int64_t n, int16_t *sums, uint8_t *out);
    /* n pixels as RGB: R = Y + 1.402 Cr, G = Y - 0.34414 Cb - 0.71414 Cr, B = Y + 1.772 Cb, in 16-bit fixed point. */
    void (*ycc)(const uint8_t *y, const uint8_t *cb, const uint8_t *cr, int64_t n, uint8_t *rgb);
} tg_JpegKernels;

const tg_JpegKernels *tg_jpeg_kernels(void); /* those of this processor */

#endif
