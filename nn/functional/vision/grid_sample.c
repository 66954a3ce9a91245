/* nn/functional/vision/grid_sample.c: F.affine_grid and F.grid_sample, the two halves of a spatial transformer
 * (Jaderberg et al. 2015). Composed of ops, which also give the gradients of any order; bilinear sampling
 * of images and its first gradient are kernels (core/kernels/conv/grid_sample.c). */
#include <math.h>
#include <string.h>

#include "core/kernels/conv/grid_sample.h"
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

/* (x, y, 1) or (x, y, z, 1) for each pixel of an image or a volume: (pixels, D + 1). */
static Tensor *homogeneous_pixels(const int64_t *sizes, int D, bool align_corners, t_DType dtype) {
    const t_TensorOptions options = {.size = sizeof options, .dtype = dtype};
    const int64_t pixels = tg_shape_numel(sizes, D);
    Tensor *columns[4];
    int64_t inner = 1;
    for (int i = 0; i < D; inner *= sizes[D - 1 - i++]) { /* x, the last dim, first */
        const int64_t n = sizes[D - 1 - i], outer = pixels / (n * inner);
        Tensor *x = t_repeat_interleave(centres(n, align_corners, &options), t_integer(inner), 0);
        columns[i] = t_repeat(x, &outer, 1);
    }
    columns[D] = t_ones(&pixels, 1, &options);
    t_TensorList *all = t_list_new(columns, D + 1);
    return all ? t_stack(all, 1) : NULL;
}

static bool check_affine_grid(Tensor *theta, const int64_t *size, int count) {
    const int D = count - 2;
    if (!tg_is_floating(theta->dtype))
        return tg_fail("Expected theta to have floating point type, but got %s", t_dtype_repr(theta->dtype));
    if (count != 4 && count != 5)
        return tg_fail("affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, respectively. Got "
                       "size %s.", tg_shape_text(size, count));
    if (theta->ndim != 3 || theta->shape[1] != D || theta->shape[2] != D + 1)
        return tg_fail("Expected a batch of %dD affine matrices of shape Nx%dx%d for size %s. Got %s.", D, D, D + 1,
                       tg_shape_text(size, count), t_size_repr(theta));
    for (int d = 0; d < count; d++)
        if (size[d] <= 0)
            return tg_fail("Expected non-zero, positive output size. Got %s", tg_shape_text(size, count));
    return true;
}

/* F.affine_grid(theta, size, align_corners): the positions in the input from which F.grid_sample takes each pixel of an
 * output of that size, (N, C, H, W): grid[n, i, j] = theta[n] (x_j, y_i, 1), with the centres x_j and y_i in [-1, 1];
 * of a volume, (N, C, D, H, W), theta[n] (x_j, y_i, z_k, 1). theta: (N, 2, 3) or (N, 3, 4), floating; returns
 * (N, H, W, 2) or (N, D, H, W, 3). dtheta sums dgrid times (x, y, 1) over the pixels. Errors: other shapes, sizes below
 * 1. */
Tensor *F_affine_grid(Tensor *theta, const int64_t *size, int count, bool align_corners) {
    TG_COMPOSITE("affine_grid");
    if (tg_is_narrow_tensor(theta))
        return tg_narrowed(F_affine_grid(tg_widened(theta), size, count, align_corners), theta->dtype);
    if (!tg_check(theta, 1) || !tg_check_array(size, count, 2, "sizes")) return NULL;
    if (!check_affine_grid(theta, size, count)) return NULL;
    const int D = count - 2;
    const int64_t n = size[0], P = tg_shape_numel(size + 2, D);
    int64_t shape[5] = {n};
    for (int d = 0; d < D; d++) shape[1 + d] = size[2 + d];
    shape[1 + D] = D;
    int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *pixels = homogeneous_pixels(size + 2, D, align_corners, theta->dtype);
    Tensor *grid = t_bmm(t_expand(pixels, (int64_t[]){n, P, D + 1}, 3), t_transpose(theta, 1, 2));
    return tg_scope_return(depth, t_reshape(grid, shape, 2 + D));
}

/* ---- F.grid_sample: positions ---- */

typedef enum GridMode { BILINEAR, NEAREST, BICUBIC } GridMode;

