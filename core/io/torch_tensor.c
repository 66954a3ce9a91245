/* core/io/torch_tensor.c: the tensors of torch.save's pickles, as views of their storages. */
#include <inttypes.h>

#include "core/autograd/autograd.h"
#include "core/io/torch_internal.h"
#include "core/tensor/tensor.h"

/* ---- storages ---- */

/* Where a storage is: its index in l->storages, its bytes, its name for messages. */
typedef struct Source {
    const tg_ZipEntry *entry;
    const tg_LegacyStorage *legacy;
    int64_t index;
    uint64_t bytes;
    const char *name;
} Source;

static bool find_source(tg_Loader *l, const tg_Value *id, Source *s) {
    const tg_Value *key = tg_item_of(&l->pickle, id, 2);
    if (l->legacy) {
        const tg_LegacyStorage *found = tg_torch_legacy_storage(l, id);
        if (found) *s = (Source){NULL, found, found - l->legacy, found->bytes, l->path};
        return found != NULL;
    }
    const tg_ZipEntry *entry = tg_torch_entry(l, "data/", key->as.text, (int)key->count);
    if (!entry) return tg_fail("%s, byte %" PRIu32 ": there is no '%s' in the archive", l->what, id->at, l->path);
    *s = (Source){entry, NULL, entry - l->zip.entries, entry->bytes, entry->name};
    return true;
}

static bool read_source(const tg_Loader *l, const Source *s, tg_Kind kind, Tensor *x) {
    tg_ZipContents c;
    if (s->legacy) return tg_read_elements(l->in, s->legacy->at, kind, false, x, s->name);
    const bool ok = tg_torch_open(&c, l, s->entry) && tg_read_elements(c.in, c.at, kind, l->big_endian, x, s->name);
    tg_zip_close_entry(&c);
    return ok;
}

/* The storage as a 1-D tensor; NULL on error. */
static Tensor *storage_of(tg_Loader *l, const tg_Value *id, tg_Kind kind) {
    const tg_Value *numel = tg_item_of(&l->pickle, id, 4);
    uint64_t bytes, in_id = (uint64_t)numel->as.integer;
    Source s;
    if (!find_source(l, id, &s)) return NULL;
    if (tg_kinds[kind].dtype == 0)
        return tg_fail("'%s' in %s is of %s, which tensors do not support", s.name, l->in->name, tg_kinds[kind].name);
    if (numel->as.integer < 0 || !tg_count_bytes(in_id, id->kind ? kind : tg_kind_u8, &bytes) || bytes != s.bytes)
        return tg_fail("'%s' in %s has %" PRIu64 " bytes, but should have %" PRId64 " elements of %s", s.name,
                       l->in->name, s.bytes, numel->as.integer, tg_kinds[id->kind ? kind : tg_kind_u8].name);
    const int64_t count = (int64_t)(bytes / (tg_kinds[kind].bits / 8u));
    Tensor **stored = &l->storages[s.index];
    if (*stored && (tg_Kind)l->kinds[s.index] == kind) return *stored;
    if (*stored && bytes)
        return tg_fail("'%s' in %s is of %s and of %s", s.name, l->in->name, tg_kinds[l->kinds[s.index]].name,
                       tg_kinds[kind].name);
    Tensor *x = tg_empty(&count, 1, tg_kinds[kind].dtype);
    if (!x || !read_source(l, &s, kind, x)) return NULL;
    l->kinds[s.index] = (uint8_t)kind;
    return *stored = x;
}

/* The part of the storage that the persistent id means, in elements of the tensor; all of it without a view. */
static bool part_of(tg_Loader *l, const tg_Value *id, const Tensor *storage, int64_t *first, int64_t *count) {
    const tg_Value *view = id->count > 5 ? tg_item_of(&l->pickle, id, 5) : NULL;
    *first = 0;
    *count = tg_numel(storage);
    if (!view || view->type == tg_is_none) return true;
    const int64_t offset = tg_item_of(&l->pickle, view, 1)->as.integer;
    const int64_t size = tg_item_of(&l->pickle, view, 2)->as.integer;
    if (offset < 0 || size < 0 || offset > *count || size > *count - offset || !id->kind)
        return tg_fail("%s, byte %" PRIu32 ": a view of %" PRId64 " elements from %" PRId64
                       " on is not within its storage of %" PRId64 " elements", l->what, id->at, size, offset, *count);
    *first = offset;
    *count = size;
    return true;
}

