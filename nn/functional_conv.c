/* nn/functional_conv.c: convolutions over one and two dims, and transposed ones.
 *
 * Behind all of them is one sum of products over samples n, places p and window elements k:
 *     T(x, w, y) = sum y[n, o, p] x[n, c, p stride - padding + k dilation] w[o, c, k].
 * It gives three functions, y(x, w), x(y, w) and w(x, y), each the derivative of T by one of its arguments. The first is the
 * convolution, the second the transposed convolution, and the three are each other's gradients, to any order.
 * Each works block by block: the elements under the window become the columns of a matrix (window.h), for one sample, one
 * group and as many rows of places as fit into a block of memory, and a matrix product does the rest. Where a channel of y sees
 * but one channel of x the product would be as thin as the window: there the window slides over planes (depthwise.h). */
#include <string.h>

#include "core/kernels/depthwise.h"
#include "core/kernels/gemm.h"
#include "core/kernels/parallel.h"
#include "nn/functional_layers.h"
#include "nn/window.h"

const F_ConvOptions F_ConvDefaults = {.size = sizeof(F_ConvOptions), .stride = {1, F_BOTH}, .padding = {0, F_BOTH},
                                      .dilation = {1, F_BOTH}, .groups = 1, .output_padding = {0, F_BOTH}};

enum { BLOCK_BYTES = 1 << 18 };

typedef struct Conv {
    Window window;
    int64_t N, C, O, groups; /* samples, channels of x, channels of y */
} Conv;

/* ---- blocks ---- */

typedef struct Job {
    const Conv *conv;
    t_DType dtype;
    char *x, *w, *y;              /* w and y are contiguous */
    int64_t x_sample, x_steps[3]; /* x's steps from sample to sample, and over channels, rows and columns */
    void *buffer;                 /* for the columns; NULL where x itself serves as them */
    bool accumulate;              /* onto a bias, or onto what other blocks gave */
} Job;

typedef struct Block {
    int64_t n, group, first, rows; /* rows of places from the first on */
} Block;

typedef tg_Matrix Matrix;

/* c = a b, or c += a b. */
static void multiply(const Job *job, int64_t M, int64_t N, int64_t K, Matrix a, Matrix b, Matrix c, bool accumulate) {
    tg_gemm(job->dtype == t_float64, &(tg_Product){M, N, K, a, b, c, accumulate ? c : (Matrix){NULL, 0, 0}});
}

static char *element(const Job *job, char *data, int64_t i) {
    return data + i * (int64_t)tg_itemsize(job->dtype);
}

/* The rows of the columns' matrix: the elements of a window in the channels of one group. */
static int64_t window_size(const Conv *c) {
    return c->C / c->groups * c->window.kernel[0] * c->window.kernel[1];
}

static Matrix weights_of(const Job *job, Block b) {
    int64_t rows = job->conv->O / job->conv->groups, columns = window_size(job->conv);
    return (Matrix){element(job, job->w, b.group * rows * columns), columns, 1};
}

/* One row for each channel of the group, one column for each place. */
static Matrix places_of(const Job *job, Block b) {
    const Conv *c = job->conv;
    int64_t plane = c->window.out[0] * c->window.out[1], first = (b.n * c->O + b.group * (c->O / c->groups)) * plane;
    return (Matrix){element(job, job->y, first + b.first * c->window.out[1]), plane, 1};
}

static char *input_of(const Job *job, Block b) {
    return element(job, job->x, b.n * job->x_sample + b.group * (job->conv->C / job->conv->groups) * job->x_steps[0]);
}

/* Where the columns of the block stand: in the buffer, or in x. */
static Matrix columns_at(const Job *job, Block b) {
    if (job->buffer) return (Matrix){job->buffer, b.rows * job->conv->window.out[1], 1};
    return (Matrix){element(job, input_of(job, b), b.first * job->x_steps[1]), job->x_steps[0], job->x_steps[2]};
}

