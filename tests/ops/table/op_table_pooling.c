/* tests/ops/table/op_table_pooling.c: pooling, resizing, sampling, and whole channels dropped or rearranged
 * (nn/functional/pooling, dropout/feature_dropout.c, vision). */
#include <math.h>

#include "nn/functional/functional.h"
#include "tests/ops/table/op_table.h"

/* Numbers, of two dims each twice: kernel, stride (0: not given), padding, dilation - 1 of max_pool; ceil_mode; and
 * of avg_pool not count_include_pad, divisor_override. */
static F_PoolOptions pool_options(const Call *c, int dims, bool of_max) {
    const int64_t *n = c->n, *rest = n + (of_max ? 4 : 3) * dims;
    F_PoolOptions o = F_PoolDefaults;
    for (int d = 0; d < dims; d++) {
        o.kernel_size[d] = n[d];
        o.stride[d] = n[dims + d] ? n[dims + d] : T_NONE;
        o.padding[d] = n[2 * dims + d];
        if (of_max) o.dilation[d] = n[3 * dims + d] + 1;
    }
    o.ceil_mode = rest[0];
    if (of_max) return o;
    o.count_include_pad = !rest[1];
    if (rest[2]) o.divisor_override = rest[2];
    return o;
}
static t_TensorList *two(Tensor *y, Tensor *indices) {
    t_TensorList *ys = list_of(y);
    return ys && t_list_append(ys, indices) ? ys : NULL;
}
#define CALL_MAX(f, dims)                                               \
    static t_TensorList *call_##f(const Call *c) {                      \
        Tensor *indices = NULL;                                         \
        F_PoolOptions options = pool_options(c, dims, true);            \
        options.indices = &indices;                                     \
        Tensor *y = F_##f(c->x[0], &options);                           \
        return y ? two(y, indices) : NULL;                              \
    }
CALL_MAX(max_pool1d, 1)
CALL_MAX(max_pool2d, 2)
#define CALL_AVG(f, dims)                                               \
    static t_TensorList *call_##f(const Call *c) {                      \
        F_PoolOptions options = pool_options(c, dims, false);           \
        return list_of(F_##f(c->x[0], &options));                       \
    }
CALL_AVG(avg_pool1d, 1)
CALL_AVG(avg_pool2d, 2)
static t_TensorList *call_adaptive_avg_pool1d(const Call *c) {
    return list_of(F_adaptive_avg_pool1d(c->x[0], c->n[0]));
}
static t_TensorList *call_adaptive_avg_pool2d(const Call *c) {
    return list_of(F_adaptive_avg_pool2d(c->x[0], c->n));
}
static t_TensorList *call_adaptive_max_pool1d(const Call *c) {
    Tensor *indices = NULL, *y = F_adaptive_max_pool1d(c->x[0], c->n[0], &indices);
    return y ? two(y, indices) : NULL;
}
static t_TensorList *call_adaptive_max_pool2d(const Call *c) {
    Tensor *indices = NULL, *y = F_adaptive_max_pool2d(c->x[0], c->n, &indices);
    return y ? two(y, indices) : NULL;
}
/* Numbers: p in hundredths, training. */
#define CALL_DROPOUT(f)                                                        \
    static t_TensorList *call_##f(const Call *c) {                             \
        return list_of(F_##f(c->x[0], (double)c->n[0] / 100, c->n[1], false)); \
    }
CALL_DROPOUT(dropout1d)
CALL_DROPOUT(dropout2d)
CALL_DROPOUT(alpha_dropout)
CALL_DROPOUT(feature_alpha_dropout)
#define CALL_FACTOR(f) static t_TensorList *call_##f(const Call *c) { return list_of(F_##f(c->x[0], c->n[0])); }
CALL_FACTOR(pixel_shuffle)
CALL_FACTOR(pixel_unshuffle)
CALL_FACTOR(channel_shuffle)
/* Numbers: the norm's p in quarters (-1: inf, -2: -inf), ceil_mode; then kernel and stride (0: not given). */
#define CALL_LP(f, dims)                                                                          \
    static t_TensorList *call_##f(const Call *c) {                                                \
        const int64_t *n = c->n + 2;                                                              \
        F_PoolOptions o = F_PoolDefaults;                                                         \
        for (int d = 0; d < dims; d++) {                                                          \
            o.kernel_size[d] = n[d];                                                              \
            o.stride[d] = n[dims + d] ? n[dims + d] : T_NONE;                                     \
        }                                                                                         \
        o.ceil_mode = c->n[1];                                                                    \
        const double p = c->n[0] == -1 ? (double)INFINITY : c->n[0] == -2 ? -(double)INFINITY : (double)c->n[0] / 4; \
        return list_of(F_##f(c->x[0], p, &o));                                                    \
    }
CALL_LP(lp_pool1d, 1)
CALL_LP(lp_pool2d, 2)
/* Numbers: kernel, stride (0: not given), padding, the output's size (0: not given). */
#define CALL_UNPOOL(f, dims)                                                                      \
    static t_TensorList *call_##f(const Call *c) {                                                \
        const int64_t *n = c->n;                                                                  \
        int64_t size[2] = {T_NONE, F_BOTH};                                                       \
        F_PoolOptions o = F_PoolDefaults;                                                         \
        for (int d = 0; d < dims; d++) {                                                          \
            o.kernel_size[d] = n[d];                                                              \
            o.stride[d] = n[dims + d] ? n[dims + d] : T_NONE;                                     \
            o.padding[d] = n[2 * dims + d];                                                       \
            if (n[3 * dims]) size[d] = n[3 * dims + d];                                           \
        }                                                                                         \
        return list_of(F_##f(c->x[0], c->x[1], &o, size));                                        \
    }
CALL_UNPOOL(max_unpool1d, 1)
CALL_UNPOOL(max_unpool2d, 2)

/* Numbers: the mode, align_corners + 2 antialias + 4 recompute_scale_factor, the size (0: not given), the factor in
 * hundredths (0: not given), the same for the second dim (0: as the first) and the third. */
