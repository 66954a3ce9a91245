/* core/vision/transforms/functional_perspective.c: TF.perspective, TF.elastic_transform. */
#include "core/linalg/linalg.h"
#include "core/ops/pointwise/pointwise_internal.h"
#include "core/vision/transforms/functional_internal.h"

/* ---- perspective ---- */

/* (x, y) -> ((a x + b y + c) / (g x + h y + 1), (d x + e y + f) / (g x + h y + 1)), which maps the four end points to
 * the start points; in float32, as torchvision rounds them. Error: end points of which three are in a line. */
static bool perspective_coefficients(const int64_t start[8], const int64_t end[8], double m[8]) {
    const t_TensorOptions options = {.size = sizeof options, .dtype = t_float64};
    double a[8][8] = {{0}}, b[8];
    for (int i = 0; i < 4; i++)
        for (int d = 0; d < 2; d++) {
            double *row = a[2 * i + d];
            const double x = (double)end[2 * i], y = (double)end[2 * i + 1], to = (double)start[2 * i + d];
            row[3 * d] = x, row[3 * d + 1] = y, row[3 * d + 2] = 1;
            row[6] = -to * x, row[7] = -to * y;
            b[2 * i + d] = to;
        }
    Tensor *A = t_tensor_from_data(a, t_float64, (const int64_t[]){8, 8}, 2, &options);
    Tensor *B = t_tensor_from_data(b, t_float64, (const int64_t[]){8}, 1, &options);
    const Tensor *solution = A && B ? linalg_solve(A, B, true) : NULL;
    for (int i = 0; solution && i < 8; i++) m[i] = (double)(float)((const double *)tg_data(solution))[i];
    return solution != NULL;
}

/* The positions, from -1 to 1, of the pixels of the result in the image: (1, h, w, 2). */
static Tensor *perspective_grid(const double m[8], t_DType dtype, int64_t h, int64_t w) {
    const t_TensorOptions options = {.size = sizeof options, .dtype = dtype},
                          single = {.size = sizeof single, .dtype = t_float32};
    const double bottom[] = {m[6], m[7], 1, m[6], m[7], 1};
    const int64_t matrix[] = {1, 2, 3}, plane[] = {h, w}, points[] = {1, h * w, 3}, grid[] = {1, h, w, 2};
    Tensor *theta1 = t_tensor_from_data(m, t_float64, matrix, 3, &options);
    Tensor *theta2 = t_tensor_from_data(bottom, t_float64, matrix, 3, &options);
    Tensor *half = t_tensor_from_data((const double[]){0.5 * (double)w, 0.5 * (double)h}, t_float64,
                                      (const int64_t[]){2}, 1, &options);
    Tensor *x = t_to(t_linspace(0.5, (double)w + 0.5 - 1, w, &single), dtype);
    Tensor *y = t_to(t_linspace(0.5, (double)h + 0.5 - 1, h, &single), dtype);
    Tensor *parts[] = {t_expand(x, plane, 2), t_expand(t_unsqueeze(y, 1), plane, 2), t_ones(plane, 2, &options)};
    t_TensorList *list = t_list_new(parts, 3);
    if (!list) return NULL;
    Tensor *base = t_view(t_stack(list, -1), points, 3);
    Tensor *top = t_bmm(base, t_div(t_transpose(theta1, 1, 2), half)), *below = t_bmm(base, t_transpose(theta2, 1, 2));
    return t_view(t_sub(t_div(top, below), N(1)), grid, 4);
}

/* TF.perspective(img, startpoints, endpoints, interpolation, fill): the image so that its points (x, y) startpoints
 * (top left, top right, bottom right, bottom left) come to the end points. Interpolation: TF_rotate's.
 * Errors: TF_rotate's; end points that are equal or in a line. */
Tensor *TF_perspective(Tensor *img, const int64_t startpoints[8], const int64_t endpoints[8],
                       transforms_InterpolationMode interpolation, const transforms_Values *fill) {
    if (!tg_check_image(img) || !tg_check_sampling(img, interpolation, fill)) return NULL;
    if (!startpoints || !endpoints)
        return tg_fail("argument %d is NULL where four points are expected", startpoints ? 3 : 2);
    const int depth = t_scope_open();
    if (!depth) return NULL;
    const int64_t h = tg_image_height(img), w = tg_image_width(img);
    double m[8];
    if (!perspective_coefficients(startpoints, endpoints, m)) return tg_scope_return(depth, NULL);
    if (tg_is_pil(img)) return tg_scope_return(depth, tg_transform_pil(img, m, 8, h, w, interpolation, fill));
    Tensor *grid = perspective_grid(m, tg_is_floating(img->dtype) ? img->dtype : t_float32, h, w);
    return tg_scope_return(depth, tg_like_image(img, tg_sample_grid(img, grid, interpolation, fill)));
}

/* ---- elastic ---- */

/* The positions of the pixels themselves: (1, h, w, 2). */
static Tensor *identity_grid(int64_t h, int64_t w) {
    const t_TensorOptions single = {.size = sizeof single, .dtype = t_float32};
    const double H = (double)h, W = (double)w;
    const int64_t plane[] = {h, w};
    Tensor *x = t_linspace((-W + 1) / W, (W - 1) / W, w, &single);
    Tensor *y = t_linspace((-H + 1) / H, (H - 1) / H, h, &single);
    t_TensorList *list = t_list_new((Tensor *[]){t_expand(x, plane, 2), t_expand(t_unsqueeze(y, 1), plane, 2)}, 2);
    return list ? t_unsqueeze(t_stack(list, -1), 0) : NULL;
}

/* TF.elastic_transform(img, displacement, interpolation, fill): each pixel is taken from its own position plus the
 * displacement, (1, H, W, 2) in units of half the image's size, x first. Error: another shape. */
Tensor *TF_elastic_transform(Tensor *img, Tensor *displacement, transforms_InterpolationMode interpolation,
                             const transforms_Values *fill) {
    if (!tg_check_image(img) || !tg_check_any(displacement, 2)) return NULL;
    const int64_t h = tg_image_height(img), w = tg_image_width(img);
    const int64_t *shape = displacement->shape;
    if (displacement->ndim != 4 || shape[0] != 1 || shape[1] != h || shape[2] != w || shape[3] != 2)
        return tg_fail("Argument displacement shape should be torch.Size([1, %lld, %lld, 2]), but given %s",
                       (long long)h, (long long)w, t_size_repr(displacement));
    const int depth = t_scope_open();
    if (!depth) return NULL;
    /* also a PIL image as a tensor */
    Tensor *x = tg_is_pil(img) ? TF_pil_to_tensor(img) : img, *y = NULL;
    if (x && tg_check_sampling(x, interpolation, fill))
        y = tg_sample_grid(x, t_add(identity_grid(h, w), displacement), interpolation, fill);
    return tg_scope_return(depth, tg_like_image(img, y));
}