static Matrix columns_of(const Job *job, Block b) {
    const Conv *c = job->conv;
    Matrix m = columns_at(job, b);
    Columns to = {m.data, m.row, b.first, b.rows};
    if (job->buffer) tg_unfold(&c->window, tg_itemsize(job->dtype), input_of(job, b), job->x_steps, c->C / c->groups, &to);
    return m;
}

static void output_block(const Job *job, Block b) {
    int64_t O = job->conv->O / job->conv->groups, places = b.rows * job->conv->window.out[1];
    multiply(job, O, places, window_size(job->conv), weights_of(job, b), columns_of(job, b), places_of(job, b), job->accumulate);
}

static void input_block(const Job *job, Block b) {
    const Conv *c = job->conv;
    int64_t places = b.rows * c->window.out[1];
    Matrix w = weights_of(job, b), columns = columns_at(job, b);
    Columns from = {columns.data, columns.row, b.first, b.rows};
    multiply(job, window_size(c), places, c->O / c->groups, (Matrix){w.data, w.column, w.row}, places_of(job, b), columns,
             job->accumulate && !job->buffer);
    if (!job->buffer) return;
    if (job->dtype == t_float32) tg_fold_float32(&c->window, &from, c->C / c->groups, (float *)input_of(job, b));
    else tg_fold_float64(&c->window, &from, c->C / c->groups, (double *)input_of(job, b));
}

static void weight_block(const Job *job, Block b) {
    const Conv *c = job->conv;
    Matrix columns = columns_of(job, b);
    multiply(job, c->O / c->groups, window_size(c), b.rows * c->window.out[1], places_of(job, b),
             (Matrix){columns.data, columns.column, columns.row}, weights_of(job, b), true);
}

/* A window of one element that visits each element of x: x's rows are the columns already. */
static bool is_pointwise(const Job *job) {
    const Window *w = &job->conv->window;
    bool same = w->in[0] == 1 || job->x_steps[1] == job->x_steps[2] * w->in[1];
    for (int d = 0; d < 2; d++)
        same = same && w->kernel[d] == 1 && w->stride[d] == 1 && w->padding[d] == 0 && w->out[d] == w->in[d];
    return same;
}

/* ---- all blocks ---- */

typedef void Visit(const Job *job, Block block);

/* What threads divide: the groups of all samples, whose x and y are theirs alone; of w the groups. */
typedef struct Shared {
    const Job *job;
    Visit *visit;
    int64_t rows;
    size_t bytes; /* of a buffer; each thread has one */
    char *buffers;
    atomic_flag *taken;
    int threads;
} Shared;

static void visit_units(int64_t from, int64_t to, void *context) {
    const Shared *all = context;
    const Conv *c = all->job->conv;
    const int64_t height = c->window.out[0];
    Job job = *all->job;
    int own = 0;
    while (atomic_flag_test_and_set(&all->taken[own])) own = (own + 1) % all->threads;
    job.buffer = all->bytes ? all->buffers + (size_t)own * all->bytes : NULL;
    for (int64_t unit = from; unit < to; unit++)
        for (int64_t first = 0; first < height; first += all->rows)
            all->visit(&job, (Block){unit / c->groups, unit % c->groups, first,
                                     first + all->rows < height ? all->rows : height - first});
    atomic_flag_clear(&all->taken[own]);
}

/* The samples of a group's w are added up in order: a unit alone, and the product may have all threads. */
static bool run(Job *job, Visit *visit) {
    const Conv *c = job->conv;
    int64_t height = c->window.out[0], row = window_size(c) * c->window.out[1] * (int64_t)tg_itemsize(job->dtype);
    int64_t rows = row > 0 && BLOCK_BYTES / row < height ? BLOCK_BYTES / row : height, units = c->N * c->groups;
    if (rows < 1) rows = 1;
    atomic_flag taken[TG_MOST_THREADS] = {ATOMIC_FLAG_INIT};
    const bool alone = visit == weight_block || units < 2;
    Shared all = {job, visit, rows, is_pointwise(job) ? 0 : ((size_t)(rows * row) + 63) / 64 * 64, NULL, taken,
                  alone ? 1 : tg_num_threads()};
    const size_t bytes = all.bytes * (size_t)all.threads;
    if (bytes && !(all.buffers = tg_alloc_raw(bytes))) return false;
    if (alone) visit_units(0, units, &all);
    else tg_parallel(units, 1, visit_units, &all);
    if (bytes) tg_free(all.buffers, bytes);
    return true;
}

