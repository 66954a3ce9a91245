/* Random distributions on raw memory: the loops behind torch.rand, randn, randint, randperm, bernoulli and dropout masks.
 * No Tensor inside.
 *
 * Every function draws the same words in the same order as PyTorch 2.7 and newer on CPU (Linux x86-64) and makes
 * the same bits of them, serially: thread counts do not matter. Pointers are to n contiguous elements, filled in
 * memory order; n = 0 draws nothing. Arguments are not checked here (the callers word the errors).
 *
 * U() below is tg_mt_double, two words; u() is tg_mt_float, one word; both uniform in [0, 1).
 * Needs IEEE arithmetic as written: compile with -ffp-contract=off. */
#ifndef TG_KERNELS_DISTRIBUTIONS_H
#define TG_KERNELS_DISTRIBUTIONS_H

#include "core/kernels/random/mt19937.h"

/* x.uniform_(from, to); torch.rand is from = 0, to = 1.
 *   float32: fma(u(), to - from, from), from and to rounded to float32 first. One word an element.
 *   float64: fma(U(), to - from, from). Two words an element.
 * A value that rounds up to `to` becomes `from`, so that [from, to) stays half open: PyTorch does so since 2026;
 * older ones return `to` there, about once in 2^24 float32 draws. Needs from <= to. */
void tg_fill_uniform_f32(tg_MT19937 *g, float *out, int64_t n, double from, double to);
void tg_fill_uniform_f64(tg_MT19937 *g, double *out, int64_t n, double from, double to);

/* x.normal_(mean, std) for a contiguous x; torch.randn is mean = 0, std = 1. Needs std >= 0.
 *   n < 16: tg_mt_normal element by element.
 *   n >= 16: all n elements are filled with uniforms (float32: one word, float64: two); then in each block of 16
 *   element j and j + 8 are one Box-Muller pair, with u1 = 1 - d[j], u2 = d[j + 8]. If 16 does not divide n, the
 *   last 16 elements are drawn again, so n + 16 uniforms are spent. The waiting value of tg_mt_normal is not touched.
 *   (A tensor that is not contiguous takes the first rule whatever its size: see tg_mt_normal.)
 * The float32 blocks use the Cephes polynomials of PyTorch's AVX2 kernel, on every machine. (PyTorch itself calls
 * logf, sinf and cosf where there is no AVX2: other last bits on a Mac.) float64 blocks use libm. */
void tg_fill_normal_f32(tg_MT19937 *g, float *out, int64_t n, double mean, double std);
void tg_fill_normal_f64(tg_MT19937 *g, double *out, int64_t n, double mean, double std);

/* x.bernoulli_(p) with one probability for all: 1 where U() < p, else 0. Two words an element for every dtype, for
 * p = 0 and p = 1 too. F.dropout(x, d) draws its mask so, with p = 1 - d. */
void tg_fill_bernoulli_f32(tg_MT19937 *g, float *out, int64_t n, double p);
void tg_fill_bernoulli_f64(tg_MT19937 *g, double *out, int64_t n, double p);

/* The same draw with the answers as bits: bit i % 64 of keep[i / 64] is U() < p; the last word is filled up with zeros.
 * The mask of a dropout in a 32nd of the room, and long ones are drawn on several threads, with the same bits. */
void tg_draw_dropout_mask(tg_MT19937 *g, uint64_t *keep, int64_t n, double p);

/* torch.bernoulli(P), a probability for each element: float32 P: u() < p, one word; float64 P: U() < p, two words.
 * The dtype of P alone decides; for another output dtype draw with tg_mt_float or tg_mt_double. out may be p. */
void tg_fill_bernoulli_tensor_f32(tg_MT19937 *g, float *out, const float *p, int64_t n);
void tg_fill_bernoulli_tensor_f64(tg_MT19937 *g, double *out, const double *p, int64_t n);

/* torch.randint(low, high, (n,)), x.random_(low, high): low + draw % (high - low), one draw an element, nothing
 * rejected. The draw is one word if high - low < 2^28, else 64 bits (two words); before 2.7 the limit was 2^32.
 * Other dtypes take the same draws and cast. Needs low < high. */
void tg_fill_randint(tg_MT19937 *g, int64_t *out, int64_t n, int64_t low, int64_t high);

/* torch.randperm(n): Fisher and Yates from the front: swap(r[i], r[i + word % (n - i)]) for i = 0 .. n - 2.
 * n - 1 words. From n = 214748364 on (2^32 / 20), as PyTorch since 2.6, the inside-out shuffle on 64-bit draws:
 * 2n words. Every dtype gets the same permutation. */
void tg_randperm(tg_MT19937 *g, int64_t *out, int64_t n);

#endif
