#include "isa.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#if defined(__x86_64__)
/* What the processor can do stands in the words of CPUID; the system must keep the wide registers, too, when it switches
 * threads (XCR0). The compiler's __builtin_cpu_supports asks the same, but brings 5 KB about every model along. */
static bool has(unsigned word, unsigned bits) {
    return (word & bits) == bits;
}

static int supported_isa(void) {
    unsigned a, b, c, d, leaf1 = 0, leaf7 = 0, kept, high;
    if (__get_cpuid(1, &a, &b, &c, &d))
        leaf1 = c;
    if (!has(leaf1, bit_FMA | bit_OSXSAVE | bit_AVX) || !__get_cpuid_count(7, 0, &a, &leaf7, &c, &d))
        return TG_ISA_BASELINE;
    __asm__("xgetbv" : "=a"(kept), "=d"(high) : "c"(0));
    enum { OF_AVX = 1 << 1 | 1 << 2, OF_AVX512 = OF_AVX | 1 << 5 | 1 << 6 | 1 << 7 };
    const bool avx2 = has(leaf7, bit_AVX2) && has(kept, OF_AVX);
#if defined(TG_WIDE_ON_AVX2)
    const bool avx512 = true;
#else
    const bool avx512 = has(leaf7, bit_AVX512F | bit_AVX512VL | bit_AVX512DQ | bit_AVX512BW) && has(kept, OF_AVX512);
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
    const char *wish = getenv("TAPEGRAD_ISA");
    for (int isa = 0; wish != NULL && isa < best; isa++)
        if (strcmp(wish, names[isa]) == 0)
            return isa;
    return best;
}

int tg_isa(void) {
    static atomic_int known = -1; /* two threads that race here find the same answer */
    int isa = atomic_load_explicit(&known, memory_order_relaxed);
    if (isa < 0) {
        isa = chosen_isa();
        atomic_store_explicit(&known, isa, memory_order_relaxed);
    }
    return isa;
}
