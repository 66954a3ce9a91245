/* core/vision/io/exif.c: the orientation that a camera writes (EXIF, tag 0x112 of TIFF's first directory). */
#include <string.h>

#include "core/autograd/autograd.h"
#include "core/vision/io/image_internal.h"

static uint32_t number(const uint8_t *at, int bytes, bool is_big) {
    uint32_t x = 0;
    for (int i = 0; i < bytes; i++) x = x << 8 | at[is_big ? i : bytes - 1 - i];
    return x;
}

int tg_exif_orientation(const uint8_t *tiff, size_t size) {
    enum { HEADER = 8, ENTRY = 12, ORIENTATION = 0x112, SHORT = 3 };
    if (size < HEADER || tiff[0] != tiff[1] || (tiff[0] != 'I' && tiff[0] != 'M')) return 1;
    const bool is_big = tiff[0] == 'M';
    const size_t at = number(tiff + 4, 4, is_big);
    if (number(tiff + 2, 2, is_big) != 42 || at > size - 2) return 1;
    const size_t count = number(tiff + at, 2, is_big);
    for (size_t i = 0; i < count && size - at - 2 >= (i + 1) * ENTRY; i++) {
        const uint8_t *entry = tiff + at + 2 + i * ENTRY;
        if (number(entry, 2, is_big) != ORIENTATION) continue;
        const uint32_t value = number(entry + 8, 2, is_big);
        return number(entry + 2, 2, is_big) == SHORT && value >= 1 && value <= 8 ? (int)value : 1;
    }
    return 1;
}

/* 2: mirrored, 3: turned by 180 degrees, 4: upside down and mirrored, 5 to 8: with rows and columns exchanged. */
Tensor *tg_exif_orient(Tensor *image, int orientation) {
    if (!image || orientation == 1) return image;
    const bool swaps = orientation >= 5;
    const bool flips_rows = orientation == 3 || orientation == 4 || orientation == 7 || orientation == 8;
    const bool flips_columns = orientation == 2 || orientation == 3 || orientation == 6 || orientation == 7;
    const int rows = swaps ? 2 : 1, columns = swaps ? 1 : 2; /* the dims of the image that they come from */
    const int64_t shape[3] = {image->shape[0], image->shape[rows], image->shape[columns]};
    Tensor *turned = tg_empty(shape, 3, image->dtype);
    const size_t size = tg_itemsize(image->dtype);
    uint8_t *to = turned ? tg_data(turned) : NULL;
    for (int64_t c = 0; turned && c < shape[0]; c++)
        for (int64_t y = 0; y < shape[1]; y++)
            for (int64_t x = 0; x < shape[2]; x++, to += size) {
                const int64_t row = flips_rows ? shape[1] - 1 - y : y, column = flips_columns ? shape[2] - 1 - x : x;
                const int64_t at = image->offset + c * image->strides[0] + row * image->strides[rows] +
                                   column * image->strides[columns];
                memcpy(to, image->storage->data + (size_t)at * size, size);
            }
    t_release(tg_take_from_scope(image));
    return turned;
}
