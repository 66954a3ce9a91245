/* core/ops/creation.h: functions that create tensors, random tensors, copies and dtype conversions (public; part of
 * core/ops/ops.h, which explains the notation). */
#ifndef TAPEGRAD_CORE_OPS_CREATION_H
#define TAPEGRAD_CORE_OPS_CREATION_H

#include "core/tensor/list.h"
#include "core/tensor/tuple.h"

T_BEGIN_DECLS

/* ---- creation (core/ops/creation/creation.c, tensor_literal.c, arange.c) ---- */
T_API Tensor *t_tensor_from_text(const char *text, const t_TensorOptions *options);       /* torch.tensor([[1, 2]]) */
T_API Tensor *t_tensor_from_data(const void *data, t_DType of, const int64_t *shape, int ndim,
                                 const t_TensorOptions *options);                         /* torch.tensor(array) */
T_API Tensor *t_number(double value);                   /* a Python float as an operand: does not widen the dtype */
T_API Tensor *t_integer(int64_t value);                 /* a Python int as an operand */
T_API Tensor *t_boolean(bool value);                    /* a Python bool as an operand */
T_API Tensor *t_empty(const int64_t *size, int ndim, const t_TensorOptions *options);     /* torch.empty(size) */
T_API Tensor *t_empty_permuted(const int64_t *size, int ndim, const int64_t *physical_layout, int dims,
                               const t_TensorOptions *options); /* torch.empty_permuted(size, physical_layout) */
T_API Tensor *t_zeros(const int64_t *size, int ndim, const t_TensorOptions *options);     /* torch.zeros(size) */
T_API Tensor *t_ones(const int64_t *size, int ndim, const t_TensorOptions *options);      /* torch.ones(size) */
T_API Tensor *t_full(const int64_t *size, int ndim, double fill_value, const t_TensorOptions *options); /* torch.full */
T_API Tensor *t_eye(int64_t n, int64_t m, const t_TensorOptions *options); /* torch.eye(n, m); T_NONE: n */
T_API Tensor *t_arange(double start, double end, double step, const t_TensorOptions *options); /* torch.arange */
T_API Tensor *t_arange_int64(int64_t start, int64_t end, int64_t step, const t_TensorOptions *options); /* integers */
T_API Tensor *t_linspace(double start, double end, int64_t steps, const t_TensorOptions *options); /* torch.linspace */
T_API Tensor *t_logspace(double start, double end, int64_t steps, double base,
                         const t_TensorOptions *options); /* torch.logspace */
T_API Tensor *t_bartlett_window(int64_t window_length, bool periodic,
                                const t_TensorOptions *options); /* torch.bartlett_window(window_length) (window.c) */
T_API Tensor *t_blackman_window(int64_t window_length, bool periodic,
                                const t_TensorOptions *options); /* torch.blackman_window(window_length) */
T_API Tensor *t_hamming_window(int64_t window_length, bool periodic, double alpha, double beta,
                               const t_TensorOptions *options); /* torch.hamming_window(window_length) */
T_API Tensor *t_hann_window(int64_t window_length, bool periodic,
                            const t_TensorOptions *options); /* torch.hann_window(window_length) */
T_API Tensor *t_kaiser_window(int64_t window_length, bool periodic, double beta,
                              const t_TensorOptions *options); /* torch.kaiser_window(window_length) */
T_API Tensor *t_tril_indices(int64_t row, int64_t col, int64_t offset,
                             const t_TensorOptions *options); /* torch.tril_indices */
T_API Tensor *t_triu_indices(int64_t row, int64_t col, int64_t offset,
                             const t_TensorOptions *options); /* torch.triu_indices */
T_API t_TensorList *t_meshgrid(const t_TensorList *tensors,
                               const char *indexing); /* torch.meshgrid(*tensors, indexing="ij") */
T_API Tensor *t_empty_like(Tensor *x);                  /* torch.empty_like(x) */
T_API Tensor *t_zeros_like(Tensor *x);                  /* torch.zeros_like(x) */
T_API Tensor *t_ones_like(Tensor *x);                   /* torch.ones_like(x) */
T_API Tensor *t_full_like(Tensor *x, double fill_value); /* torch.full_like(x, fill_value) */

T_API Tensor *t_new_empty(Tensor *x, const int64_t *size, int ndim, const t_TensorOptions *options); /* x.new_empty */
T_API Tensor *t_new_zeros(Tensor *x, const int64_t *size, int ndim, const t_TensorOptions *options); /* x.new_zeros */
T_API Tensor *t_new_ones(Tensor *x, const int64_t *size, int ndim, const t_TensorOptions *options); /* x.new_ones */
T_API Tensor *t_new_full(Tensor *x, const int64_t *size, int ndim, double fill_value,
                         const t_TensorOptions *options); /* x.new_full(size, fill_value) */

/* The argument of the macros t_tensor and t_new_tensor: the address of a number (dims -1), a pointer (0), or an
 * array of 1 to 3 dims, with the sizes in bytes of the array, of its rows and of their rows. kind is that of an
 * element: a dtype, or T_C_TEXT_ or one of the constants after it. The functions on _of_ are called by the macros. */