static const char *const resize_modes[] = {"nearest", "linear", "bilinear", "bicubic", "straight", "trilinear", "area",
                                           "nearest-exact", "lanczos"};
static t_TensorList *call_interpolate(const Call *c) {
    F_InterpolateOptions o = F_InterpolateDefaults;
    o.mode = resize_modes[c->n[0]];
    o.align_corners = c->n[1] & 1;
    o.antialias = c->n[1] & 2;
    o.recompute_scale_factor = c->n[1] & 4;
    for (int i = 0; i < 3; i++) {
        if (c->n[2 + 2 * i]) o.output_size[i] = c->n[2 + 2 * i];
        else if (i == 2 && c->n[4]) o.output_size[i] = T_NONE;
        if (c->n[3 + 2 * i]) o.scale_factor[i] = (double)c->n[3 + 2 * i] / 100;
    }
    return list_of(F_interpolate(c->x[0], &o));
}

/* Numbers: align_corners, the length of the size, the size. */
static t_TensorList *call_affine_grid(const Call *c) {
    return list_of(F_affine_grid(c->x[0], c->n + 2, (int)c->n[1], c->n[0]));
}
/* Numbers: the mode, the padding mode, align_corners; a fourth is a factor of the grid. */
static const char *const sample_modes[] = {"bilinear", "nearest", "bicubic", "linear"},
                  *const padding_modes[] = {"zeros", "border", "reflection", "mirror"};
static t_TensorList *call_grid_sample(const Call *c) {
    Tensor *grid = c->n[3] ? t_mul(c->x[1], t_number((double)c->n[3])) : c->x[1];
    return list_of(F_grid_sample(c->x[0], grid, sample_modes[c->n[0]], padding_modes[c->n[1]], c->n[2]));
}

