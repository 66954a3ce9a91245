/* core/autograd/inplace.c: in-place writes and the tape.
 *
 * After x += y, x gets a new history: that of the value written. If x is a view, its base gets a new record,
 * CopySlices: the gradient of the viewed elements goes to the value written, that of the others to the base's old
 * record. The other views of that base get their new record when they are next used (tg_update_view_record). */
#include <string.h>

#include "core/autograd/arithmetic.h"
#include "core/autograd/saved_hooks_internal.h"
#include "core/autograd/tape.h"
#include "core/autograd/trace.h"
#include "core/tensor/packed_weight.h"

/* ---- as_strided of a base, and its adjoint ---- */

/* A view as as_strided of its base. */
typedef struct AsStrided {
    int ndim, base_ndim;
    int64_t shape[T_MAX_DIMS], strides[T_MAX_DIMS], offset; /* offset from the base's first element */
    int64_t base_shape[T_MAX_DIMS], base_strides[T_MAX_DIMS];
    t_DType dtype;
} AsStrided;

static AsStrided as_strided_of_base(const Tensor *view, const Tensor *base) {
    AsStrided layout = {.ndim = view->ndim, .base_ndim = base->ndim, .offset = view->offset - base->offset,
                        .dtype = base->dtype};
    memcpy(layout.shape, view->shape, sizeof layout.shape);
    memcpy(layout.strides, view->strides, sizeof layout.strides);
    memcpy(layout.base_shape, base->shape, sizeof layout.base_shape);
    memcpy(layout.base_strides, base->strides, sizeof layout.base_strides);
    return layout;
}

static void as_strided_backward(Record *r, Tensor *dy, Tensor **dx);
static void as_strided_adjoint_backward(Record *r, Tensor *ddy, Tensor **dx);
static void copy_slices_backward(Record *r, Tensor *dy, Tensor **dx);
static const Op as_strided_op = {"as_strided", "AsStridedBackward0", as_strided_backward};
static const Op as_strided_adjoint_op = {"as_strided_adjoint", "AsStridedBackward0Backward0",
                                         as_strided_adjoint_backward};
static const Op copy_slices_op = {"copy_slices", "CopySlices", copy_slices_backward};
const Op tg_copy_op = {"copy_", "CopyBackwards", tg_copy_backward};

/* as_strided(x); x must have the layout of the base. */
static Tensor *as_strided(Tensor *x, const AsStrided *layout) {
    Tensor *y = tg_view(x, layout->shape, layout->strides, layout->ndim, x->offset + layout->offset);
    return tg_record(&as_strided_op, y, INPUTS(x), NONE, layout, sizeof *layout);
}

/* The adjoint of as_strided: a tensor of the base's layout, zero except for the viewed elements, to which dy is
 * added. */
static Tensor *as_strided_adjoint(Tensor *dy, const AsStrided *layout) {
    Tensor *dx = tg_empty_strided(layout->base_shape, layout->base_strides, layout->base_ndim, layout->dtype);
    if (!dx) return NULL;
    memset(dx->storage->data, 0, dx->storage->bytes);
    Tensor *window = tg_view(dx, layout->shape, layout->strides, layout->ndim, layout->offset);
    if (!window) return NULL;
    tg_add_into(window, dy);
    return tg_record(&as_strided_adjoint_op, dx, INPUTS(dy), NONE, layout, sizeof *layout);
}

static Tensor *with_base_layout(Tensor *x, const AsStrided *layout) {
    if (memcmp(x->strides, layout->base_strides, (size_t)x->ndim * sizeof *x->strides) == 0) return x;
    Tensor *y = tg_empty_strided(layout->base_shape, layout->base_strides, layout->base_ndim, x->dtype);
    return y ? t_copy_(y, x) : NULL;
}

static void as_strided_backward(Record *r, Tensor *dy, Tensor **dx) {
    dx[0] = as_strided_adjoint(dy, r->attributes);
}

static void as_strided_adjoint_backward(Record *r, Tensor *ddy, Tensor **dx) {
    Tensor *x = with_base_layout(ddy, r->attributes);
    if (x) dx[0] = as_strided(x, r->attributes);
}

