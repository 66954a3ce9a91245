/* core/kernels/isa.c: the instruction set of the kernels: what the processor has, or what TAPEGRAD_ISA names. */
#include "isa.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static int supported_isa(void) {
#if defined(__x86_64__)
    __builtin_cpu_init();
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#if defined(TG_WIDE_ON_AVX2)
    const bool avx512 = true;
#else
    const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
#endif
    if (avx2) return avx512 ? TG_ISA_AVX512 : TG_ISA_AVX2;
#endif
    return TG_ISA_BASELINE;
}

static int chosen_isa(void) {
    static const char *const names[] = {"baseline", "avx2", "avx512"};
    const int best = supported_isa();
    const char *value = getenv("TAPEGRAD_ISA");
    for (int isa = 0; value && isa < best; isa++)
        if (strcmp(value, names[isa]) == 0) return isa;
    return best;
}

int tg_isa(void) {
    static atomic_int known = -1; /* -1: not detected yet; threads that race here compute the same value */
    int isa = atomic_load_explicit(&known, memory_order_relaxed);
    if (isa < 0) {
        isa = chosen_isa();
        atomic_store_explicit(&known, isa, memory_order_relaxed);
    }
    return isa;
}
