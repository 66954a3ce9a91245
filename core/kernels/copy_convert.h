/* Rows of words moved, turned round or filled; words of one type made of those of another. */
#ifndef TG_KERNELS_MOVE_H
#define TG_KERNELS_MOVE_H

#include <stdint.h>

/* to[i] = from[i] for n words that stand so many bytes apart; steps may be 0 or negative. */
typedef void (*tg_Move)(int64_t n, char *to, int64_t to_step, const char *from, int64_t from_step);

/* The one for words of 1, 4 or 8 bytes that stand so far apart. */
tg_Move tg_move(int64_t size, int64_t to_step, int64_t from_step);

/* to[i] = from[i] where words stand side by side; their types are numbered bool, int64, float, double. NULL for two alike, and
 * for bools (elementwise.h has `holds`). */
typedef void (*tg_Convert)(int64_t n, void *to, const void *from);
tg_Convert tg_convert(int to, int from);

/* to[i] = start + (first + i * way) * step for n words; the product is rounded, then the sum, both as double. */
void tg_range_f32(int64_t n, float *to, double start, double step, double first, int way);
void tg_range_f64(int64_t n, double *to, double start, double step, double first, int way);

void tg_range_i64(int64_t n, int64_t *to, int64_t start, int64_t step); /* to[i] = start + i * step */

#endif