/* ---- tensors ---- */

static bool read_sizes(const tg_Loader *l, const tg_Value *tuple, int64_t sizes[T_MAX_DIMS]) {
    if (tuple->type != tg_is_tuple) return tg_torch_fail(l, tuple, "the sizes and strides of a tensor are not tuples");
    if (tuple->count > T_MAX_DIMS)
        return tg_fail("%s, byte %" PRIu32 ": a tensor has at most %d dims, not %" PRIu32, l->what, tuple->at,
                       T_MAX_DIMS, tuple->count);
    for (uint32_t i = 0; i < tuple->count; i++) {
        const tg_Value *x = tg_item_of(&l->pickle, tuple, i);
        if (x->type != tg_is_integer || x->as.integer < 0)
            return tg_torch_fail(l, tuple, "a size or stride of a tensor is not an int, or negative");
        sizes[i] = x->as.integer;
    }
    return true;
}

/* True if all elements that sizes and strides reach from offset on are within the storage. */
static bool is_within(const int64_t *sizes, const int64_t *strides, int ndim, int64_t offset, int64_t numel) {
    int64_t last = offset, step, count = 1;
    for (int d = 0; d < ndim; d++)
        if (__builtin_mul_overflow(count, sizes[d], &count) ||
            __builtin_mul_overflow(sizes[d] - 1, strides[d], &step) ||
            __builtin_add_overflow(last, step, &last))
            return false;
    return last < numel && count <= INT64_MAX / 16;
}

/* x with the requires_grad of the file. */
static Tensor *set_requires_grad(const tg_Loader *l, const tg_Value *call, Tensor *x, bool requires_grad) {
    if (!x || !requires_grad) return x;
    return tg_is_floating(x->dtype) ? (t_requires_grad_)(x, true)
           : tg_torch_fail(l, call, "a tensor of integers or bools that requires a gradient");
}

/* (storage, offset, sizes, strides, requires_grad, hooks[, dtype][, metadata]); until PyTorch 0.3 the first four. */
static Tensor *rebuild(tg_Loader *l, const tg_Value *call) {
    const bool has_dtype = call->global == tg_global_tensor_of_dtype, is_old = call->global == tg_global_old_tensor;
    const uint32_t most = has_dtype ? 8 : is_old ? 4 : 7, least = is_old ? 4 : most - 1;
    const tg_Value no = {.type = tg_is_bool}, *arg[8] = {[4] = &no};
    if (call->count < least || call->count > most)
        return tg_torch_fail(l, call, "a tensor is rebuilt from a wrong number of arguments");
    for (uint32_t i = 0; i < call->count; i++) arg[i] = tg_item_of(&l->pickle, call, i);
    const tg_Value *dtype = has_dtype ? arg[6] : arg[0], *metadata = is_old ? NULL : arg[most - 1];
    int64_t sizes[T_MAX_DIMS], strides[T_MAX_DIMS], first, count;
    bool empty = false;
    if (arg[0]->type != tg_is_storage || arg[1]->type != tg_is_integer || arg[1]->as.integer < 0 ||
        arg[4]->type != tg_is_bool ||
        (has_dtype && (dtype->type != tg_is_global || dtype->global != tg_global_dtype)) || !dtype->kind ||
        (has_dtype && arg[0]->kind))
        return tg_torch_fail(l, call, "a tensor is rebuilt from arguments of wrong types");
    if (metadata && metadata->type != tg_is_none && metadata->count)
        return tg_torch_fail(l, metadata, "a tensor with a lazy negation or conjugation");
    if (!read_sizes(l, arg[2], sizes) || !read_sizes(l, arg[3], strides)) return NULL;
    const int ndim = (int)arg[2]->count;
    const Tensor *storage = storage_of(l, arg[0], (tg_Kind)dtype->kind);
    if (!storage || !part_of(l, arg[0], storage, &first, &count)) return NULL;
    for (int d = 0; d < ndim; d++) empty = empty || sizes[d] == 0;
    if (arg[3]->count != arg[2]->count ||
        (!empty && !is_within(sizes, strides, ndim, arg[1]->as.integer, count)))
        return tg_fail("%s, byte %" PRIu32 ": a tensor of sizes %s, strides %s and offset %" PRId64
                       " is not within its storage of %" PRId64 " elements",
                       l->what, call->at, tg_shape_text(sizes, ndim), tg_shape_text(strides, (int)arg[3]->count),
                       arg[1]->as.integer, count);
    Tensor *x = empty ? tg_empty(sizes, ndim, storage->dtype)
        : tg_detach_from_base(tg_view((Tensor *)storage, sizes, strides, ndim, first + arg[1]->as.integer));
    return set_requires_grad(l, call, x, arg[4]->as.integer);
}