/* Inputs: the base before the write; the value written. */
static void copy_slices_backward(Record *r, Tensor *dy, Tensor **dx) {
    const AsStrided *layout = r->attributes;
    Tensor *g = with_base_layout(dy, layout);
    Tensor *window = g ? as_strided(g, layout) : NULL;
    if (!window) return;
    if (tg_needs(r, 0)) dx[0] = t_sub(g, as_strided_adjoint(window, layout));
    if (tg_needs(r, 1)) dx[1] = window;
}

/* Inputs: x before the write, whose gradient is zero; the value written. */
void tg_copy_backward(Record *r, Tensor *dy, Tensor **dx) {
    if (tg_needs(r, 0)) dx[0] = tg_zeros_like_input(r, 0);
    dx[1] = dy;
}

/* ---- views whose base was written to ---- */

static __attribute__((noinline)) bool refresh(Tensor *x, Tensor *base) {
    if (base->requires_grad) {
        AsStrided layout = as_strided_of_base(x, base);
        if (!tg_attach_record(&as_strided_op, x, INPUTS(base), NONE, ATTRIBUTES(layout))) return false;
    } else {
        tg_set_record(x, NULL);
        x->requires_grad = false;
    }
    x->history_version = base->history_version;
    return true;
}

bool tg_update_view_record(Tensor *x) {
    return !x->base || x->history_version == x->base->history_version || refresh(x, x->base);
}

/* ---- writes ---- */

/* Copy-on-write: before a storage is written to, the records that share it (tg_save_copy_on_write) get copies, with the
 * same history. */
static bool copy_shared(Storage *storage) {
    bool before = t_set_grad_enabled(true), ok = true;
    int depth = t_scope_open();
    for (Record *r = tg_thread.tape; r; r = r->older)
        for (int i = 0; i < r->saves; i++) {
            Saved *saved = &r->saved[i];
            if (!saved->is_copy_on_write || saved->tensor->storage != storage ||
                saved->version != storage->version) continue;
            Tensor *copy = depth ? t_retain(t_clone(saved->tensor)) : NULL;
            if (!(ok = ok && copy)) continue;
            t_release(saved->tensor);
            *saved = (Saved){.tensor = copy, .version = copy->storage->version, .is_output = saved->is_output};
        }
    if (ok) storage->copy_on_write_refs = 0;
    t_scope_close(depth);
    t_set_grad_enabled(before);
    return ok;
}

bool tg_materialize_copies(Tensor *x) {
    return !x->storage->copy_on_write_refs || copy_shared(x->storage);
}

bool tg_check_inplace(Tensor *x) {
    if (!tg_materialize_copies(x)) return false;
    if (tg_overlaps_itself(x))
        return tg_fail("unsupported operation: more than one element of the written-to tensor refers to a single "
                       "memory location. Please clone() the tensor before performing the operation.");
    return tg_check_new_history(x);
}

bool tg_check_new_history(Tensor *x) {
    if (!tg_context()->grad_enabled) return true;
    if (!tg_update_view_record(x)) return false;
    if (x->requires_grad && !x->record)
        return tg_fail("a leaf Variable that requires grad is being used in an in-place operation.");
    if (x->base && x->base->requires_grad && x->made_without_grad)
        return tg_fail("A view was created in no_grad mode and is being modified inplace with grad mode enabled. Given "
                       "that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by "
                       "moving both the view and the inplace either both inside the no_grad block (if you don't want "
                       "the inplace to be tracked) or both outside (if you want the inplace to be tracked).");
    if (x->base && x->base->requires_grad && !x->base->record)
        return tg_fail("a view of a leaf Variable that requires grad is being used in an in-place operation.");
    return true;
}

void tg_bump_version(Tensor *x) {
    x->storage->version++;
    if (x->storage->packed) tg_drop_packed(x->storage);
}

void tg_overwrite(Tensor *x, Tensor *value) {
    tg_copy_into(x, value);
    tg_bump_version(x);
}

