/* core/kernels/index_range.h: whether indices are in a range. */
#ifndef TAPEGRAD_CORE_KERNELS_INDEX_RANGE_H
#define TAPEGRAD_CORE_KERNELS_INDEX_RANGE_H

#include <stdbool.h>
#include <stdint.h>

/* Whether one of n indices is below low or above last. */
bool tg_any_out_of_range(int64_t n, const int64_t *index, int64_t low, int64_t last);

#endif
