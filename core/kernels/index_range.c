/* core/kernels/index_range.c: index - low or last - index is negative for an index that is out of range: a pass without
 * branches combines these by OR, and the sign bit tells. One loop, with instances for SSE2 and AVX2. */
#include "core/kernels/index_range.h"

#include "core/kernels/isa.h"

static inline __attribute__((always_inline)) bool any_out_of_range(int64_t n, const int64_t *index, uint64_t low,
                                                                   uint64_t last) {
    uint64_t bits = 0;
    for (int64_t i = 0; i < n; i++) bits |= ((uint64_t)index[i] - low) | (last - (uint64_t)index[i]);
    return bits >> 63;
}

#if defined(__x86_64__)
static __attribute__((target("avx2"))) bool any_out_of_range_avx2(int64_t n, const int64_t *index, uint64_t low,
                                                                  uint64_t last) {
    return any_out_of_range(n, index, low, last);
}
#endif

bool tg_any_out_of_range(int64_t n, const int64_t *index, int64_t low, int64_t last) {
#if defined(__x86_64__)
    if (tg_isa() != TG_ISA_BASELINE) return any_out_of_range_avx2(n, index, (uint64_t)low, (uint64_t)last);
#endif
    return any_out_of_range(n, index, (uint64_t)low, (uint64_t)last);
}