static const OpCase max_pool1d_cases[] = {
    {"s(2,2,5)", {2}}, {"s(3,7)", {3, 2, 1}}, {"s(2,1,7)", {2, 1, 1, 2}}, {"s(2,2,6)", {4, 3, 2, 0, 1}},
    {"s(1,2,7)", {3, 2, 0, 1, 1}}, {"i(1,1,6)", {2}},
    {"t(1,2,9)", {3, 1, 1}}, {"s(0,2,5)", {2}}, {"x(1,1,12)", {3, 1}}, {NULL},
};
static const OpCase max_pool2d_cases[] = {
    {"s(2,2,4,5)", {2, 2}}, {"s(2,5,5)", {2, 3, 2, 1, 1, 1}}, {"s(1,2,6,7)", {3, 2, 2, 3, 1, 0, 0, 0, 1}},
    {"s(1,1,6,7)", {2, 3, 1, 2, 0, 1, 2, 1}},
    {"t(2,1,4,4)", {2, 2, 1, 1}}, {"s(0,2,4,4)", {2, 2}}, {"i(1,2,4,4)", {3, 3, 1, 1, 1, 1}},
    {"x(1,1,3,4)", {2, 2, 1, 1, 1, 1}},
    {"S(1,1,4,4)", {2, 2}}, {NULL},
};
static const OpCase avg_pool1d_cases[] = {
    {"r(2,2,5)", {2}}, {"r(3,7)", {3, 2, 1}}, {"r(2,2,6)", {4, 3, 2, 1}}, {"r(1,2,7)", {3, 2, 1, 1, 1}},
    {"r(0,2,5)", {2}}, {"i(1,1,6)", {2}},
    {"R(1,1,6)", {2}}, {NULL},
};
static const OpCase avg_pool2d_cases[] = {
    {"r(2,2,4,5)", {2, 2}}, {"r(2,5,5)", {2, 3, 2, 1, 1, 1}}, {"r(1,2,6,7)", {3, 2, 2, 3, 1, 0, 1}},
    {"r(1,2,6,7)", {3, 2, 2, 3, 1, 1, 1, 1}},
    {"r(2,1,5,5)", {3, 3, 1, 1, 1, 1, 0, 1}}, {"r(2,1,5,5)", {3, 3, 2, 2, 0, 0, 0, 0, 4}},
    {"r(2,1,5,5)", {2, 2, 2, 2, 1, 1, 1, 0, -3}},
    {"r(0,2,4,4)", {2, 2}}, {"i(1,2,4,4)", {2, 2}}, {"R(1,1,4,4)", {2, 2}}, {NULL},
};
static const OpCase adaptive_avg_pool1d_cases[] = {
    {"r(2,2,5)", {2}}, {"r(3,7)", {3}}, {"r(2,3,4)", {1}}, {"r(1,2,3)", {5}}, {"r(0,2,5)", {2}}, {"R(1,1,4)", {2}},
    {NULL},
};
static const OpCase adaptive_avg_pool2d_cases[] = {
    {"r(2,2,4,5)", {2, 3}}, {"r(2,5,6)", {3, 3}}, {"r(2,3,4,4)", {1, 1}}, {"r(3,4,4)", {1, 1}},
    {"r(1,2,5,3)", {2, T_NONE}},
    {"r(1,2,2,3)", {3, 5}}, {"r(0,2,4,4)", {2, 2}}, {"R(1,1,4,4)", {2, 2}}, {NULL},
};
static const OpCase adaptive_max_pool1d_cases[] = {
    {"s(2,2,5)", {2}}, {"s(3,7)", {3}}, {"s(2,3,4)", {1}}, {"s(1,2,3)", {5}}, {"s(0,2,5)", {2}}, {"S(1,1,4)", {2}},
    {NULL},
};
static const OpCase adaptive_max_pool2d_cases[] = {
    {"s(2,2,4,5)", {2, 3}}, {"s(2,5,6)", {3, 3}}, {"s(2,3,4,4)", {1, 1}}, {"s(1,2,5,3)", {2, T_NONE}},
    {"s(1,2,2,3)", {3, 5}},
    {"s(0,2,4,4)", {2, 2}}, {"t(1,1,4,4)", {2, 2}}, {"S(1,1,4,4)", {2, 2}}, {NULL},
};
static const OpCase dropout1d_cases[] = {
    {"r(4,3,2)", {50, 1}}, {"r(6,2)", {30, 1}}, {"r(2,3,2)", {100, 1}}, {"r(2,3)", {100, 1}}, {"r(3,2,2)", {0, 1}},
    {"r(3,2)", {50, 0}},
    {"r(0,2,2)", {50, 1}}, {"R(3,4,1)", {20, 1}}, {NULL},
};
static const OpCase dropout2d_cases[] = {
    {"r(3,4,2,2)", {50, 1}}, {"r(4,5,2)", {30, 1}}, {"r(6,4)", {30, 1}}, {"r(2,3,2,2)", {100, 1}},
    {"r(3,2,2,2)", {0, 1}},
    {"r(3,2,1,2)", {50, 0}}, {"r(0,2,2,2)", {50, 1}}, {"r(2,3,1,2,2)", {40, 1}}, {"R(3,4,1,2)", {20, 1}}, {NULL},
};
static const OpCase alpha_dropout_cases[] = {
    {"r(20)", {50, 1}}, {"r(3,4)", {10, 1}}, {"r(2,3,4)", {90, 1}}, {"r(5)", {50, 0}}, {"r(5)", {0, 1}},
    {"r(5)", {100, 1}}, {"r()", {30, 1}},
    {"r(0)", {30, 1}}, {"R(6)", {30, 1}}, {"r(2,1,2,3,2)", {30, 1}}, {"r(2,1,3,2)", {30, 1}}, {NULL},
};
static const OpCase pixel_shuffle_cases[] = {
    {"r(2,8,2,3)", {2}}, {"r(9,1,2)", {3}}, {"r(2,1,4,2,1)", {2}}, {"r(2,2,2)", {1}}, {"i(4,2,2)", {2}},
    {"R(0,4,2,2)", {2}}, {NULL},
};
static const OpCase pixel_unshuffle_cases[] = {
    {"r(2,2,4,6)", {2}}, {"r(1,3,6)", {3}}, {"r(2,1,1,4,2)", {2}}, {"r(2,2,2)", {1}}, {"i(1,4,4)", {2}},
    {NULL},
};
static const OpCase interpolate_cases[] = {
    {"r(2,2,4)", {0, 0, 7}}, {"r(2,2,5)", {0, 0, 0, 250}}, {"r(2,1,7)", {0, 0, 3}}, {"r(2,2,4)", {1, 0, 7}},
    {"r(2,2,4)", {1, 1, 7}},
    {"r(1,2,7)", {1, 0, 0, 60}}, {"r(1,2,3)", {1, 1, 1}}, {"r(2,2,3,4)", {0, 0, 0, 200}},
    {"r(1,2,3,4)", {0, 0, 5, 0, 3}},
    {"r(1,1,5,4)", {0, 0, 0, 150, 0, 50}}, {"r(2,2,3,4)", {2, 0, 0, 200}}, {"r(1,2,3,4)", {2, 1, 5, 0, 7}},
    {"r(1,2,5,6)", {2, 0, 3, 0, 4}},
    {"r(1,1,5,4)", {2, 1, 0, 150, 0, 50}}, {"r(0,2,3,3)", {0, 0, 2}}, {"R(1,1,3,3)", {2, 0, 5}},
    {"r(1,2,4)", {1, 0, 0, 120}}, {"r(1,2,4)", {1, 1, 0, 120}}, {"r(1,2,4,4)", {0, 0, 0, 120}},
    {"r(1,2,4,3)", {0, 0, 0, 120, 0, 200}},     {"r(1,2,4,4)", {2, 0, 0, 120}}, {"r(1,2,4,3)", {2, 0, 0, 120, 0, 200}},
    {"r(1,2,3,4)", {2, 1, 0, 200, 0, 120}}, {"R(1,2,4)", {0, 0, 0, 120}},
    {"r(2,1,4)", {7, 0, 7}}, {"r(1,2,5)", {7, 0, 0, 170}}, {"r(1,2,4,3)", {7, 0, 3, 0, 8}},
    {"r(1,1,3,2,4)", {7, 0, 5, 0, 3, 0, 2}}, {"r(2,1,2,3,2)", {0, 0, 0, 200}}, {"r(1,2,4,3,5)", {0, 0, 2, 0, 5, 0, 3}},
    {"r(1,1,2,3,4)", {5, 0, 3, 0, 5, 0, 2}}, {"r(1,2,3,2,4)", {5, 1, 5, 0, 3, 0, 7}},
    {"r(2,1,2,3,3)", {5, 0, 0, 150, 0, 200, 0, 50}}, {"r(1,1,3,4,3)", {5, 4, 0, 120, 0, 170, 0, 250}},
    {"r(1,2,4,5)", {3, 0, 7, 0, 3}}, {"r(1,1,3,4)", {3, 1, 0, 200}}, {"r(1,1,2,3)", {3, 0, 0, 120, 0, 60}},
    {"r(1,1,7,6)", {2, 2, 3, 0, 4}}, {"r(1,1,4,5)", {3, 2, 6, 0, 2}}, {"r(1,1,8,5)", {8, 2, 3, 0, 7}},
    {"r(1,1,6,7)", {3, 3, 4, 0, 3}}, {"r(1,2,5,4)", {2, 2, 0, 60, 0, 150}}, {"R(1,1,2,2,2)", {5, 0, 3}},
    {"r(2,1,5)", {6, 0, 3}}, {"r(1,2,3,4)", {6, 0, 0, 150}},
    {"r(0,1,2,2,2)", {5, 0, 3}}, {"r(1,2,5)", {0, 4, 0, 170}},
    {NULL},
};
static const OpCase affine_grid_cases[] = {
    {"r(2,2,3)", {0, 4, 2, 1, 3, 4}}, {"r(2,2,3)", {1, 4, 2, 1, 3, 4}}, {"r(1,2,3)", {1, 4, 1, 5, 1, 2}},
    {"r(1,2,3)", {0, 4, 1, 1, 1, 1}}, {"R(3,2,3)", {0, 4, 3, 2, 2, 5}},
    {"r(2,3,4)", {0, 5, 2, 1, 2, 3, 4}}, {"r(1,3,4)", {1, 5, 1, 2, 3, 2, 2}}, {"R(1,3,4)", {0, 5, 1, 1, 1, 2, 3}},
    {NULL},
};
#define SAMPLES(x, mode)                                                                             \
    {x, {mode, 0, 0}}, {x, {mode, 0, 1}}, {x, {mode, 1, 0}}, {x, {mode, 1, 1}}, {x, {mode, 2, 0}}, {x, {mode, 2, 1}}
