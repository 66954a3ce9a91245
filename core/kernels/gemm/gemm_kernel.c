/* core/kernels/gemm/gemm_kernel.c: the instances of the micro-kernel and of packing, and which one a product takes. */
#include "core/kernels/gemm/gemm_kernel.h"

#include <stddef.h>

#include "core/kernels/isa.h"

#define KERNEL "core/kernels/gemm/gemm_microkernel.inc"
#include "core/kernels/dispatch.inc"

const tg_GemmKernel *tg_gemm_kernel(bool is_double, int64_t n) {
#if defined(__x86_64__)
    static const tg_GemmKernel *const kernels[2][3] = {{&kernel_f32_baseline, &kernel_f32_avx2, &kernel_f32_avx512},
                                                       {&kernel_f64_baseline, &kernel_f64_avx2, &kernel_f64_avx512}};
    const tg_GemmKernel *best = kernels[is_double][tg_isa()];
    /* With fewer columns than a vector has lanes, half-size vectors waste less, and give the same bits. */
    return tg_isa() == TG_ISA_AVX512 && n < best->lanes ? kernels[is_double][TG_ISA_AVX2] : best;
#else
    (void)n;
    return is_double ? &kernel_f64_baseline : &kernel_f32_baseline;
#endif
}
