/* nn/functional/vision/grid_sample.c: F.affine_grid and F.grid_sample, the two halves of a spatial transformer
 * (Jaderberg et al. 2015). Composed of ops, which also give the gradients of any order. */
#include <string.h>

#include "core/ops/pointwise/pointwise_internal.h"
#include "nn/functional/vision/vision.h"

/* ---- F.affine_grid ---- */

/* The centres of n pixels in [-1, 1]: with align_corners the first is -1 and the last 1, else -1 and 1 are the outer
 * edges of these. A single pixel is at 0. */
static Tensor *centres(int64_t n, bool align_corners, const t_TensorOptions *options) {
    if (n == 1) return t_zeros(&n, 1, options);
    Tensor *x = t_linspace(-1, 1, n, options);
    return align_corners ? x : t_div(t_mul(x, t_integer(n - 1)), t_integer(n));
}

/* (x, y, 1) for each pixel: (H W, 3). */
static Tensor *homogeneous_pixels(int64_t H, int64_t W, bool align_corners, t_DType dtype) {
    const t_TensorOptions options = {.size = sizeof options, .dtype = dtype};
    const int64_t pixels = H * W;
    Tensor *x = t_repeat(centres(W, align_corners, &options), &H, 1);
    Tensor *y = t_repeat_interleave(centres(H, align_corners, &options), t_integer(W), 0);
    t_TensorList *columns = t_list_new((Tensor *[]){x, y, t_ones(&pixels, 1, &options)}, 3);
    return columns ? t_stack(columns, 1) : NULL;
}

static bool check_affine_grid(Tensor *theta, const int64_t *size, int count) {
    if (!tg_is_floating(theta->dtype))
        return tg_fail("Expected theta to have floating point type, but got %s", t_dtype_repr(theta->dtype));
    if (count != 4)
        return tg_fail("affine_grid only supports 4D sizes, for 2D affine transforms. Got size %s.",
                       tg_shape_text(size, count));
    if (theta->ndim != 3 || theta->shape[1] != 2 || theta->shape[2] != 3)
        return tg_fail("Expected a batch of 2D affine matrices of shape Nx2x3 for size %s. Got %s.",
                       tg_shape_text(size, count), t_size_repr(theta));
    for (int d = 0; d < count; d++)
        if (size[d] <= 0)
            return tg_fail("Expected non-zero, positive output size. Got %s", tg_shape_text(size, count));
    return true;
}

/* F.affine_grid(theta, size, align_corners): the positions in the input from which F.grid_sample takes each pixel of an
 * output of that size, (N, C, H, W): grid[n, i, j] = theta[n] (x_j, y_i, 1), with the centres x_j and y_i in [-1, 1].
 * theta: (N, 2, 3), floating; returns (N, H, W, 2). dtheta sums dgrid times (x, y, 1) over the pixels. Errors: other
 * shapes, sizes below 1. */
Tensor *F_affine_grid(Tensor *theta, const int64_t *size, int count, bool align_corners) {
    if (tg_is_narrow_tensor(theta))
        return tg_narrowed(F_affine_grid(tg_widened(theta), size, count, align_corners), theta->dtype);
    if (!tg_check(theta, 1) || !tg_check_array(size, count, 2, "sizes")) return NULL;
    if (!check_affine_grid(theta, size, count)) return NULL;
    const int64_t n = size[0], H = size[2], W = size[3];
    int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *pixels = homogeneous_pixels(H, W, align_corners, theta->dtype);
    Tensor *grid = t_bmm(t_expand(pixels, (int64_t[]){n, H * W, 3}, 3), t_transpose(theta, 1, 2));
    return tg_scope_return(depth, t_reshape(grid, (int64_t[]){n, H, W, 2}, 4));
}

/* ---- F.grid_sample: positions ---- */

typedef enum GridMode { BILINEAR, NEAREST, BICUBIC } GridMode;
typedef enum GridPadding { ZEROS, BORDER, REFLECTION } GridPadding;

typedef struct Sampler {
    GridMode mode;
    GridPadding padding;
    bool align_corners;
    int64_t N, C, H, W, P; /* P: the positions of each sample */
    Tensor *planes;        /* the input as (N, C, H W) */
} Sampler;

/* From [-1, 1] to pixels: 0 is the centre of the first, n - 1 that of the last. */
static Tensor *in_pixels(const Sampler *s, Tensor *position, int64_t n) {
    Tensor *x = t_mul(t_add(position, N(1)), N((double)(s->align_corners ? n - 1 : n) / 2));
    return s->align_corners ? x : t_sub(x, N(0.5));
}

/* Clipped to [0, n - 1]; NaN becomes 0. The gradient is 0 at the borders too. */
static Tensor *clipped(Tensor *x, int64_t n) {
    Tensor *last = N((double)(n - 1));
    return t_where(t_ge(x, last), last, t_where(t_gt(x, N(0)), x, N(0)));
}

/* Mirrored at the first and last pixel until it is between them: at their centres with align_corners, else at their
 * outer edges. */