static const OpCase grid_sample_cases[] = {
    SAMPLES("r(2,2,3,4) r(2,3,2,2)", 0), SAMPLES("r(2,2,3,4) r(2,3,2,2)", 1), SAMPLES("r(2,2,3,4) r(2,3,2,2)", 2),
    {"r(1,1,5,4) r(1,2,3,2)", {0, 2, 0, 7}}, {"r(1,1,5,4) r(1,2,3,2)", {0, 2, 1, 7}},
    {"r(1,1,5,4) r(1,2,3,2)", {2, 2, 0, 7}}, {"r(1,1,5,4) r(1,2,3,2)", {2, 2, 1, 7}},
    {"r(1,2,1,3) r(1,2,2,2)", {0, 2, 1}}, {"r(1,2,1,1) r(1,2,2,2)", {0, 2}}, {"r(1,2,1,1) R(1,2,2,2)", {2, 1, 1}},
    {"r(1,2,3,3) T(1,3,2,2)", {0, 1, 1}}, {"R(1,2,3,3) t(1,3,2,2)", {0, 1, 1}}, {"r(1,2,4,4) T(1,3,2,2)", {0, 1, 1}},
    {"R(1,2,4,4) t(1,3,2,2)", {0, 0, 1}}, {"R(1,2,3,3) r(1,3,3,2)"}, {"r(0,2,3,3) r(0,2,2,2)"},
    {"r(2,1,3,3) r(2,0,2,2)"},
    SAMPLES("r(2,2,3,2,4) r(2,1,2,3,3)", 0), SAMPLES("r(1,2,2,3,4) r(1,2,3,1,3)", 1),
    {"r(1,1,2,4,3) r(1,2,1,3,3)", {0, 2, 0, 7}}, {"r(1,1,3,4,2) r(1,2,1,3,3)", {0, 2, 1, 7}},
    {"R(1,1,2,2,2) r(1,1,2,2,3)"}, {"r(1,1,2,2,2) R(1,1,2,2,3)"}, {"r(0,1,2,2,2) r(0,1,2,2,3)"}, {NULL},
};
static const OpCase feature_alpha_dropout_cases[] = {
    {"r(6,4)", {50, 1}}, {"r(4,5,2)", {30, 1}}, {"r(3,4,2,2)", {10, 1}}, {"r(2,3,1,2,2)", {40, 1}},
    {"r(2,3,2)", {100, 1}}, {"r(2,3)", {50, 0}}, {"r(2,3)", {0, 1}}, {"R(3,4,2)", {30, 1}}, {"r(0,2)", {30, 1}}, {NULL},
};
static const OpCase channel_shuffle_cases[] = {
    {"r(2,4,3)", {2}}, {"r(1,6,2,2)", {3}}, {"r(1,6,2,2)", {2}}, {"r(1,4,2,1,2)", {4}}, {"r(2,4,2)", {1}},
    {"i(1,4,2)", {2}}, {"R(1,4,2)", {2}}, {"r(0,4,2)", {2}}, {NULL},
};
static const OpCase lp_pool1d_cases[] = {
    {"p(2,2,5)", {8, 0, 2}}, {"p(3,7)", {6, 0, 3, 2}}, {"r(2,1,6)", {8, 1, 4, 3}}, {"s(1,2,7)", {-1, 0, 3}},
    {"s(1,2,7)", {-2, 0, 3, 1}}, {"p(2,6)", {-4, 0, 2}}, {"R(1,1,4)", {4, 0, 2}}, {"p(0,2,5)", {8, 0, 2}}, {NULL},
};
static const OpCase lp_pool2d_cases[] = {
    {"p(2,2,4,5)", {8, 0, 2, 2}}, {"p(2,5,5)", {12, 0, 2, 3, 2, 1}}, {"r(1,2,6,7)", {8, 1, 3, 2, 2, 3}},
    {"s(1,2,4,4)", {-1, 0, 2, 2}}, {"s(1,2,4,4)", {-2, 0, 3, 2, 1, 1}}, {"R(1,1,4,4)", {6, 0, 2, 2}},
    {"p(0,2,4,4)", {8, 0, 2, 2}}, {NULL},
};
static const OpCase max_unpool1d_cases[] = {
    {"r(1,3,1) k2(1,3,1)", {2}}, {"r(2,1,1) k4(2,1,1)", {4}}, {"r(1,1) k5(1,1)", {3, 2, 0, 4}},
    {"r(1,2,1) k3(1,2,1)", {3, 1}},
    {"R(1,1,1) k2(1,1,1)", {4, 4, 1}}, {"r(0,1,2) k1(0,1,2)", {2}}, {NULL},
};
static const OpCase max_unpool2d_cases[] = {
    {"r(2,2,1,1) k4(2,2,1,1)", {2, 2}}, {"r(3,1,1) k9(3,1,1)", {3, 3, 2, 2, 0, 0, 4, 4}},
    {"r(1,2,1,1) k1(1,2,1,1)", {2, 2}}, {"R(1,2,1,1) k4(1,2,1,1)", {4, 4, 1, 1, 1, 1}},
    {"r(0,1,1,2) k1(0,1,1,2)", {2, 2}}, {NULL},
};

