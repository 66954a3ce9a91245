/* core/kernels/isa.h: tg_isa(): the vector instruction set that this process uses, detected once from CPUID's feature
 * bits. */
#ifndef TAPEGRAD_CORE_KERNELS_ISA_H
#define TAPEGRAD_CORE_KERNELS_ISA_H

enum {
    TG_ISA_BASELINE, /* what every processor of the architecture has: SSE2 on x86-64, NEON on arm64 */
    TG_ISA_AVX2,     /* AVX2 and FMA: 32-byte vectors */
    TG_ISA_AVX512    /* AVX-512 F, VL, DQ and BW: 64-byte vectors and 32 registers */
};

/* The best instruction set that the processor and the operating system support. The environment variable
 * TAPEGRAD_ISA=baseline|avx2|avx512, read at the first call, selects a lower one; an unknown or unsupported value is
 * ignored. */
int tg_isa(void);

/* TG_PICK(gemm_f32) is gemm_f32_baseline, gemm_f32_avx2 or gemm_f32_avx512, whichever tg_isa() says. dispatch.inc
 * compiles these instances from one source. TG_PICK_UP_TO_AVX2 is for kernels without an AVX-512 instance. */
#if defined(__x86_64__)
#define TG_PICK(name) ((__typeof__(&name##_baseline)[]){name##_baseline, name##_avx2, name##_avx512}[tg_isa()])
#define TG_PICK_UP_TO_AVX2(name) (tg_isa() == TG_ISA_BASELINE ? &name##_baseline : &name##_avx2)
#else
#define TG_PICK(name) (&name##_baseline)
#define TG_PICK_UP_TO_AVX2(name) (&name##_baseline)
#endif

#endif