bool tg_rebase_history(Tensor *x, Tensor *value, const Op *op) {
    Tensor *owner = x->base ? x->base : x;
    if (tg_thread.trace && tg_thread.grad_enabled) tg_thread.trace->write(tg_thread.trace, x, value);
    if (!tg_will_record((Tensor *[]){owner, value}, 2)) return true;
    if (x->base) {
        AsStrided layout = as_strided_of_base(x, owner);
        if (!tg_attach_record(&copy_slices_op, owner, INPUTS(owner, value), NONE, ATTRIBUTES(layout))) return false;
        owner->record->edges[1].dtype = x->dtype; /* the value is cast to x's dtype */
    } else if (!op && value->record) {
        tg_record_retain(value->record);
        tg_set_record(x, value->record);
        x->requires_grad = true;
    } else if (!tg_attach_record(op ? op : &tg_copy_op, x, INPUTS(x, value), NONE, NONE)) {
        return false;
    }
    owner->history_version++;
    return true;
}

bool tg_check_cast(t_DType from, t_DType to) {
    bool fits = tg_is_floating(to) || (!tg_is_floating(from) && (to != t_bool || from == t_bool));
    return fits || tg_fail("result type %s can't be cast to the desired output type %s", tg_scalar_name(from),
                           tg_scalar_name(to));
}

/* A copy of x with x's record. */
static Tensor *snapshot(Tensor *x) {
    Tensor *y = tg_empty_like(x, x->dtype);
    if (!y) return NULL;
    tg_copy_into(y, x);
    y->record = x->record;
    tg_record_retain(y->record);
    y->requires_grad = x->requires_grad;
    return y;
}

/* Replaces the i-th saved tensor of r. */
static void replace_saved(Record *r, int i, Tensor *x) {
    t_retain(x);
    t_release(r->saved[i].tensor);
    r->saved[i].tensor = x;
    r->saved[i].version = x->storage->version;
}

/* An alias of the view x with its record, but without its base. */
static Tensor *without_base(Tensor *x) {
    Tensor *y = tg_update_view_record(x) ? tg_alias(x) : NULL;
    if (!y) return NULL;
    y->record = x->record;
    tg_record_retain(y->record);
    y->requires_grad = x->requires_grad;
    return y;
}

/* Where r, the record of x's new value, has saved x, replaces it by a copy of the old x. Where it has saved a view of
 * the tensor that gets r, replaces it by an alias: the view's base would keep r alive, and r the view. */
static bool save_old_value(Record *r, Tensor *x) {
    Tensor *old = NULL;
    const Tensor *owner = x->base ? x->base : x;
    for (int i = 0; i < r->saves; i++) {
        Saved *saved = &r->saved[i];
        if (saved->is_packed) {
            if (!tg_copy_packed(saved, x)) return false;
        } else if (saved->tensor == x) {
            if (!old && !(old = snapshot(x))) return false;
            replace_saved(r, i, old);
        } else if (saved->tensor && saved->tensor->base == owner) {
            const int64_t version = saved->version;
            Tensor *alias = without_base(saved->tensor);
            if (!alias) return false;
            replace_saved(r, i, alias);
            saved->version = version;
        }
    }
    return true;
}

static bool has_saved_output(const Record *r) {
    for (int i = 0; r && i < r->saves; i++)
        if (r->saved[i].is_output && !r->saved[i].is_packed) return true;
    return false;
}

Tensor *tg_write_inplace(Tensor *x, Tensor *value) {
    if (!value) return NULL;
    if (value->ndim > x->ndim || !tg_same_shape(x, value))
        return tg_fail("output with shape %s doesn't match the broadcast shape %s", tg_shape_of(x), tg_shape_of(value));
    if (!tg_check_cast(value->dtype, x->dtype)) return NULL;
    Record *r = value->record;
    bool saves_output = has_saved_output(r) && value->dtype == x->dtype;
    Tensor *new = saves_output ? tg_alias(x) : NULL;
    if ((saves_output && !new) || (r && !save_old_value(r, x)) || !tg_rebase_history(x, value, NULL)) return NULL;
    tg_overwrite(x, value);
    for (int i = 0; saves_output && i < r->saves; i++)
        if (r->saved[i].is_output && !r->saved[i].is_packed) replace_saved(r, i, new);
    return x;
}