#define NO_ROOM "Given input size: (3x5x5). Calculated output size: (3x0x0). Output size is too small"
#define HALF "pad should be at most half of effective kernel size, but got pad=2, kernel_size=2 and dilation=1"
static const OpError max_pool1d_errors[] = {
    {"s(5)", {2}, "Expected 2 to 3 dimensions, but got 1-dimensional tensor for argument #1 'self' (while checking "
                  "arguments for max_pool1d)"},
    {"s(2,3,5)", {2, -1}, "stride should be greater than zero, but got dH: 1 dW: -1"},
    {"s(2,3,5)", {2, 1, 2}, HALF},
    {"s(2,3,5)", {2, 1, 0, -1}, "dilation should be greater than zero, but got dilationH: 1 dilationW: 0"},
    {"s(2,3,5)", {6}, "Given input size: (3x1x5). Calculated output size: (3x1x0). Output size is too small"},
    {"b(1,1,3)", {2}, "\"max_pool2d\" not implemented for 'Bool'"},
    {NULL},
};
static const OpError max_pool2d_errors[] = {
    {"s(5,5)", {2, 2}, "non-empty 3D or 4D (batch mode) tensor expected for input"},
    {"s(2,3,5,5)", {0, 0}, "stride should not be zero"},
    {"s(2,3,5,5)", {0, 0, 1, 1}, "kernel size should be greater than zero, but got kH: 0 kW: 0"},
    {"s(2,3,5,5)", {2, 2, 1, 1, 2, 2}, HALF},
    {"s(2,3,5,5)", {2, 2, 1, 1, -1, -1}, "pad must be non-negative, but got pad: -1"},
    {"s(2,3,5,5)", {2, 2, -1, -1}, "stride should be greater than zero, but got dH: -1 dW: -1"},
    {"s(2,3,5,5)", {2, 2, 1, 1, 0, 0, -1, -1},
        "dilation should be greater than zero, but got dilationH: 0 dilationW: 0"},
    {"s(2,3,5,5)", {6, 6}, NO_ROOM},
    {"s(2,0,5,5)", {2, 2},
        "Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input, but got:[2, 0, 5, 5]"},
    {"b(1,1,3,3)", {2, 2}, "\"max_pool2d\" not implemented for 'Bool'"},
    {NULL},
};
static const OpError avg_pool1d_errors[] = {
    {"r(5)", {2}, "Expected 2 to 3 dimensions, but got 1-dimensional tensor for argument #1 'self' (while checking "
                  "arguments for avg_pool1d)"},
    {"r(2,3,5)", {2, 1, 2}, HALF},
    {"r(2,3,5)", {6}, "Given input size: (3x1x5). Calculated output size: (3x1x0). Output size is too small"},
    {"r(2,3,5)", {0}, "stride should not be zero"},
    {"r(2,3,5)", {2, 1, -1}, "pad must be non-negative, but got pad: -1"},
    {NULL},
};
static const OpError avg_pool2d_errors[] = {
    {"r(5,5)", {2, 2}, "Dimension out of range (expected to be in range of [-2, 1], but got -3)"},
    {"r(2,3,5,5)", {0, 0}, "stride should not be zero"},
    {"r(2,3,5,5)", {2, 2, 1, 1, 2, 2}, HALF},
    {"r(2,3,5,5)", {6, 6}, NO_ROOM},
    {"r(2,0,5,5)", {2, 2},
        "Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input, but got:[2, 0, 5, 5]"},
    {"b(1,1,3,3)", {2, 2}, "\"avg_pool2d\" not implemented for 'Bool'"},
    {NULL},
};
#define EMPTY(name, size, \
              dim) name "(): Expected input to have non-zero size for non-batch dimensions, but input has sizes " \
                  size " with dimension " dim " being empty"
static const OpError adaptive_avg_pool1d_errors[] = {
    {"r(5)", {2}, "Expected 2 to 3 dimensions, but got 1-dimensional tensor for argument #1 'self' (while checking "
                  "arguments for adaptive_avg_pool1d)"},
    {"r(2,3,5)", {-1}, "adaptive_avg_pool2d: elements of output_size must be greater than or equal to 0 but received "
                       "{1, -1}"},
    {NULL},
};
static const OpError adaptive_avg_pool2d_errors[] = {
    {"r(5,5)", {2, 2}, "Input dimension should be at least 3"},
    {"r(2,3,5,5)", {-1, 2},
        "adaptive_avg_pool2d: elements of output_size must be greater than or equal to 0 but received {-1, 2}"},
    {"r(2,3,0,5)", {2, 2}, EMPTY("adaptive_avg_pool2d", "[2, 3, 0, 5]", "2")},
    {"i(1,1,3,3)", {2, 2}, "\"adaptive_avg_pool2d\" not implemented for 'Long'"},
    {NULL},
};
static const OpError adaptive_max_pool1d_errors[] = {
    {"s(5)", {2}, "Expected 2 to 3 dimensions, but got 1-dimensional tensor for argument #1 'self' (while checking "
                  "arguments for adaptive_max_pool1d)"},
    {"s(2,3,5)", {-1}, "Trying to create tensor with negative dimension -1: [2, 3, 1, -1]"},
    {NULL},
};
static const OpError adaptive_max_pool2d_errors[] = {
    {"s(5,5)", {2, 2}, "Input dimension should be at least 3"},
    {"s(2,0,5,5)", {2, 2}, EMPTY("adaptive_max_pool2d", "[2, 0, 5, 5]", "1")},
    {"s(2,3,5,5)", {-1, -1}, "Trying to create tensor with negative dimension -1: [2, 3, -1, -1]"},
    {"i(1,1,3,3)", {2, 2}, "\"adaptive_max_pool2d\" not implemented for 'Long'"},
    {NULL},
};
#define DROPOUT1D(rank) "dropout1d: Expected 2D or 3D input, but received a " rank \
    " input. Note that dropout1d exists to provide channel-wise " \
    "dropout on inputs with 1 spatial dimension, a channel dimension, and an optional batch dimension (i.e. 2D or 3D " \
    "inputs)."
