/* core/vision/transforms/pil_internal.h: Pillow's arithmetic on 8-bit images: what torchvision's transforms compute for
 * a PIL image (internal). An image is planes of height x width bytes, one after the other. The functions see raw
 * memory only. */
#ifndef TAPEGRAD_CORE_VISION_TRANSFORMS_PIL_INTERNAL_H
#define TAPEGRAD_CORE_VISION_TRANSFORMS_PIL_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "core/vision/transforms/functional.h"

typedef struct tg_Planes {
    uint8_t *data;
    int64_t count, height, width;
} tg_Planes;

/* Image.resize(size, resample): `to` has the new height and width. False with an error set on out of memory. */
bool tg_pil_resize(const tg_Planes *from, const tg_Planes *to, transforms_InterpolationMode mode);
/* Image.transform(size, AFFINE, a, resample): pixel (x, y) of `to` is taken from (a[0] x + a[1] y + a[2], a[3] x +
 * a[4] y + a[5]); where that is outside, `to` keeps its value. mode: nearest, bilinear or bicubic. */
void tg_pil_transform(const tg_Planes *from, const tg_Planes *to, const double a[6], transforms_InterpolationMode mode);
/* The same with PERSPECTIVE: from ((a[0] x + a[1] y + a[2]) / d, (a[3] x + a[4] y + a[5]) / d), where d is
 * a[6] x + a[7] y + 1, and x and y are those of the pixels' centres. */
void tg_pil_perspective(const tg_Planes *from, const tg_Planes *to, const double a[8],
                        transforms_InterpolationMode mode);
/* int(size), as Python converts it. False with an error set for NaN and infinity. */
bool tg_pixels(double size, int64_t *pixels);
/* Image.rotate's matrix for an angle in degrees, and with expand the size that holds the whole rotated image; or for a
 * multiple of 90 degrees without rounding *quarters counter-clockwise, otherwise -1. center: x and y, or NULL. False
 * with an error set if the size is NaN or infinity. */
bool tg_pil_rotation(double angle, bool expand, const double *center, int64_t *height, int64_t *width, double a[6],
                     int *quarters);
/* Image.blend(degenerate, image, factor) of n bytes. */
void tg_pil_blend(const uint8_t *degenerate, const uint8_t *image, uint8_t *to, int64_t n, double factor);
/* Image.filter(ImageFilter.SMOOTH): the mean of 3 x 3 pixels, the middle one weighing 5; the border stays. */
void tg_pil_smooth(const tg_Planes *from, const tg_Planes *to);
/* convert("L") of n pixels in three planes. */
void tg_pil_luma(const uint8_t *rgb, uint8_t *to, int64_t n);
/* convert("HSV"), the hue plus `shift` modulo 256, convert("RGB"), of n pixels in three planes. */
void tg_pil_shift_hue(const uint8_t *rgb, uint8_t *to, int64_t n, uint8_t shift);
/* convert("RGBa") and back: colours multiplied by alpha, the last of `channels` planes. */
void tg_pil_premultiply(uint8_t *image, int channels, int64_t n);
void tg_pil_unpremultiply(uint8_t *image, int channels, int64_t n);

#endif
