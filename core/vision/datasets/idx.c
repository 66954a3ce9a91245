/* core/vision/datasets/idx.c: idx files, the format of MNIST (Y. LeCun, C. Cortes, C. Burges, "The MNIST database of
 * handwritten digits"). */
#include <inttypes.h>
#include <string.h>

#include "core/tensor/size_arithmetic.h"
#include "core/vision/datasets/datasets_internal.h"

static t_DType dtype_of(uint8_t code) {
    switch (code) {
    case 0x08: return t_uint8;
    case 0x09: return t_int8;
    case 0x0b: return t_int16;
    case 0x0c: return t_int32;
    case 0x0d: return t_float32;
    case 0x0e: return t_float64;
    default: return (t_DType)0;
    }
}

/* From big-endian, in place. */
static void swap_bytes(uint8_t *bytes, int64_t count, size_t size) {
    for (int64_t i = 0; i < count; i++, bytes += size)
        for (size_t a = 0, b = size - 1; a < b; a++, b--) {
            const uint8_t x = bytes[a];
            bytes[a] = bytes[b];
            bytes[b] = x;
        }
}

Tensor *tg_idx_read(const tg_Input *in) {
    uint8_t head[4 + 4 * 3];
    int64_t shape[3], count = 1;
    bool fits = true;
    if (in->size < 4) return tg_fail("%s: no idx file: it has %" PRIu64 " bytes", in->name, in->size);
    if (!tg_input_read(in, 0, head, 4)) return NULL;
    const t_DType dtype = dtype_of(head[2]);
    const int ndim = head[3];
    if (head[0] || head[1] || !dtype)
        return tg_fail("%s: no idx file: it begins with the bytes %02x %02x %02x %02x, where 00 00, a type (08, 09, 0b "
                       "to 0e) and the number of dims are expected",
                       in->name, head[0], head[1], head[2], head[3]);
    if (ndim < 1 || ndim > 3)
        return tg_fail("%s, byte 3: the array has %d dims, but 1 to 3 are supported", in->name, ndim);
    const uint64_t first = 4 + 4 * (uint64_t)ndim;
    if (in->size < first)
        return tg_fail("%s: the file ends within its header: it has %" PRIu64 " bytes, and the header takes %" PRIu64,
                       in->name, in->size, first);
    if (!tg_input_read(in, 0, head, (size_t)first)) return NULL;
    for (int d = 0; d < ndim; d++) {
        const uint8_t *b = head + 4 + 4 * d;
        shape[d] = (int64_t)((uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3]);
        fits = fits && !__builtin_mul_overflow(count, shape[d], &count);
    }
    if (!fits) return tg_fail("%s, byte 4: an array of shape %s is too large", in->name, tg_shape_text(shape, ndim));
    const int64_t bytes = tg_size_mul(count, (int64_t)tg_itemsize(dtype));
    if ((uint64_t)bytes != in->size - first)
        return tg_fail("%s: an array of shape %s takes %" PRId64 " bytes from byte %" PRIu64 " on, but the file has "
                       "%" PRIu64,
                       in->name, tg_shape_text(shape, ndim), bytes, first, in->size - first);
    Tensor *x = tg_empty(shape, ndim, dtype);
    if (!x || (bytes && !tg_input_read(in, first, tg_data(x), (size_t)bytes))) return NULL;
    if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && tg_itemsize(dtype) > 1)
        swap_bytes(tg_data(x), count, tg_itemsize(dtype));
    return x;
}