static const OpError dropout1d_errors[] = {
    {"r(4)", {50, 1}, DROPOUT1D("1D")}, {"r(1,2,2,2)", {50, 1}, DROPOUT1D("4D")},
    {"r(2,2)", {150, 1}, "dropout probability has to be between 0 and 1, but got 1.5"}, {NULL},
};
static const OpError dropout2d_errors[] = {
    {"r(4)", {50, 1}, "Feature dropout requires at least 2 dimensions in the input"},
    {"r(2,2)", {150, 1}, "dropout probability has to be between 0 and 1, but got 1.5"},
    {"i(2,2)", {50, 1}, "result type Float can't be cast to the desired output type Long"}, {NULL},
};
static const OpError alpha_dropout_errors[] = {{"r(4)", {150, 1},
    "dropout probability has to be between 0 and 1, but got 1.5"}, {NULL}};
static const OpError pixel_shuffle_errors[] = {
    {"r(2,7,2,3)", {2}, "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of "
                        "upscale_factor, but input.size(-3)=7 is not divisible by 4"},
    {"r(2,3)", {2}, "pixel_shuffle expects input to have at least 3 dimensions, but got input with 2 dimension(s)"},
    {"r(2,8,2,3)", {-2}, "pixel_shuffle expects a positive upscale_factor, but got -2"},
    {"r(2,0,2,3)", {INT64_C(1) << 32}, "upscale factor is too large, (upscale_factor)^2 overflowed: "
                                       "upscale_factor=4294967296"}, {NULL},
};
static const OpError pixel_unshuffle_errors[] = {
    {"r(2,7,3,4)", {2}, "pixel_unshuffle expects height to be divisible by downscale_factor, but input.size(-2)=3 is "
                        "not divisible by 2"},
    {"r(2,7,4,3)", {2}, "pixel_unshuffle expects width to be divisible by downscale_factor, but input.size(-1)=3 is "
                        "not divisible by 2"},
    {"r(2,3)", {2}, "pixel_unshuffle expects input to have at least 3 dimensions, but got input with 2 dimension(s)"},
    {"r(2,8,2,2)", {0}, "pixel_unshuffle expects a positive downscale_factor, but got 0"}, {NULL},
};

#define OTHER_MODES(rank, \
                    mode) "Input Error: Only 3D, 4D and 5D input Tensors supported (got " rank \
                        ") for the modes: nearest | linear | bilinear | " \
    "bicubic | trilinear | lanczos | area | nearest-exact (got " mode ")"
