/* core/kernels/isa.c: the instruction set of the kernels: what the processor has, or what TAPEGRAD_ISA names. */
#include "isa.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#if defined(__x86_64__)
/* CPUID reports the processor's instructions; XCR0 reports whether the operating system saves the wide registers on a
 * context switch. (__builtin_cpu_supports tests the same, but links 5 KB of tables of processor models.) */
static bool has_bits(unsigned word, unsigned bits) {
    return (word & bits) == bits;
}

static int supported_isa(void) {
    unsigned a, b, c, d, leaf1 = 0, leaf7 = 0, xcr0, high;
    if (__get_cpuid(1, &a, &b, &c, &d))
        leaf1 = c;
    if (!has_bits(leaf1, bit_FMA | bit_OSXSAVE | bit_AVX) || !__get_cpuid_count(7, 0, &a, &leaf7, &c, &d))
        return TG_ISA_BASELINE;
    __asm__("xgetbv" : "=a"(xcr0), "=d"(high) : "c"(0));
    enum { OF_AVX = 1 << 1 | 1 << 2, OF_AVX512 = OF_AVX | 1 << 5 | 1 << 6 | 1 << 7 };
    const bool avx2 = has_bits(leaf7, bit_AVX2) && has_bits(xcr0, OF_AVX);
#if defined(TG_WIDE_ON_AVX2)
    const bool avx512 = true;
#else
    const bool avx512 = has_bits(leaf7, bit_AVX512F | bit_AVX512VL | bit_AVX512DQ | bit_AVX512BW)
        && has_bits(xcr0, OF_AVX512);
#endif
    return avx2 && avx512 ? TG_ISA_AVX512 : avx2 ? TG_ISA_AVX2 : TG_ISA_BASELINE;
}
#else
static int supported_isa(void) {
    return TG_ISA_BASELINE;
}
#endif

static int chosen_isa(void) {
    static const char *const names[] = {"baseline", "avx2", "avx512"};
    const int best = supported_isa();
    const char *value = getenv("TAPEGRAD_ISA");
    for (int isa = 0; value != NULL && isa < best; isa++)
        if (strcmp(value, names[isa]) == 0)
            return isa;
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