typedef struct t_CData_ {
    const void *data;
    int kind, dims;
    size_t bytes[3];
} t_CData_;
T_API Tensor *t_tensor_of_(const t_CData_ *data, const t_Tuple *size, const t_TensorOptions *options);
T_API Tensor *t_new_tensor_of_(Tensor *x, const t_CData_ *data, const t_Tuple *size, const t_TensorOptions *options);
T_API Tensor *t_arange_of_(Tensor *first, long double second, long double third, const char *text,
                           const t_TensorOptions *options);
T_API Tensor *t_full_of_(const int64_t *shape, int ndim, Tensor *fill_value, const t_TensorOptions *options);
T_API Tensor *t_empty_like_of_(Tensor *x, const t_TensorOptions *options);
T_API Tensor *t_full_like_of_(Tensor *x, double fill_value, const t_TensorOptions *options);
T_API Tensor *t_rand_like_of_(Tensor *x, const t_TensorOptions *options);
T_API Tensor *t_randn_like_of_(Tensor *x, const t_TensorOptions *options);

/* ---- random tensors (core/ops/creation/random.c, rand.c, multinomial.c) ---- */
T_API Tensor *t_rand(const int64_t *size, int ndim, const t_TensorOptions *options);      /* torch.rand(size) */
T_API Tensor *t_randn(const int64_t *size, int ndim, const t_TensorOptions *options);     /* torch.randn(size) */
T_API Tensor *t_randint(int64_t low, int64_t high, const int64_t *size, int ndim,
                        const t_TensorOptions *options); /* torch.randint(low, high, size) */
T_API Tensor *t_randperm(int64_t n, const t_TensorOptions *options);                      /* torch.randperm(n) */
T_API Tensor *t_rand_like(Tensor *x);                                                     /* torch.rand_like(x) */
T_API Tensor *t_randn_like(Tensor *x);                                                    /* torch.randn_like(x) */
T_API Tensor *t_randint_like(Tensor *x, int64_t low, int64_t high,
                             const t_TensorOptions *options); /* torch.randint_like */
T_API Tensor *t_normal(Tensor *mean, Tensor *std, const int64_t *size, int ndim,
                       const t_TensorOptions *options);        /* torch.normal(mean, std, size); ndim -1: no size */
T_API Tensor *t_bernoulli(Tensor *x, double p, t_Generator *generator);       /* torch.bernoulli(x, p); p NAN: none */
T_API Tensor *t_multinomial(Tensor *x, int64_t num_samples, bool replacement,
                            t_Generator *generator); /* torch.multinomial */
T_API Tensor *t_poisson(Tensor *x, t_Generator *generator); /* torch.poisson(x) (gamma.c) */
T_API Tensor *t_binomial(Tensor *count, Tensor *prob, t_Generator *generator); /* torch.binomial(count, prob) */
T_API Tensor *t_uniform_(Tensor *x, double from, double to, t_Generator *generator);      /* x.uniform_(from, to) */
T_API Tensor *t_normal_(Tensor *x, double mean, double std, t_Generator *generator);      /* x.normal_(mean, std) */
T_API Tensor *t_bernoulli_(Tensor *x, double p, t_Generator *generator);                  /* x.bernoulli_(p) */
T_API Tensor *t_exponential_(Tensor *x, double lambd, t_Generator *generator);            /* x.exponential_(lambd) */
T_API Tensor *t_geometric_(Tensor *x, double p, t_Generator *generator);                  /* x.geometric_(p) */
T_API Tensor *t_cauchy_(Tensor *x, double median, double sigma, t_Generator *generator);  /* x.cauchy_(median, sigma) */
T_API Tensor *t_log_normal_(Tensor *x, double mean, double std, t_Generator *generator);  /* x.log_normal_(mean, std) */
T_API Tensor *t_random_(Tensor *x, int64_t from, int64_t to,
                        t_Generator *generator); /* x.random_(from, to), or T_NONE */

/* ---- copies and dtypes (core/ops/creation/copy.c) ---- */
T_API Tensor *t_to(Tensor *x, t_DType dtype);           /* x.to(dtype): x itself if it has that dtype */
T_API Tensor *t_float(Tensor *x);                       /* x.float() */
T_API Tensor *t_double(Tensor *x);                      /* x.double() */
T_API Tensor *t_long(Tensor *x);                        /* x.long(); x.bool() is t_to(x, t_bool) */
T_API Tensor *t_half(Tensor *x);                        /* x.half(); x.bfloat16() is t_to(x, t_bfloat16) */
T_API Tensor *t_int(Tensor *x);                         /* x.int() */
T_API Tensor *t_short(Tensor *x);                       /* x.short() */
T_API Tensor *t_char(Tensor *x);                        /* x.char() */
T_API Tensor *t_byte(Tensor *x);                        /* x.byte() */
T_API Tensor *t_type_as(Tensor *x, Tensor *other);      /* x.type_as(other), x.to(other) */
T_API Tensor *t_clone(Tensor *x);                       /* x.clone() */
T_API Tensor *t_contiguous(Tensor *x);                  /* x.contiguous(): x itself if it is */
T_API Tensor *t_detach(Tensor *x);                      /* x.detach(): the same data, outside the graph */
T_API Tensor *t_copy_(Tensor *x, Tensor *src);          /* x.copy_(src) */
T_API Tensor *t_fill(Tensor *x, Tensor *value);         /* torch.fill(x, value) */
T_API Tensor *t_fill_(Tensor *x, double value);         /* x.fill_(value) */
T_API Tensor *t_zero_(Tensor *x);                       /* x.zero_() */

T_END_DECLS
#endif
