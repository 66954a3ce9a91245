/* core/ops/advanced_indexing.c: reading and writing at places that index tensors name, and the gradients of both. */
#include "core/ops/advanced_indexing_internal.h"

#include <string.h>

/* ---- the places under the result ---- */

static bool is_indexed(const Pick *how, int dim) {
    for (int i = 0; i < how->count; i++)
        if (how->dims[i] == dim) return true;
    return false;
}

typedef struct Under {
    int ndim;
    int64_t shape[T_MAX_DIMS], x[T_MAX_DIMS], places[T_MAX_DIMS]; /* strides; 0 where the dim is the other's */
} Under;

static void add_dim(Under *u, int64_t size, int64_t x, int64_t places) {
    u->shape[u->ndim] = size;
    u->x[u->ndim] = x;
    u->places[u->ndim++] = places;
}

/* The dims of the result: those of x that are not indexed, with those of the places among them. */
static Under under_result(const Pick *how, const int64_t *x_strides, const Tensor *places) {
    Under u = {.ndim = 0};
    int rest[T_MAX_DIMS], rests = 0;
    for (int d = 0; d < how->ndim; d++)
        if (!is_indexed(how, d)) rest[rests++] = d;
    for (int i = 0; i < how->before; i++) add_dim(&u, how->shape[rest[i]], x_strides[rest[i]], 0);
    for (int i = 0; i < places->ndim; i++) add_dim(&u, places->shape[i], 0, places->strides[i]);
    for (int i = how->before; i < rests; i++) add_dim(&u, how->shape[rest[i]], x_strides[rest[i]], 0);
    return u;
}

static Tensor with_strides(const Tensor *x, const Under *u, const int64_t *strides) {
    Tensor over = *x;
    over.ndim = u->ndim;
    memcpy(over.shape, u->shape, sizeof over.shape);
    memcpy(over.strides, strides, sizeof over.strides);
    return over;
}

int tg_pick_shape(const Pick *how, const Tensor *places, int64_t *shape) {
    Under u = under_result(how, how->shape, places);
    memcpy(shape, u.shape, sizeof u.shape);
    return u.ndim;
}

/* ---- the walk ----
 * Where the indexed dims of x lie evenly one behind the other, a place times the last stride is the way to it. Else the
 * places are first turned into distances in memory. */

/* The step from one place to the next; false where there is no such step. Dims of size 1 have no say. */
static bool even_step(const Tensor *x, const Pick *how, int64_t *step) {
    int64_t reach = 0; /* what the dims seen so far fill */
    bool any = false;
    *step = 0;
    for (int i = how->count - 1; i >= 0; i--) {
        int64_t size = x->shape[how->dims[i]], stride = x->strides[how->dims[i]];
        if (size == 1) continue;
        if (any && stride != reach) return false;
        if (!any) *step = stride;
        reach = size * stride;
        any = true;
    }
    return true;
}

static Tensor *memory_offsets(const Tensor *x, const Tensor *places, const Pick *how) {
    Tensor *y = tg_empty(places->shape, places->ndim, t_int64);
    const int64_t *from = tg_data(places);
    for (int64_t i = 0, n = y ? tg_numel(y) : 0; i < n; i++) {
        int64_t place = from[i], distance = 0;
        for (int k = how->count - 1; k >= 0; k--) {
            int64_t size = x->shape[how->dims[k]];
            distance += place % size * x->strides[how->dims[k]];
            place /= size;
        }
        ((int64_t *)tg_data(y))[i] = distance;
    }
    return y;
}

typedef struct Way {
    Tensor *steps; /* the places, or a tensor of its own */
    int64_t step;
} Way;

static bool find_way(const Tensor *x, Tensor *places, const Pick *how, Way *way) {
    bool even = even_step(x, how, &way->step) || tg_numel(x) == 0; /* with no elements there is no way to go */
    way->steps = even ? places : memory_offsets(x, places, how);
    if (!even) way->step = 1;
    way->step *= (int64_t)tg_itemsize(x->dtype);
    return way->steps != NULL;
}

/* Moves elements between x[places] and `other`, which broadcasts to it: into x as `how` says, or NOT_INTO x but out of it. */
enum { NOT_INTO = -1 };

static void go(int how, Tensor *x, const Pick *pick, const Way *way, Tensor *other) {
    Under u = under_result(pick, x->strides, way->steps);
    Tensor x_under = with_strides(x, &u, u.x), steps = with_strides(way->steps, &u, u.places);
    if (how == NOT_INTO) tg_run_gather(other, &steps, &x_under, way->step);
    else tg_run_scatter((Scatter)how, &x_under, &steps, other, way->step);
}