static Tensor *reflected(const Sampler *s, Tensor *x, int64_t n) {
    const double low = s->align_corners ? 0 : -0.5, period = 2 * (double)(s->align_corners ? n - 1 : n);
    if (period == 0) return t_mul(x, N(0));
    Tensor *distance = t_abs(t_sub(x, N(low)));
    Tensor *rest = t_sub(distance, t_mul(t_trunc(t_div(t_detach(distance), N(period))), N(period)));
    return t_add(t_minimum(rest, t_sub(N(period), rest)), N(low));
}

static Tensor *padded(const Sampler *s, Tensor *x, int64_t n) {
    return s->padding == ZEROS ? x : clipped(s->padding == BORDER ? x : reflected(s, x, n), n);
}

/* ---- F.grid_sample: values ---- */

/* weight input[row y, column x], with 0 for a pixel outside the input: (N, C, P). x, y: (N, P), integers as floats, of
 * which there is no gradient. */
static Tensor *weighted_pixel(const Sampler *s, Tensor *x, Tensor *y, Tensor *weight) {
    Tensor *in_row = t_logical_and(t_ge(x, N(0)), t_le(x, N((double)(s->W - 1))));
    Tensor *in_column = t_logical_and(t_ge(y, N(0)), t_le(y, N((double)(s->H - 1))));
    Tensor *inside = t_logical_and(in_row, in_column);
    Tensor *row = t_to(t_where(inside, y, N(0)), t_int64), *column = t_to(t_where(inside, x, N(0)), t_int64);
    Tensor *index = t_add(t_mul(row, t_integer(s->W)), column);
    const int64_t shape[] = {s->N, s->C, s->P};
    Tensor *values = t_gather(s->planes, 2, t_expand(t_unsqueeze(index, 1), shape, 3));
    return t_mul(t_where(t_unsqueeze(inside, 1), values, N(0)), t_unsqueeze(weight, 1));
}

/* The four pixels around (x, y), weighted by the areas opposite to them. */
static Tensor *bilinear(const Sampler *s, Tensor *x, Tensor *y) {
    Tensor *west = t_floor(t_detach(x)), *north = t_floor(t_detach(y));
    Tensor *right = t_sub(x, west), *down = t_sub(y, north);
    Tensor *left = t_sub(N(1), right), *up = t_sub(N(1), down);
    Tensor *east = t_add(west, N(1)), *south = t_add(north, N(1));
    Tensor *upper = t_add(weighted_pixel(s, west, north, t_mul(left, up)),
                          weighted_pixel(s, east, north, t_mul(right, up)));
    Tensor *lower = t_add(weighted_pixel(s, west, south, t_mul(left, down)),
                          weighted_pixel(s, east, south, t_mul(right, down)));
    return t_add(upper, lower);
}

/* The nearest pixel; a tie is rounded to the even one. The weight is 1, and its gradient by x and y 0. */
static Tensor *nearest(const Sampler *s, Tensor *x, Tensor *y) {
    Tensor *weight = t_where(t_lt(x, x), t_add(x, y), N(1));
    return weighted_pixel(s, t_round(t_detach(x), 0), t_round(t_detach(y), 0), weight);
}

/* The weights of the pixels at -1, 0, 1 and 2, for a position t from 0 to 1: Keys' kernel with a = -0.75. */
static void cubic_weights(Tensor *t, Tensor *weights[4]) {
    const double a = -0.75;
    Tensor *rest = t_sub(N(1), t), *inner[] = {t, rest}, *outer[] = {t_add(t, N(1)), t_add(rest, N(1))};
    for (int i = 0; i < 2; i++) { /* inner: (a + 2) d^3 - (a + 3) d^2 + 1; outer: a d^3 - 5 a d^2 + 8 a d - 4 a */
        Tensor *d = inner[i], *e = outer[i];
        weights[1 + i] = t_add(t_mul(t_mul(t_sub(t_mul(d, N(a + 2)), N(a + 3)), d), d), N(1));
        weights[3 * i] = t_sub(t_mul(t_add(t_mul(t_sub(t_mul(e, N(a)), N(5 * a)), e), N(8 * a)), e), N(4 * a));
    }
}

/* 4 x 4 pixels around (x, y), each of which is padded by itself. */
static Tensor *bicubic(const Sampler *s, Tensor *x, Tensor *y) {
    Tensor *west = t_floor(t_detach(x)), *north = t_floor(t_detach(y)), *across[4], *down[4], *sum = NULL;
    cubic_weights(t_sub(x, west), across);
    cubic_weights(t_sub(y, north), down);
    for (int i = 0; i < 4; i++) {
        Tensor *row = padded(s, t_add(north, N(i - 1)), s->H);
        for (int j = 0; j < 4; j++) {
            Tensor *column = padded(s, t_add(west, N(j - 1)), s->W);
            Tensor *pixel = weighted_pixel(s, column, row, t_mul(across[j], down[i]));
            sum = i + j == 0 ? pixel : t_add(sum, pixel);
        }
    }
    return sum;
}

