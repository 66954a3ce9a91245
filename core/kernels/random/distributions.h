/* core/kernels/random/distributions.h: random distributions on raw memory: torch.rand, randn, randint, randperm,
 * bernoulli and dropout masks.
 *
 * Each function uses the same outputs of the generator in the same order as PyTorch 2.7 and newer on CPU (Linux x86-64)
 * and computes the same bits from them, whatever the number of threads. Pointers are to n contiguous elements, filled
 * in memory order; n = 0 draws nothing. Arguments are not checked here (the callers have PyTorch's errors).
 *
 * U() below is tg_mt_double, two outputs; u() is tg_mt_float, one output; both uniform in [0, 1). Needs IEEE arithmetic
 * as written: compile with -ffp-contract=off. */
#ifndef TAPEGRAD_CORE_KERNELS_RANDOM_DISTRIBUTIONS_H
#define TAPEGRAD_CORE_KERNELS_RANDOM_DISTRIBUTIONS_H

#include "core/kernels/random/mt19937.h"

/* x.uniform_(from, to); torch.rand is from = 0, to = 1.
 *   float32: fma(u(), to - from, from), from and to rounded to float32 first. One output per element.
 *   float64: fma(U(), to - from, from). Two outputs per element.
 * A value that rounds up to `to` becomes `from`, so that [from, to) stays half open: PyTorch does so since 2026;
 * older ones return `to` there, about once in 2^24 float32 draws. Needs from <= to. */
void tg_fill_uniform_f32(tg_MT19937 *g, float *out, int64_t n, double from, double to);
void tg_fill_uniform_f64(tg_MT19937 *g, double *out, int64_t n, double from, double to);

/* x.normal_(mean, std) for a contiguous x; torch.randn is mean = 0, std = 1. Needs std >= 0.
 *   n < 16:  tg_mt_normal, element by element. (So is a tensor of any size that is not contiguous.)
 *   n >= 16: all n elements are filled with uniforms (float32: one output, float64: two); then in each block of 16
 *            elements j and j + 8 become a Box-Muller pair, with u1 = 1 - d[j], u2 = d[j + 8]. If 16 does not divide
 *            n, the last 16 elements are drawn again: n + 16 uniforms in all. The pending value of tg_mt_normal is
 *            unchanged.
 * The float32 blocks use the Cephes polynomials of PyTorch's AVX2 kernel, for every instruction set. (PyTorch itself
 * calls logf, sinf and cosf where there is no AVX2: other last bits on a Mac.) float64 blocks use libm. */
void tg_fill_normal_f32(tg_MT19937 *g, float *out, int64_t n, double mean, double std);
void tg_fill_normal_f64(tg_MT19937 *g, double *out, int64_t n, double mean, double std);

/* x.bernoulli_(p) with one probability for all: 1 where U() < p, else 0. Two outputs per element for every dtype, for
 * p = 0 and p = 1 too. F.dropout(x, d) draws its mask in this way, with p = 1 - d. */
void tg_fill_bernoulli_f32(tg_MT19937 *g, float *out, int64_t n, double p);
void tg_fill_bernoulli_f64(tg_MT19937 *g, double *out, int64_t n, double p);

/* The same draw as a mask of bits: bit i % 64 of mask[i / 64] is U() < p; the last word ends with zeros.
 * A dropout mask in a 32nd of the memory; long ones are drawn on several threads, with the same bits. */
void tg_draw_dropout_mask(tg_MT19937 *g, uint64_t *mask, int64_t n, double p);

/* torch.bernoulli(P), a probability for each element: float32 P: u() < p, one output; float64 P: U() < p, two outputs.
 * The dtype of P alone decides; for another output dtype draw with tg_mt_float or tg_mt_double. out may be p. */
void tg_fill_bernoulli_tensor_f32(tg_MT19937 *g, float *out, const float *p, int64_t n);
void tg_fill_bernoulli_tensor_f64(tg_MT19937 *g, double *out, const double *p, int64_t n);

/* torch.randint(low, high, (n,)), x.random_(low, high): low + draw % (high - low), one draw an element, no rejection.
 * The draw is one output if high - low < 2^28, else 64 bits (two outputs); before 2.7 the limit was 2^32. Other dtypes
 * use the same draws and cast. Needs low < high. */
void tg_fill_randint(tg_MT19937 *g, int64_t *out, int64_t n, int64_t low, int64_t high);

/* torch.randperm(n): Fisher and Yates from the front: swap(r[i], r[i + output % (n - i)]) for i = 0 .. n - 2.
 * n - 1 outputs. From n = 214748364 on (2^32 / 20), as PyTorch since 2.6, the inside-out shuffle on 64-bit draws:
 * 2n outputs. Every dtype gets the same permutation. */
void tg_randperm(tg_MT19937 *g, int64_t *out, int64_t n);

#endif