/* ---- one channel of x for each channel of y ---- */

static bool slides(const Conv *c) {
    const int64_t kernel = c->window.kernel[0] * c->window.kernel[1];
    return c->C == c->groups && c->O / c->groups <= 8 && kernel > 1 && kernel <= TG_WINDOW && c->N * c->C > 0;
}

static bool slide(const Job *job, Visit *visit) {
    const Conv *c = job->conv;
    const Window *w = &c->window;
    const int which = visit == output_block ? TG_OUTPUT : visit == input_block ? TG_INPUT : TG_WEIGHT;
    tg_Depthwise planes = {.f64 = job->dtype == t_float64, .accumulate = job->accumulate, .N = c->N, .C = c->C, .O = c->O,
                           .x = job->x, .w = job->w, .y = job->y,
                           .x_steps = {job->x_sample, job->x_steps[0], job->x_steps[1], job->x_steps[2]}};
    memcpy(planes.in, w->in, sizeof planes.in);
    memcpy(planes.out, w->out, sizeof planes.out);
    memcpy(planes.kernel, w->kernel, sizeof planes.kernel);
    memcpy(planes.stride, w->stride, sizeof planes.stride);
    memcpy(planes.padding, w->padding, sizeof planes.padding);
    memcpy(planes.dilation, w->dilation, sizeof planes.dilation);
    const size_t bytes = (size_t)tg_depthwise_room(&planes, which);
    if (!(planes.room = tg_alloc_raw(bytes))) return false;
    tg_depthwise(&planes, which);
    tg_free(planes.room, bytes);
    return true;
}

/* ---- the three functions ---- */

static Tensor *output(Tensor *x, Tensor *w, Tensor *bias, const Conv *conv);
static Tensor *input(Tensor *y, Tensor *w, Tensor *bias, const Conv *conv);
static Tensor *weight(Tensor *x, Tensor *y, const Conv *conv);

/* A bias is added to each element of its channel. */
static Tensor *over_channels(Tensor *dy) {
    return t_sum(dy, (int64_t[]){0, 2, 3}, dy->ndim - 1, false);
}

static void output_backward(Record *r, Tensor *dy, Tensor **dx) {
    Tensor *x = tg_saved(r, 0), *w = tg_saved(r, 1);
    if (tg_needs(r, 0) && w) dx[0] = input(dy, w, NULL, r->attributes);
    if (tg_needs(r, 1) && x) dx[1] = weight(x, dy, r->attributes);
    if (tg_needs(r, 2)) dx[2] = over_channels(dy);
}
static void input_backward(Record *r, Tensor *dy, Tensor **dx) {
    Tensor *y = tg_saved(r, 0), *w = tg_saved(r, 1);
    if (tg_needs(r, 0) && w) dx[0] = output(dy, w, NULL, r->attributes);
    if (tg_needs(r, 1) && y) dx[1] = weight(dy, y, r->attributes);
    if (tg_needs(r, 2)) dx[2] = over_channels(dy);
}
static void weight_backward(Record *r, Tensor *dy, Tensor **dx) {
    Tensor *x = tg_saved(r, 0), *y = tg_saved(r, 1);
    if (tg_needs(r, 0) && y) dx[0] = input(y, dy, NULL, r->attributes);
    if (tg_needs(r, 1) && x) dx[1] = output(x, dy, NULL, r->attributes);
}
static const Op output_op = {"convolution", "ConvolutionBackward0", output_backward};
static const Op input_op = {"conv_transpose", "ConvolutionBackward0", input_backward};
static const Op weight_op = {"conv_weight", "ConvolutionBackwardBackward0", weight_backward};