static const OpError interpolate_errors[] = {
    {"r(2,3)", {0, 0, 3}, OTHER_MODES("2D", "nearest")},
    {"r(2,3,4)", {4, 0, 3}, OTHER_MODES("3D", "straight")},
    {"r(2,3,4)", {3, 1, 3}, OTHER_MODES("3D", "bicubic")},
    {"r(2,3,4)", {5, 1, 3}, "Got 3D input, but trilinear mode needs 5D input"},
    {"r(1,1,2,3,4)", {1, 0, 3}, "Got 5D input, but linear mode needs 3D input"},
    {"r(2,3,4)", {6, 1, 3}, "align_corners option can only be set with the interpolating modes: linear | bilinear | "
                            "bicubic | trilinear"},
    {"r(2,3,4)", {0}, "either size or scale_factor should be defined"},
    {"r(2,3,4)", {0, 0, 3, 200}, "only one of size or scale_factor should be defined"},
    {"r(2,3,4)", {0, 1, 3},
        "align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic | trilinear"},
    {"r(2,3,4)", {2, 0, 3}, "Got 3D input, but bilinear mode needs 4D input"},
    {"r(2,3,4,5)", {1, 0, 3}, "Got 4D input, but linear mode needs 3D input"},
    {"r(2,3,4)", {0, 0, -1},
        "Input and output sizes should be greater than 0, but got input (W: 4) and output (W: -1)"},
    {"r(2,3,4,5)", {0, 0, -1, 0, 2},
        "Input and output sizes should be greater than 0, but got input (H: 4, W: 5) output (H: -1, W: 2)"},
    {"r(1,2,2,3,4)", {0, 0, -1, 0, 2, 0, 2}, "Input and output sizes should be greater than 0, but got input (D: 2, "
        "H: 3, W: 4) output (D: -1, H: 2, W: 2)"},
    {"r(1,1,2,3,4)", {0, 0, 2, 0, 2},
        "Input and output must have the same number of spatial dimensions, but got input with spatial dimensions of "
        "[2, 3, 4] and output size of (2, 2). Please provide input tensor in (N, C, d1, d2, ...,dK) format and output "
        "size in (o1, o2, ...,oK) format."},
    {"r(1,1,3)", {1, 0, 0, 200, 0, 150},
        "Input and scale_factor must have the same number of spatial dimensions, but got input with spatial dimensions "
        "of [3] and scale_factor of shape (2.0, 1.5). Please provide input tensor in (N, C, d1, d2, ...,dK) format and "
        "scale_factor in (s1, s2, ...,sK) format."},
    {"r(1,1,3,3)", {0, 4, 3}, "recompute_scale_factor is not meaningful with an explicit size."},
    {"r(1,1,3,3)", {0, 2, 3}, "Anti-alias option is restricted to bilinear, bicubic, and lanczos modes and requires a "
                              "4-D tensor as input"},
    {"r(1,1,3,3)", {8, 3, 3}, "Lanczos mode does not support align_corners=True"},
    {"r(1,1,3,3)", {8, 0, 3}, "Lanczos mode requires antialias=True"},
    {"i(1,1,3,3)", {2, 2, 2}, "\"compute_index_ranges_weights\" not implemented for 'Long'"},
    {"i(1,2,3,3)", {3, 0, 2}, "\"compute_indices_weights_cubic\" not implemented for 'Long'"},
    {"i(1,2,3,3,3)", {5, 0, 2}, "\"compute_indices_weights_linear\" not implemented for 'Long'"},
    {"r(2,0,4)", {0, 0, 3}, "Non-empty 3D data tensor expected but got a tensor with sizes [2, 0, 4]"},
    {"i(1,1,3)", {0, 0, 3}, "\"compute_indices_weights_nearest\" not implemented for 'Long'"},
    {NULL},
};
static const OpError affine_grid_errors[] = {
    {"i(2,2,3)", {0, 4, 2, 1, 3, 3}, "Expected theta to have floating point type, but got torch.int64"},
    {"r(2,3)", {0, 4, 2, 1, 3, 3}, "Expected a batch of 2D affine matrices of shape Nx2x3 for size [2, 1, 3, 3]. Got "
                                   "torch.Size([2, 3])."},
    {"r(2,2,3)", {0, 4, 2, 1, 0, 3}, "Expected non-zero, positive output size. Got [2, 1, 0, 3]"},
    {"r(2,2,3)", {0, 4, 3, 1, 2, 3},
        "Expected size for first two dimensions of batch2 tensor to be: [3, 3] but got: [2, 3]."},
    {"r(2,2,3)", {0, 3, 2, 1, 3}, "affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, "
                                  "respectively. Got size [2, 1, 3]."},
    {"r(2,2,4)", {0, 5, 2, 1, 2, 3, 4}, "Expected a batch of 3D affine matrices of shape Nx3x4 for size [2, 1, 2, 3, "
                                        "4]. Got torch.Size([2, 2, 4])."},
    {NULL},
};
static const OpError grid_sample_errors[] = {
    {"r(1,1,3,3) r(1,2,2,2)", {3}, "nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or "
                                   "'bicubic', but got: 'linear'"},
    {"r(1,1,3,3) r(1,2,2,2)", {0, 3}, "nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or "
                                      "'reflection', but got: 'mirror'"},
    {"r(1,1,3,3) r(2,2,2,2)", {0}, "grid_sampler(): expected grid and input to have same batch size, but got input "
                                   "with sizes [1, 1, 3, 3] and grid with sizes [2, 2, 2, 2]"},
    {"r(1,1,3,3) r(1,2,2,3)", {0}, "grid_sampler(): expected grid to have size 2 in last dimension, but got grid with "
                                   "sizes [1, 2, 2, 3]"},
    {"r(1,1,0,3) r(1,2,2,2)", {0}, "grid_sampler(): expected input to have non-empty spatial dimensions, but input has "
                                   "sizes [1, 1, 0, 3] with dimension 2 being empty"},
    {"r(1,1,3,3) r(1,2,2)", {0}, "grid_sampler(): expected 4D input and grid with same number of dimensions, but got "
                                 "input with sizes [1, 1, 3, 3] and grid with sizes [1, 2, 2]"},
    {"r(1,1,2,3,3) r(1,2,2,3)", {0}, "grid_sampler(): expected 5D input and grid with same number of dimensions, but "
                                     "got input with sizes [1, 1, 2, 3, 3] and grid with sizes [1, 2, 2, 3]"},
    /* PyTorch returns a tensor that it has not written */
    {"r(1,1,2,3,3) r(1,2,2,2,3)", {2}, "grid_sampler(): bicubic interpolation only supports 4D input"},
    {"i(1,1,2,3,3) i(1,1,2,2,3)", {0}, "\"grid_sampler3d_cpu\" not implemented for 'Long'"},
    {"r() r()", {0}, "Dimension specified as 0 but tensor has no dimensions"},
    {"f(1,1,3,3) d(1,2,2,2)", {0}, "expected scalar type Float but found Double"},
    {"i(1,1,3,3) i(1,2,2,2)", {0}, "\"grid_sampler_2d_cpu_kernel_impl\" not implemented for 'Long'"},
    {NULL},
};
static const OpError feature_alpha_dropout_errors[] = {
    {"r(4)", {50, 1}, "Feature dropout requires at least 2 dimensions in the input"},
    {"r(2,2)", {150, 1}, "dropout probability has to be between 0 and 1, but got 1.5"},
    {"i(2,2)", {50, 1}, "result type Float can't be cast to the desired output type Long"}, {NULL},
};
static const OpError channel_shuffle_errors[] = {
    {"r(2,4)", {2}, "channel_shuffle expects input with > 2 dims, but got input with sizes [2, 4]"},
    {"r(1,4,2)", {3}, "Number of channels must be divisible by groups. Got 4 channels and 3 groups."},
    {"r(1,4,2)", {0}, "Number of groups to divide channels in must be positive. Value of groups:0"}, {NULL},
};
static const OpError lp_pool1d_errors[] = {
    {"r(1,1,4)", {0, 0, 2}, "norm_type must be a non-zero value, but got 0.0"},
    {"r(4)", {8, 0, 2}, "Expected 2 to 3 dimensions, but got 1-dimensional tensor for argument #1 'self' (while "
                        "checking arguments for avg_pool1d)"}, {NULL},
};
static const OpError lp_pool2d_errors[] = {
    {"r(1,1,4,4)", {0, 0, 2, 2}, "norm_type must be a non-zero value, but got 0.0"},
    {"r(4,4)", {8, 0, 2, 2}, "Dimension out of range (expected to be in range of [-2, 1], but got -3)"}, {NULL},
};
static const OpError max_unpool1d_errors[] = {
    {"r(3) k2(3)", {2}, "Input to max_unpooling2d should be a 3d or 4d Tensor, but got a tensor with 2 dimensions."},
    {"r(1,1) w(1,1)", {1}, "Found an invalid max index: -4 (output volumes are of size 1x1)"},
    {"r(1,1,2) k2(1,1,2)", {2, 2, 0, 7}, "invalid output_size \"(7,)\" (dim 0 must be between 2 and 6)"}, {NULL},
};
static const OpError max_unpool2d_errors[] = {
    {"r(2,2) k2(2,2)", {2, 2}, "Input to max_unpooling2d should be a 3d or 4d Tensor, but got a tensor with 2 "
                               "dimensions."},
    {"r(1,1,2,2) R(1,1,2,2)", {2, 2}, "elements in indices should be type int64 but got: Float"},
    {"r(1,2,2,2) k4(1,1,2,2)", {2, 2}, "Expected shape of indices to be same as that of the input tensor "
                                       "([1, 2, 2, 2]) but got indices tensor with shape: [1, 1, 2, 2]"},
    {"r(1,0,2,2) k4(1,0,2,2)", {2, 2}, "max_unpooling2d_forward_out_cpu(): Expected input to have non-zero size for "
                                       "non-batch dimensions, but input has sizes [1, 0, 2, 2] with dimension 1 being "
                                       "empty"},
    {"r(1,1,2,2) k4(1,1,2,2)", {1, 1, 0, 0, 3, 3}, "max_unpooling: output_size must contain non-negative spatial "
                                                   "dimensions, but got output_size[0]=-4"},
    {"r(1,1,2,2) k4(1,1,2,2)", {2, 2, 0, 0, 0, 0, 6, 5}, "invalid output_size \"(6, 5)\" (dim 0 must be between 2 and "
                                                         "6)"},
    {"i(1,1,2,2) k4(1,1,2,2)", {2, 2}, "\"max_unpool2d\" not implemented for 'Long'"}, {NULL},
};