static Tensor *parameter_of(tg_Loader *l, const tg_Value *call, const tg_Value *data, bool requires_grad, int depth) {
    Tensor *x = tg_torch_tensor(l, data, depth + 1), *parameter = x ? tg_alias(x) : NULL;
    if (parameter) parameter->is_parameter = true;
    return set_requires_grad(l, call, parameter, requires_grad);
}

/* Until PyTorch 0.3: Parameter(tensor), then its attributes (requires_grad, volatile, hooks). */
static Tensor *rebuild_old_parameter(tg_Loader *l, const tg_Value *call, int depth) {
    const tg_Value *state = call->count == 2 ? tg_item_of(&l->pickle, call, 1) : NULL;
    const tg_Value *flag = state && state->type == tg_is_tuple && state->count == 3
        ? tg_item_of(&l->pickle, state, 0) : NULL;
    if (call->count < 1 || call->count > 2 || (state && (!flag || flag->type != tg_is_bool)))
        return tg_torch_fail(l, call, "a parameter is rebuilt from arguments of wrong types");
    return parameter_of(l, call, tg_item_of(&l->pickle, call, 0), !flag || flag->as.integer, depth);
}

/* torch._utils._rebuild_parameter(tensor, requires_grad, hooks), where the parameter is a new tensor with the same
 * storage; and torch._tensor._rebuild_from_type_v2(function, type, arguments, attributes), whose type and attributes
 * are ignored. */
static Tensor *rebuild_wrapped(tg_Loader *l, const tg_Value *call, int depth) {
    const bool is_parameter = call->global == tg_global_parameter;
    const tg_Value *arg[4] = {NULL};
    for (uint32_t i = 0; i < call->count && i < 4; i++) arg[i] = tg_item_of(&l->pickle, call, i);
    if (is_parameter && call->count >= 3 && arg[1]->type == tg_is_bool)
        return parameter_of(l, call, arg[0], arg[1]->as.integer, depth);
    if (!is_parameter && call->count == 4 && arg[0]->type == tg_is_global && arg[1]->type == tg_is_global &&
        arg[2]->type == tg_is_tuple) {
        tg_Value inner = *arg[2];
        inner.type = tg_is_call;
        inner.global = arg[0]->global;
        return inner.global == tg_global_tensor || inner.global == tg_global_tensor_of_dtype ? rebuild(l, &inner) :
               inner.global == tg_global_parameter ? rebuild_wrapped(l, &inner, depth + 1)
               : tg_torch_fail(l, call, "the function does not return a tensor");
    }
    return tg_torch_fail(l, call, "a parameter is rebuilt from arguments of wrong types");
}

Tensor *tg_torch_tensor(tg_Loader *l, const tg_Value *x, int depth) {
    const ptrdiff_t index = x - tg_value(&l->pickle, 0);
    if (depth > TG_DEEPEST || x->type != tg_is_call || x->global == tg_global_device)
        return tg_torch_fail(l, x, "this value is not a tensor");
    if (l->made[index]) return l->made[index];
    switch (x->global) {
    case tg_global_tensor:
    case tg_global_tensor_of_dtype:
    case tg_global_old_tensor: return l->made[index] = rebuild(l, x);
    case tg_global_old_parameter: return l->made[index] = rebuild_old_parameter(l, x, depth);
    default: return l->made[index] = rebuild_wrapped(l, x, depth);
    }
}