/* Both for a fresh y, which is gone on failure. */
static Tensor *find_and_go(int how, Tensor *x, Tensor *places, const Pick *pick, Tensor *other) {
    Way way;
    Tensor *y = how == NOT_INTO ? other : x;
    if (!find_way(x, places, pick, &way)) {
        t_release(tg_take(y));
        return NULL;
    }
    go(how, x, pick, &way, other);
    if (way.steps != places) t_release(tg_take(way.steps));
    return y;
}

/* ---- reading ---- */

const Op tg_index_op = {"index", "IndexBackward0", tg_pick_backward};
static void adjoint_backward(Record *r, Tensor *ddy, Tensor **dx);
static const Op adjoint_op = {"index_adjoint", "IndexBackward0Backward0", adjoint_backward};

Tensor *tg_pick(Tensor *x, Tensor *places, const Pick *how, const Op *op) {
    int64_t shape[T_MAX_DIMS];
    int ndim = tg_pick_shape(how, places, shape);
    Tensor *y = tg_empty(shape, ndim, x->dtype);
    if (y) y = find_and_go(NOT_INTO, x, places, how, y);
    return tg_record(op, y, INPUTS(x), SAVED(places), how, sizeof *how);
}

/* Zeros in x's shape, with dy added at its places. */
static Tensor *adjoint(Tensor *dy, Tensor *places, const Pick *how) {
    t_TensorOptions options = {.size = sizeof options, .dtype = dy->dtype};
    Tensor *dx = t_zeros(how->shape, how->ndim, &options);
    if (dx) dx = find_and_go(SCATTER_SUM, dx, places, how, dy);
    return tg_record(&adjoint_op, dx, INPUTS(dy), SAVED(places), how, sizeof *how);
}

void tg_pick_backward(Record *r, Tensor *dy, Tensor **dx) {
    Tensor *places = tg_saved(r, 0);
    if (places) dx[0] = adjoint(dy, places, r->attributes);
}

static void adjoint_backward(Record *r, Tensor *ddy, Tensor **dx) {
    Tensor *places = tg_saved(r, 0);
    if (places) dx[0] = tg_pick(ddy, places, r->attributes, &tg_index_op);
}

/* ---- writing ---- */

typedef struct Put {
    Pick how;
    bool accumulate;
} Put;

const Op tg_index_put_op = {"index_put", "IndexPutBackward0", tg_put_backward};
const Op tg_index_fill_op = {"index_fill", "IndexFillBackward0", tg_put_backward};

/* Inputs: x before, value. */
void tg_put_backward(Record *r, Tensor *dy, Tensor **dx) {
    const Put *put = r->attributes;
    Tensor *places = tg_saved(r, 0);
    if (!places) return;
    if (put->accumulate) dx[0] = dy;
    else if (tg_needs(r, 0))
        dx[0] = tg_put(dy, places, &put->how, t_to(t_number(0), dy->dtype), false, &tg_index_put_op);
    if (tg_needs(r, 1)) dx[1] = tg_pick(dy, places, &put->how, &tg_index_op);
}

Tensor *tg_put(Tensor *x, Tensor *places, const Pick *how, Tensor *value, bool accumulate, const Op *op) {
    Put put = {*how, accumulate};
    Tensor *y = value ? tg_empty_like(x, x->dtype) : NULL;
    if (!y) return NULL;
    tg_copy_into(y, x);
    y = find_and_go(accumulate ? SCATTER_SUM : SCATTER_SET, y, places, how, value);
    return tg_record(op, y, INPUTS(x, value), SAVED(places), ATTRIBUTES(put));
}

/* Straight into x's memory. An x that is no view of another tensor can get the record itself. */
static bool put_directly(Tensor *x, Tensor *places, const Pick *how, Tensor *value, bool accumulate, const Op *op) {
    Put put = {*how, accumulate};
    Tensor *both[] = {x, value};
    Way way;
    if (!find_way(x, places, how, &way)) return false;
    if (tg_will_record(both, 2)) {
        if (!tg_attach(op, x, both, 2, SAVED(places), ATTRIBUTES(put))) return false;
        x->history++;
    }
    go(accumulate ? SCATTER_SUM : SCATTER_SET, x, how, &way, value);
    tg_bump(x);
    return true;
}

Tensor *tg_put_(Tensor *x, Tensor *places, const Pick *how, Tensor *value, bool accumulate, const Op *op) {
    if (!tg_check_inplace(x)) return NULL;
    int depth = t_scope_open();
    if (!depth) return NULL;
    bool ok, of_a_base = x->base && tg_will_record((Tensor *[]){x, value, x->base}, 3);
    if (value->storage == x->storage) value = t_clone(value);
    if (!value) ok = false;
    else if (of_a_base) ok = tg_write(x, tg_put(x, places, how, value, accumulate, op));
    else ok = put_directly(x, places, how, value, accumulate, op);
    t_scope_close(depth);
    return ok ? x : NULL;
}