static const OpRow rows[] = {
    {"F_max_pool1d", call_max_pool1d, max_pool1d_cases, max_pool1d_errors, .ranks = "23z: (C, L) or (N, C, L)"},
    {"F_max_pool2d", call_max_pool2d, max_pool2d_cases, max_pool2d_errors, .ranks = "34z: (C, H, W) or (N, C, H, W)"},
    {"F_avg_pool1d", call_avg_pool1d, avg_pool1d_cases, avg_pool1d_errors, SUMS, .ranks = "23z: (C, L) or (N, C, L)"},
    {"F_avg_pool2d", call_avg_pool2d, avg_pool2d_cases, avg_pool2d_errors, SUMS,
        .ranks = "34z: (C, H, W) or (N, C, H, W)"},
    {"F_adaptive_avg_pool1d", call_adaptive_avg_pool1d, adaptive_avg_pool1d_cases, adaptive_avg_pool1d_errors, SUMS,
     .ranks = "23z: (C, L) or (N, C, L)"},
    {"F_adaptive_avg_pool2d", call_adaptive_avg_pool2d, adaptive_avg_pool2d_cases, adaptive_avg_pool2d_errors, SUMS,
     .ranks = "34z: (C, H, W) or (N, C, H, W)"},
    {"F_adaptive_max_pool1d", call_adaptive_max_pool1d, adaptive_max_pool1d_cases, adaptive_max_pool1d_errors,
     .ranks = "23z: (C, L) or (N, C, L)"},
    {"F_adaptive_max_pool2d", call_adaptive_max_pool2d, adaptive_max_pool2d_cases, adaptive_max_pool2d_errors,
     .ranks = "34z: (C, H, W) or (N, C, H, W)"},
    {"F_dropout1d", call_dropout1d, dropout1d_cases, dropout1d_errors, RANDOM | MAYBE_VIEW,
        .ranks = "23z: (C, L) or (N, C, L)"},
    {"F_dropout2d", call_dropout2d, dropout2d_cases, dropout2d_errors, RANDOM | MAYBE_VIEW,
     .ranks = "2345z: a dim of channels after the batch"},
    {"F_interpolate", call_interpolate, interpolate_cases, interpolate_errors, SUMS,
        .ranks = "345z: (N, C, L), (N, C, H, W) or (N, C, D, H, W)"},
    {"F_affine_grid", call_affine_grid, affine_grid_cases, affine_grid_errors, SUMS | OWN_GRAD_FN,
        .ranks = "3: (N, 2, 3) or (N, 3, 4), at least one"},
    {"F_grid_sample", call_grid_sample, grid_sample_cases, grid_sample_errors, SUMS | OWN_GRAD_FN,
        .ranks = "45z: (N, C, H, W) or (N, C, D, H, W)"},
    {"F_alpha_dropout", call_alpha_dropout, alpha_dropout_cases, alpha_dropout_errors, RANDOM | MAYBE_VIEW},
    {"F_feature_alpha_dropout", call_feature_alpha_dropout, feature_alpha_dropout_cases, feature_alpha_dropout_errors,
        RANDOM | MAYBE_VIEW, .ranks = "2345z: a dim of channels after the batch"},
    {"F_channel_shuffle", call_channel_shuffle, channel_shuffle_cases, channel_shuffle_errors, MAYBE_VIEW | OWN_GRAD_FN,
        .ranks = "345z: (N, C, ...)"},
    {"F_lp_pool1d", call_lp_pool1d, lp_pool1d_cases, lp_pool1d_errors, SUMS, .ranks = "23z: (C, L) or (N, C, L)"},
    {"F_lp_pool2d", call_lp_pool2d, lp_pool2d_cases, lp_pool2d_errors, SUMS, .ranks = "34z: (C, H, W) or (N, C, H, W)"},
    {"F_max_unpool1d", call_max_unpool1d, max_unpool1d_cases, max_unpool1d_errors, OWN_GRAD_FN,
        .ranks = "23z: (C, L) or (N, C, L)"},
    {"F_max_unpool2d", call_max_unpool2d, max_unpool2d_cases, max_unpool2d_errors, OWN_GRAD_FN,
        .ranks = "34z: (C, H, W) or (N, C, H, W)"},
    {"F_pixel_shuffle", call_pixel_shuffle, pixel_shuffle_cases, pixel_shuffle_errors, .ranks = "345z: (..., C, H, W)"},
    {"F_pixel_unshuffle", call_pixel_unshuffle, pixel_unshuffle_cases, pixel_unshuffle_errors,
     .ranks = "345: (..., C, H, W); an empty one PyTorch leaves as it is, and so has no backward for it"},
};
TABLE(pooling_table, "ops_pooling.txt", rows);