typedef struct Sampler {
    GridMode mode;
    tg_GridPadding padding;
    bool align_corners;
    int D;                    /* the dims of the image or volume, 2 or 3 */
    int64_t N, C, sizes[3], P; /* P: the positions of each sample */
    Tensor *pixels;           /* the input as (N, C, H W) or (N, C, D H W) */
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
    return s->padding == TG_GRID_ZEROS ? x : clipped(s->padding == TG_GRID_BORDER ? x : reflected(s, x, n), n);
}

/* ---- F.grid_sample: values ---- */

/* weight input[at], with 0 for a pixel outside the input: (N, C, P). at: for each dim (N, P), integers as floats, of
 * which there is no gradient. */
static Tensor *weighted_pixel(const Sampler *s, Tensor *const *at, Tensor *weight) {
    Tensor *inside = NULL, *index = NULL;
    for (int d = 0; d < s->D; d++) {
        Tensor *here = t_logical_and(t_ge(at[d], N(0)), t_le(at[d], N((double)(s->sizes[d] - 1))));
        inside = d ? t_logical_and(inside, here) : here;
    }
    for (int d = 0; d < s->D; d++) {
        Tensor *i = t_to(t_where(inside, at[d], N(0)), t_int64);
        index = d ? t_add(t_mul(index, t_integer(s->sizes[d])), i) : i;
    }
    const int64_t shape[] = {s->N, s->C, s->P};
    Tensor *values = t_gather(s->pixels, 2, t_expand(t_unsqueeze(index, 1), shape, 3));
    return t_mul(t_where(t_unsqueeze(inside, 1), values, N(0)), t_unsqueeze(weight, 1));
}

/* The four or eight pixels around the position, weighted by the areas or volumes opposite to them. */
static Tensor *linear(const Sampler *s, Tensor *const *position) {
    Tensor *low[3], *weights[3][2], *sum = NULL;
    for (int d = 0; d < s->D; d++) {
        low[d] = t_floor(t_detach(position[d]));
        weights[d][1] = t_sub(position[d], low[d]);
        weights[d][0] = t_sub(N(1), weights[d][1]);
    }
    for (int corner = 0; corner < 1 << s->D; corner++) {
        Tensor *at[3], *weight = NULL;
        for (int d = 0; d < s->D; d++) {
            const int high = corner >> (s->D - 1 - d) & 1;
            at[d] = high ? t_add(low[d], N(1)) : low[d];
            weight = d ? t_mul(weight, weights[d][high]) : weights[d][high];
        }
        Tensor *pixel = weighted_pixel(s, at, weight);
        sum = corner ? t_add(sum, pixel) : pixel;
    }
    return sum;
}