static Tensor *grid_sample(Sampler *s, Tensor *input, Tensor *grid) {
    const int64_t positions[] = {s->N, s->P};
    Tensor *x = t_reshape(t_select(grid, 3, 0), positions, 2), *y = t_reshape(t_select(grid, 3, 1), positions, 2);
    s->planes = t_reshape(input, (int64_t[]){s->N, s->C, s->H * s->W}, 3);
    x = in_pixels(s, x, s->W);
    y = in_pixels(s, y, s->H);
    if (!s->planes || !x || !y) return NULL;
    if (s->mode == BICUBIC) return bicubic(s, x, y);
    x = padded(s, x, s->W);
    y = padded(s, y, s->H);
    return s->mode == NEAREST ? nearest(s, x, y) : bilinear(s, x, y);
}

/* ---- F.grid_sample: checks ---- */

static bool read_words(const char *mode, const char *padding_mode, Sampler *s) {
    static const char *const modes[] = {"bilinear", "nearest", "bicubic"},
                      *const paddings[] = {"zeros", "border", "reflection"};
    int m = 0, p = 0;
    while (m < 3 && mode && strcmp(mode, modes[m]) != 0) m++;
    while (p < 3 && padding_mode && strcmp(padding_mode, paddings[p]) != 0) p++;
    if (m == 3)
        return tg_fail("nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', but got: "
                       "'%s'", mode);
    if (p == 3)
        return tg_fail("nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or 'reflection', "
                       "but got: '%s'", padding_mode);
    s->mode = (GridMode)m;
    s->padding = (GridPadding)p;
    return true;
}

static bool check_grid_sample(const Tensor *input, const Tensor *grid) {
    if (input->ndim == 0 || grid->ndim == 0) return tg_fail("Dimension specified as 0 but tensor has no dimensions");
    if (input->shape[0] != grid->shape[0])
        return tg_fail("grid_sampler(): expected grid and input to have same batch size, but got input with sizes %s "
                       "and grid with sizes %s", tg_shape_of(input), tg_shape_of(grid));
    if (grid->shape[grid->ndim - 1] != input->ndim - 2)
        return tg_fail("grid_sampler(): expected grid to have size %d in last dimension, but got grid with sizes %s",
                       input->ndim - 2, tg_shape_of(grid));
    for (int d = 2; d < input->ndim; d++)
        if (input->shape[d] == 0)
            return tg_fail("grid_sampler(): expected input to have non-empty spatial dimensions, but input has sizes "
                           "%s with dimension %d being empty", tg_shape_of(input), d);
    if (input->ndim != 4 || grid->ndim != 4)
        return tg_fail("grid_sampler(): expected 4D input and grid with same number of dimensions, but got input with "
                       "sizes %s and grid with sizes %s", tg_shape_of(input), tg_shape_of(grid));
    if (!tg_is_floating(input->dtype))
        return tg_not_implemented("grid_sampler_2d_cpu_kernel_impl", input->dtype) != NULL;
    return grid->dtype == input->dtype || tg_fail("expected scalar type %s but found %s", tg_scalar_name(input->dtype),
                                                  tg_scalar_name(grid->dtype)) != NULL;
}

/* F.grid_sample(input, grid, mode, padding_mode, align_corners): the input at the positions of the grid.
 * input: (N, C, H, W), floating; grid: (N, H', W', 2), of that dtype, each (x, y) from -1, the left and upper edge, to
 * 1 (with align_corners the centres of the outer pixels); returns (N, C, H', W'). mode (NULL: the first): "bilinear",
 * "nearest" or "bicubic". padding_mode, for positions outside (NULL: the first): "zeros"; "border", the nearest pixel
 * inside; "reflection", as in a mirror. dinput: dy times the weights; dgrid: the weights' derivatives, 0 of "nearest"
 * and at a border. Errors: other sizes, 5D inputs (which PyTorch has), words, dtypes. */
Tensor *F_grid_sample(Tensor *input, Tensor *grid, const char *mode, const char *padding_mode, bool align_corners) {
    TG_AUTOCAST_FLOAT32(input);
    TG_AUTOCAST_FLOAT32(grid);
    if (tg_is_narrow_tensor(input))
        return tg_narrowed(
            F_grid_sample(tg_widened(input), tg_widened_optional(grid), mode, padding_mode, align_corners),
            input->dtype);
    Sampler s = {.align_corners = align_corners};
    if (!tg_check_two(input, grid) || !read_words(mode, padding_mode, &s) || !check_grid_sample(input, grid))
        return NULL;
    s.N = input->shape[0];
    s.C = input->shape[1];
    s.H = input->shape[2];
    s.W = input->shape[3];
    s.P = grid->shape[1] * grid->shape[2];
    int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *y = grid_sample(&s, input, grid);
    return tg_scope_return(depth, t_reshape(y, (int64_t[]){s.N, s.C, grid->shape[1], grid->shape[2]}, 4));
}