/* (rows, columns, plane), zeros or the bias all over. */
static Tensor *filled(int64_t rows, int64_t columns, const int64_t plane[2], int dims, t_DType dtype, Tensor *bias) {
    int64_t shape[] = {rows, columns, plane[0], plane[1]};
    shape[1 + dims] = plane[1];
    Tensor *y = tg_empty(shape, 2 + dims, dtype);
    if (!y || !bias) {
        if (y) tg_fill_into(y, 0);
        return y;
    }
    Tensor over = *bias; /* on the stack: with dims of size 1 behind */
    over.ndim = 1 + dims;
    for (int d = 1; d <= dims; d++) over.shape[d] = 1;
    tg_copy_into(y, &over);
    return y;
}

static Tensor *dense(Tensor *x) {
    return tg_is_contiguous(x) ? x : t_contiguous(t_detach(x));
}

static bool work(const Conv *conv, Tensor *x, Tensor *w, Tensor *y, bool accumulate, Visit *visit) {
    if (!x || !w || !y) return false;
    int last = x->ndim - 1;
    Job job = {.conv = conv, .dtype = x->dtype, .x = tg_data(x), .w = tg_data(w), .y = tg_data(y), .x_sample = x->strides[0],
               .x_steps = {x->strides[1], last == 3 ? x->strides[2] : 0, x->strides[last]}, .accumulate = accumulate};
    return slides(conv) ? slide(&job, visit) : run(&job, visit);
}

static Tensor *output(Tensor *x, Tensor *w, Tensor *bias, const Conv *conv) {
    int depth = x && w ? t_scope_open() : 0;
    if (!depth) return NULL;
    Tensor *y = filled(conv->N, conv->O, conv->window.out, conv->window.dims, x->dtype, bias);
    y = work(conv, x, dense(w), y, bias != NULL, output_block) ? t_keep_object(y) : NULL;
    t_scope_close(depth);
    return tg_record(&output_op, y, INPUTS(x, w, bias), SAVED(w->requires_grad ? x : NULL, x->requires_grad ? w : NULL),
                     ATTRIBUTES(*conv));
}

static Tensor *input(Tensor *y, Tensor *w, Tensor *bias, const Conv *conv) {
    int depth = y && w ? t_scope_open() : 0;
    if (!depth) return NULL;
    Tensor *x = filled(conv->N, conv->C, conv->window.in, conv->window.dims, y->dtype, bias);
    x = work(conv, x, dense(w), dense(y), bias != NULL, input_block) ? t_keep_object(x) : NULL;
    t_scope_close(depth);
    return tg_record(&input_op, x, INPUTS(y, w, bias), SAVED(w->requires_grad ? y : NULL, y->requires_grad ? w : NULL),
                     ATTRIBUTES(*conv));
}

static Tensor *weight(Tensor *x, Tensor *y, const Conv *conv) {
    int depth = x && y ? t_scope_open() : 0;
    if (!depth) return NULL;
    Tensor *w = filled(conv->O, conv->C / conv->groups, conv->window.kernel, conv->window.dims, x->dtype, NULL);
    w = work(conv, x, w, dense(y), true, weight_block) ? t_keep_object(w) : NULL;
    t_scope_close(depth);
    return tg_record(&weight_op, w, INPUTS(x, y), SAVED(y->requires_grad ? x : NULL, x->requires_grad ? y : NULL),
                     ATTRIBUTES(*conv));
}

Tensor *tg_convolution(Tensor *x, Tensor *w, Tensor *bias, const Window *window, int64_t groups, bool transposed) {
    Conv conv = {.window = *window, .N = x->shape[0], .C = w->shape[1] * groups, .O = w->shape[0], .groups = groups};
    return (transposed ? input : output)(x, w, bias, &conv);
}