/* The nearest pixel; a tie is rounded to the even one. The weight is 1, and its gradient by the position 0. */
static Tensor *nearest(const Sampler *s, Tensor *const *position) {
    Tensor *at[3], *sum = position[0];
    for (int d = 0; d < s->D; d++) at[d] = t_round(t_detach(position[d]), 0);
    for (int d = 1; d < s->D; d++) sum = t_add(sum, position[d]);
    return weighted_pixel(s, at, t_where(t_lt(sum, sum), sum, N(1)));
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

/* 4 x 4 pixels around the position, each of which is padded by itself. */
static Tensor *bicubic(const Sampler *s, Tensor *const *position) {
    Tensor *north = t_floor(t_detach(position[0])), *west = t_floor(t_detach(position[1])), *down[4], *across[4];
    Tensor *sum = NULL;
    cubic_weights(t_sub(position[0], north), down);
    cubic_weights(t_sub(position[1], west), across);
    for (int i = 0; i < 4; i++) {
        Tensor *row = padded(s, t_add(north, N(i - 1)), s->sizes[0]);
        for (int j = 0; j < 4; j++) {
            Tensor *at[] = {row, padded(s, t_add(west, N(j - 1)), s->sizes[1])};
            Tensor *pixel = weighted_pixel(s, at, t_mul(across[j], down[i]));
            sum = i + j == 0 ? pixel : t_add(sum, pixel);
        }
    }
    return sum;
}

/* The grid holds the position along the last dim first. */
static Tensor *composed_grid_sample(Sampler *s, Tensor *input, Tensor *grid) {
    Tensor *position[3];
    s->pixels = t_reshape(input, (int64_t[]){s->N, s->C, tg_shape_numel(s->sizes, s->D)}, 3);
    for (int d = 0; d < s->D; d++) {
        Tensor *x = t_reshape(t_select(grid, -1, s->D - 1 - d), (int64_t[]){s->N, s->P}, 2);
        position[d] = in_pixels(s, x, s->sizes[d]);
        if (!position[d]) return NULL;
    }
    if (!s->pixels) return NULL;
    if (s->mode == BICUBIC) return bicubic(s, position);
    for (int d = 0; d < s->D; d++)
        if (!(position[d] = padded(s, position[d], s->sizes[d]))) return NULL;
    return s->mode == NEAREST ? nearest(s, position) : linear(s, position);
}

/* ---- F.grid_sample, bilinear, of images, in one loop: the composed form, with products and sums fused ---- */

static tg_GridSample sample_of(const Sampler *s) {
    return (tg_GridSample){.samples = s->N,
                           .channels = s->C,
                           .height = s->sizes[0],
                           .width = s->sizes[1],
                           .positions = s->P,
                           .padding = s->padding,
                           .align_corners = s->align_corners};
}

static Tensor *dense(Tensor *x) {
    return t_contiguous(t_detach(x));
}

static Tensor *shaped(const Sampler *s, Tensor *y, const Tensor *grid) {
    return t_reshape(y, (int64_t[]){s->N, s->C, grid->shape[1], grid->shape[2]}, 4);
}

/* With create_graph: differentiates the composed form of views of the inputs. */
static void composed_bilinear_backward(Record *r, Tensor *input, Tensor *grid, Tensor *dy, Tensor **dx) {
    Sampler s = *(const Sampler *)r->attributes;
    Tensor *in[] = {t_view(input, input->shape, 4), t_view(grid, grid->shape, 4)}, *wanted[2];
    int count = 0;
    for (int i = 0; i < 2; i++)
        if (tg_needs(r, i)) wanted[count++] = in[i];
    Tensor *y = in[0] && in[1] ? shaped(&s, composed_grid_sample(&s, in[0], in[1]), grid) : NULL;
    if (!y || !count) return;
    const t_GradOptions options = {.size = sizeof options, .grad_outputs = t_list_new(&dy, 1), .create_graph = true,
                                   .allow_unused = true};
    t_TensorList *all = t_autograd_grad(t_list_new(&y, 1), t_list_new(wanted, count), &options);
    for (int i = 0, k = 0; all && i < 2; i++)
        if (tg_needs(r, i)) dx[i] = all->items[k++];
}

static void bilinear_backward(Record *r, Tensor *dy, Tensor **dx) {
    Tensor *input = tg_saved(r, 0), *grid = tg_saved(r, 1);
    if (!input || !grid) return;
    if (t_is_grad_enabled()) {
        composed_bilinear_backward(r, input, grid, dy, dx);
        return;
    }
    Tensor *x = dense(input), *g = dense(grid), *d = dense(dy);
    Tensor *dinput = tg_needs(r, 0) ? tg_empty(input->shape, 4, input->dtype) : NULL;
    Tensor *dgrid = tg_needs(r, 1) ? tg_empty(grid->shape, 4, grid->dtype) : NULL;
    if (!x || !g || !d || (tg_needs(r, 0) && !dinput) || (tg_needs(r, 1) && !dgrid)) return;
    if (dinput) tg_fill_into(dinput, 0);
    if (dgrid) tg_fill_into(dgrid, 0);
    tg_GridSample sample = sample_of(r->attributes);
    sample.input = tg_data(x);
    sample.grid = tg_data(g);
    sample.dy = tg_data(d);
    if (dinput) sample.dinput = tg_data(dinput);
    if (dgrid) sample.dgrid = tg_data(dgrid);
    tg_grid_sample_backward(&sample, input->dtype == t_float64);
    dx[0] = dinput;
    dx[1] = dgrid;
}
static const Op bilinear_op = {"grid_sample", "GridSampler2DBackward0", bilinear_backward};

static Tensor *fused_bilinear(const Sampler *s, Tensor *input, Tensor *grid) {
    Tensor *x = dense(input), *g = dense(grid);
    Tensor *y = tg_empty((int64_t[]){s->N, s->C, grid->shape[1], grid->shape[2]}, 4, input->dtype);
    if (!x || !g || !y) return NULL;
    tg_GridSample sample = sample_of(s);
    sample.input = tg_data(x);
    sample.grid = tg_data(g);
    sample.y = tg_data(y);
    tg_grid_sample(&sample, input->dtype == t_float64);
    return tg_record(&bilinear_op, y, INPUTS(input, grid), SAVED(input, grid), ATTRIBUTES(*s));
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
    s->padding = (tg_GridPadding)p;
    return true;
}

static bool check_grid_sample(const Tensor *input, const Tensor *grid, GridMode mode) {
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
    if ((input->ndim != 4 && input->ndim != 5) || grid->ndim != input->ndim)
        return tg_fail("grid_sampler(): expected %dD input and grid with same number of dimensions, but got input with "
                       "sizes %s and grid with sizes %s", input->ndim == 4 ? 4 : 5, tg_shape_of(input),
                       tg_shape_of(grid));
    if (mode == BICUBIC && input->ndim == 5)
        return tg_fail("grid_sampler(): bicubic interpolation only supports 4D input");
    if (!tg_is_floating(input->dtype))
        return tg_not_implemented(input->ndim == 4 ? "grid_sampler_2d_cpu_kernel_impl" : "grid_sampler3d_cpu",
                                  input->dtype) != NULL;
    return grid->dtype == input->dtype || tg_fail("expected scalar type %s but found %s", tg_scalar_name(input->dtype),
                                                  tg_scalar_name(grid->dtype)) != NULL;
}

/* F.grid_sample(input, grid, mode, padding_mode, align_corners): the input at the positions of the grid.
 * input: (N, C, H, W) or (N, C, D, H, W), floating; grid: (N, H', W', 2) or (N, D', H', W', 3), of that dtype, each
 * (x, y) or (x, y, z) from -1, the left, upper and front edge, to 1 (with align_corners the centres of the outer
 * pixels); returns (N, C, H', W') or (N, C, D', H', W'). mode (NULL: the first): "bilinear", over three dims trilinear,
 * "nearest" or "bicubic" (two dims only). padding_mode, for positions outside (NULL: the first): "zeros"; "border", the
 * nearest pixel inside; "reflection", as in a mirror. dinput: dy times the weights; dgrid: the weights' derivatives, 0
 * of "nearest" and at a border. Errors: other sizes, words, dtypes. (For "bicubic" of a volume PyTorch 2.15 returns a
 * tensor that it has not written.) */
Tensor *F_grid_sample(Tensor *input, Tensor *grid, const char *mode, const char *padding_mode, bool align_corners) {
    TG_COMPOSITE("grid_sample");
    TG_AUTOCAST_FLOAT32(input);
    TG_AUTOCAST_FLOAT32(grid);
    if (tg_is_narrow_tensor(input) && tg_is_half(input->dtype))
        return tg_narrowed(
            F_grid_sample(tg_widened(input), tg_widened_optional(grid), mode, padding_mode, align_corners),
            input->dtype);
    Sampler s = {.align_corners = align_corners};
    if (!tg_check_any_two(input, grid) || !read_words(mode, padding_mode, &s) ||
        !check_grid_sample(input, grid, s.mode))
        return NULL;
    s.D = input->ndim - 2;
    s.N = input->shape[0];
    s.C = input->shape[1];
    s.P = tg_shape_numel(grid->shape + 1, s.D);
    int64_t shape[5] = {s.N, s.C};
    for (int d = 0; d < s.D; d++) {
        s.sizes[d] = input->shape[2 + d];
        shape[2 + d] = grid->shape[1 + d];
    }
    int depth = t_scope_open();
    if (!depth) return NULL;
    const bool is_fused = s.mode == BILINEAR && s.D == 2 && s.sizes[1] > 1 && tg_shape_numel(s.sizes, 2) <= INT32_MAX;
    Tensor *y = is_fused ? fused_bilinear(&s, input, grid)
                         : t_reshape(composed_grid_sample(&s, input, grid), shape, input->ndim);
    return tg_scope_return(depth, y);
}
