/* nn/utils/rnn.c: torch.nn.utils.rnn: packing, padding and their inverses.
 *
 * Packed and padded layouts have the same rows in another order. So both directions are an index_select over rows, with
 * an index that is computed here, and their gradients are index_select's. */
#include "nn/utils/rnn.h"

#include <inttypes.h>
#include <string.h>

#include "core/ops/ops.h"
#include "core/tensor/size_arithmetic.h"
#include "core/tensor/tensor.h"
#include "nn/utils/rnn_internal.h"

/* ---- the object ---- */

static void packed_destroy(void *object) {
    nn_utils_rnn_PackedSequence *self = object;
    tg_object_dispose(&self->object);
    t_release(self->data);
    t_release(self->batch_sizes);
    t_release(self->sorted_indices);
    t_release(self->unsorted_indices);
    tg_object_free(&self->object, sizeof *self);
}

static const t_Class packed_class = {"PackedSequence", packed_destroy};

bool tg_check_packed(const nn_utils_rnn_PackedSequence *packed, int position) {
    if (!packed) return t_error() ? false : tg_fail("argument %d is NULL where a PackedSequence is expected", position);
    return packed->object.is_a == &packed_class || tg_fail("argument %d is not a live PackedSequence", position);
}

const int64_t *tg_batch_sizes(const nn_utils_rnn_PackedSequence *packed, int64_t *T) {
    *T = packed->batch_sizes->shape[0];
    return tg_data(packed->batch_sizes);
}

static bool is_vector_of_int64(const Tensor *x) {
    return x->dtype == t_int64 && x->ndim == 1;
}

/* Positive batch sizes that do not increase, one row of data each. */
static bool check_batch_sizes(const Tensor *data, const Tensor *batch_sizes) {
    if (!is_vector_of_int64(batch_sizes) || !t_is_contiguous(batch_sizes) || batch_sizes->shape[0] == 0)
        return tg_fail("batch_sizes should be a contiguous 1D int64 tensor with an element for each step, but "
                       "got %dD %s",
                       batch_sizes->ndim, tg_dtype_name(batch_sizes->dtype));
    const int64_t *sizes = tg_data(batch_sizes), T = batch_sizes->shape[0];
    int64_t rows = 0;
    for (int64_t t = 0; t < T; t++) {
        if (sizes[t] <= 0 || (t > 0 && sizes[t] > sizes[t - 1]))
            return tg_fail("batch_sizes must be positive and not increase, but got %" PRId64 " at step %" PRId64,
                           sizes[t], t);
        rows = tg_size_add(rows, sizes[t]);
    }
    if (data->ndim > 0 && data->shape[0] == rows) return true;
    return tg_fail("the batch_sizes add up to %" PRId64 " steps, but the data have %" PRId64, rows,
                   data->ndim > 0 ? data->shape[0] : 0);
}

static bool check_permutation(const Tensor *indices, const Tensor *batch_sizes) {
    const int64_t B = *(const int64_t *)tg_data(batch_sizes);
    if (!indices) return true;
    if (!is_vector_of_int64(indices) || !t_is_contiguous(indices) || indices->shape[0] != B)
        return tg_fail("the indices should be a contiguous 1D int64 tensor with %" PRId64 " elements, but got shape %s",
                       B, tg_shape_text(indices->shape, indices->ndim));
    const int64_t *index = tg_data(indices);
    for (int64_t b = 0; b < B; b++)
        if (index[b] < 0 || index[b] >= B)
            return tg_fail("index %" PRId64 " is out of bounds for a batch of size %" PRId64, index[b], B);
    return true;
}

/* unsorted_indices NULL: the inverse of sorted_indices. Errors: batch_sizes that do not add up to the data's size, or
 * that increase; indices of another size. PyTorch checks neither. */
nn_utils_rnn_PackedSequence *nn_utils_rnn_PackedSequence_new(Tensor *data, Tensor *batch_sizes, Tensor *sorted_indices,
                                                             Tensor *unsorted_indices) {
    if (!tg_check(data, 1) || !tg_check(batch_sizes, 2) || !tg_check_optional(sorted_indices, 3) ||
        !tg_check_optional(unsorted_indices, 4) || !check_batch_sizes(data, batch_sizes) ||
        !check_permutation(sorted_indices, batch_sizes) || !check_permutation(unsorted_indices, batch_sizes))
        return NULL;
    if (sorted_indices && !unsorted_indices) unsorted_indices = nn_utils_rnn_invert_permutation(sorted_indices);
    if (sorted_indices && !unsorted_indices) return NULL;
    nn_utils_rnn_PackedSequence *self = tg_alloc(sizeof *self);
    if (!self) return NULL;
    self->data = t_retain(data);
    self->batch_sizes = t_retain(batch_sizes);
    self->sorted_indices = sorted_indices ? t_retain(sorted_indices) : NULL;
    self->unsorted_indices = unsorted_indices ? t_retain(unsorted_indices) : NULL;
    tg_object_init(&self->object, &packed_class);
    return self;
}

/* inverse[permutation[i]] = i. Errors: not a 1-D int64 tensor, indices out of range. */
Tensor *nn_utils_rnn_invert_permutation(Tensor *permutation) {
    if (!tg_check(permutation, 1)) return NULL;
    if (!is_vector_of_int64(permutation))
        return tg_fail("a permutation is a 1D int64 tensor, but got %dD %s", permutation->ndim,
                       tg_dtype_name(permutation->dtype));
    int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *inverse = t_empty_like(permutation);
    const int64_t n = permutation->shape[0];
    Tensor *y = t_scatter(inverse, 0, permutation, t_arange_int64(0, n, 1, NULL));
    return tg_scope_return(depth, y);
}

/* ---- padded to packed ---- */

static Tensor *vector_of_int64(int64_t n) {
    return tg_empty(&n, 1, t_int64);
}

static bool check_lengths(const Tensor *lengths, int64_t T, int64_t B) {
    if (!is_vector_of_int64(lengths))
        return tg_fail("'lengths' argument should be a 1D CPU int64 tensor, but got %dD cpu Long tensor",
                       lengths->ndim);
    if (lengths->shape[0] != B)
        return tg_fail("Expected `len(lengths)` to be equal to batch_size, but got %" PRId64 " (batch_size=%" PRId64
                       ")",
                       lengths->shape[0], B);
    const int64_t *length = tg_data(lengths);
    for (int64_t b = B - 1; b >= 0; b--) {
        if (length[b] <= 0)
            return tg_fail("Length of all samples has to be greater than 0, but found an element in 'lengths' that is "
                           "<= 0");
        if (b > 0 && length[b] > length[b - 1])
            return tg_fail("`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can "
                           "pass `enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to sidestep this "
                           "requirement if you do not need ONNX exportability.");
    }
    return length[0] <= T || tg_fail("the longest length is %" PRId64 ", but the input has %" PRId64 " steps",
                                     length[0], T);
}

/* The number of sequences with each step. */
static Tensor *batch_sizes_of(const Tensor *lengths) {
    const int64_t *length = tg_data(lengths), T = length[0];
    Tensor *batch_sizes = vector_of_int64(T);
    int64_t *sizes = batch_sizes ? tg_data(batch_sizes) : NULL, b = lengths->shape[0];
    for (int64_t t = 0; sizes && t < T; t++) {
        while (length[b - 1] <= t) b--;
        sizes[t] = b;
    }
    return batch_sizes;
}

/* The row of the flattened input for each row of the packed data: step t of the sequence that was the b-th longest. */
static Tensor *rows_to_pack(const Tensor *batch_sizes, const Tensor *sorted, int64_t of_step, int64_t of_sequence) {
    const int64_t *sizes = tg_data(batch_sizes), *order = sorted ? tg_data(sorted) : NULL, T = batch_sizes->shape[0];
    int64_t count = 0;
    for (int64_t t = 0; t < T; t++) count += sizes[t];
    Tensor *index = vector_of_int64(count);
    int64_t *to = index ? tg_data(index) : NULL;
    for (int64_t t = 0; to && t < T; t++)
        for (int64_t b = 0; b < sizes[t]; b++) *to++ = t * of_step + (order ? order[b] : b) * of_sequence;
    return index;
}

static nn_utils_rnn_PackedSequence *pack(Tensor *input, Tensor *lengths, bool batch_first, bool enforce_sorted) {
    const int64_t B = input->shape[batch_first ? 0 : 1], T = input->shape[batch_first ? 1 : 0];
    Tensor *sorted = NULL, *length = t_contiguous(t_to(lengths, t_int64));
    if (!enforce_sorted && length && length->ndim != 1)
        return tg_fail("index_select(): Index is supposed to be a vector");
    if (!enforce_sorted) length = t_sort(length, -1, true, false, &sorted);
    if (!length || !check_lengths(length, T, B)) return NULL;
    Tensor *batch_sizes = batch_sizes_of(length);
    Tensor *rows = batch_sizes ? rows_to_pack(batch_sizes, sorted, batch_first ? 1 : B, batch_first ? T : 1) : NULL;
    Tensor *data = rows ? t_index_select(t_flatten(input, 0, 1), 0, rows) : NULL;
    return data ? nn_utils_rnn_PackedSequence_new(data, batch_sizes, sorted, NULL) : NULL;
}

/* input: (T, B, *), or (B, T, *) with batch_first; lengths: (B), each from 1 to T; of any dtype, twice differentiable.
 * With enforce_sorted the lengths must not increase; without it the sequences are sorted, which pad_packed_sequence and
 * the recurrent layers undo. Errors: PyTorch's; and a length beyond T, for which PyTorch returns batch_sizes that do
 * not fit the data. */
nn_utils_rnn_PackedSequence *nn_utils_rnn_pack_padded_sequence(Tensor *input, Tensor *lengths, bool batch_first,
                                                               bool enforce_sorted) {
    if (!tg_check(input, 1) || !tg_check(lengths, 2)) return NULL;
    if (input->ndim < 2)
        return tg_fail("Dimension out of range (expected to be in range of [-1, 0], but got %d)", input->ndim);
    if (tg_numel(input) == 0) return tg_fail("Cannot pack empty tensors.");
    int depth = t_scope_open();
    if (!depth) return NULL;
    nn_utils_rnn_PackedSequence *packed = pack(input, lengths, batch_first, enforce_sorted);
    return tg_scope_return(depth, packed);
}

/* ---- packed to padded ---- */

/* The row of the packed data for each row of the result; `padding` where the sequence has no such step. */
static Tensor *rows_to_pad(const nn_utils_rnn_PackedSequence *sequence, int64_t T, bool batch_first, int64_t padding) {
    int64_t steps;
    const int64_t *sizes = tg_batch_sizes(sequence, &steps), B = sizes[0];
    const int64_t of_step = batch_first ? 1 : B, of_sequence = batch_first ? T : 1;
    const int64_t *order = sequence->sorted_indices ? tg_data(sequence->sorted_indices) : NULL;
    Tensor *index = vector_of_int64(tg_size_mul(T, B));
    int64_t *rows = index ? tg_data(index) : NULL, at = 0;
    for (int64_t i = 0; rows && i < T * B; i++) rows[i] = padding;
    for (int64_t t = 0; rows && t < steps; t++)
        for (int64_t b = 0; b < sizes[t]; b++) rows[t * of_step + (order ? order[b] : b) * of_sequence] = at++;
    return index;
}

static Tensor *lengths_of(const nn_utils_rnn_PackedSequence *sequence) {
    int64_t T;
    const int64_t *sizes = tg_batch_sizes(sequence, &T);
    const int64_t *order = sequence->sorted_indices ? tg_data(sequence->sorted_indices) : NULL;
    Tensor *lengths = vector_of_int64(sizes[0]);
    int64_t *length = lengths ? tg_data(lengths) : NULL;
    for (int64_t b = 0, t = T; length && b < sizes[0]; b++) {
        while (sizes[t - 1] <= b) t--;
        length[order ? order[b] : b] = t;
    }
    return lengths;
}

static Tensor *pad(const nn_utils_rnn_PackedSequence *sequence, bool batch_first, double padding_value, int64_t T) {
    Tensor *data = sequence->data, *parts[] = {data, NULL};
    const int64_t rows = data->shape[0], B = *(const int64_t *)tg_data(sequence->batch_sizes);
    int64_t shape[T_MAX_DIMS + 1];
    for (int d = 1; d < data->ndim; d++) shape[d + 1] = data->shape[d];
    shape[1] = 1;
    parts[1] = t_full(shape + 1, data->ndim, padding_value,
                      &(t_TensorOptions){.size = sizeof(t_TensorOptions), .dtype = data->dtype});
    shape[0] = batch_first ? B : T;
    shape[1] = batch_first ? T : B;
    Tensor *index = parts[1] ? rows_to_pad(sequence, T, batch_first, rows) : NULL;
    return index ? t_view(t_index_select(t_cat(t_list_new(parts, 2), 0), 0, index), shape, data->ndim + 1) : NULL;
}

/* (T, B, *), or (B, T, *) with batch_first, in the order of the batch that was packed; T is the longest sequence's
 * length or total_length. Twice differentiable. Error: total_length below the longest sequence's length. */
Tensor *nn_utils_rnn_pad_packed_sequence(const nn_utils_rnn_PackedSequence *sequence, bool batch_first,
                                         double padding_value, int64_t total_length, Tensor **lengths) {
    if (!tg_check_packed(sequence, 1)) return NULL;
    const int64_t longest = sequence->batch_sizes->shape[0], T = total_length == T_NONE ? longest : total_length;
    if (T < longest)
        return tg_fail("Expected total_length to be at least the length of the longest sequence in input, but got "
                       "total_length=%" PRId64 " and max sequence length being %" PRId64,
                       T, longest);
    int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *y = pad(sequence, batch_first, padding_value, T), *length = y && lengths ? lengths_of(sequence) : NULL;
    if (length) *lengths = t_keep_object(length);
    return tg_scope_return(depth, lengths && !length ? NULL : y);
}

/* ---- lists of sequences ---- */

static Tensor *pad_list(const t_TensorList *sequences, bool batch_first, double padding_value, bool left) {
    const Tensor *first = sequences->items[0];
    int64_t shape[T_MAX_DIMS + 1], T = 0;
    for (int64_t i = 0; i < sequences->len; i++) {
        if (!sequences->items[i]->ndim)
            return tg_fail("pad_sequence takes sequences of 1 dim or more, but sequence %lld has none", (long long)i);
        if (sequences->items[i]->shape[0] > T) T = sequences->items[i]->shape[0];
    }
    for (int d = 1; d < first->ndim; d++) shape[d + 1] = first->shape[d];
    shape[batch_first ? 1 : 0] = T;
    shape[batch_first ? 0 : 1] = sequences->len;
    const t_TensorOptions options = {.size = sizeof options, .dtype = first->dtype};
    Tensor *y = t_full(shape, first->ndim + 1, padding_value, &options);
    bool ok = y != NULL;
    for (int64_t i = 0; ok && i < sequences->len; i++) {
        Tensor *x = sequences->items[i];
        const int64_t length = x->shape[0], start = left ? T - length : 0;
        ok = t_copy_(t_narrow(t_select(y, batch_first ? 0 : 1, i), 0, start, length), x) != NULL;
    }
    return ok ? y : NULL;
}

/* A batch of sequences (t_i, *) as (T, B, *), or (B, T, *) with batch_first, where T is the longest t_i, in the first
 * one's dtype; shorter sequences are filled up with padding_value, at their end or, with the padding_side "left", at
 * their beginning. Errors: no sequence, a 0-dim one; sizes after the first dim that do not broadcast to the first
 * sequence's; an unknown side. */
Tensor *nn_utils_rnn_pad_sequence(const t_TensorList *sequences, bool batch_first, double padding_value,
                                  const char *padding_side) {
    if (!tg_check_list(sequences, 1)) return NULL;
    if (!sequences->len) return tg_fail("received an empty list of sequences");
    const bool left = padding_side && strcmp(padding_side, "left") == 0;
    if (padding_side && !left && strcmp(padding_side, "right") != 0)
        return tg_fail("Expected padding_side to be one of left or right, but got %s.", padding_side);
    int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *y = pad_list(sequences, batch_first, padding_value, left);
    return tg_scope_return(depth, y);
}

/* padded_sequences: (T, B, *), or (B, T, *) with batch_first; lengths: (B). A list of the B sequences (t_i, *): views,
 * where PyTorch copies; PyTorch also transposes padded_sequences in place unless batch_first. A length beyond T is T,
 * as in PyTorch. Error: another number of lengths than sequences. */
t_TensorList *nn_utils_rnn_unpad_sequence(Tensor *padded_sequences, Tensor *lengths, bool batch_first) {
    if (!tg_check(padded_sequences, 1) || !tg_check(lengths, 2)) return NULL;
    if (padded_sequences->ndim < 2)
        return tg_fail("unpad_sequence takes a batch of sequences, 2 dims or more, but got %dD",
                       padded_sequences->ndim);
    const int64_t B = padded_sequences->shape[batch_first ? 0 : 1], T = padded_sequences->shape[batch_first ? 1 : 0];
    if (lengths->ndim != 1 || lengths->shape[0] != B)
        return tg_fail("zip() argument 2 is %s than argument 1: %" PRId64 " sequences, but lengths of shape %s",
                       lengths->ndim == 1 && lengths->shape[0] > B ? "longer" : "shorter", B,
                       tg_shape_text(lengths->shape, lengths->ndim));
    int depth = t_scope_open();
    if (!depth) return NULL;
    t_TensorList *list = t_list_new(NULL, 0);
    Tensor *length = list ? t_contiguous(t_to(lengths, t_int64)) : NULL;
    bool ok = length != NULL;
    for (int64_t b = 0; ok && b < B; b++) {
        int64_t n = ((const int64_t *)tg_data(length))[b];
        if (n > T) n = T;
        ok = t_list_append(list, t_narrow(t_select(padded_sequences, batch_first ? 0 : 1, b), 0, 0, n < 0 ? 0 : n));
    }
    return tg_scope_return(depth, ok ? list : NULL);
}

/* pack_padded_sequence(pad_sequence(sequences), [v.size(0) for v in sequences], enforce_sorted=enforce_sorted) */
nn_utils_rnn_PackedSequence *nn_utils_rnn_pack_sequence(const t_TensorList *sequences, bool enforce_sorted) {
    if (!tg_check_list(sequences, 1)) return NULL;
    int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *padded = nn_utils_rnn_pad_sequence(sequences, false, 0, NULL);
    Tensor *lengths = padded ? vector_of_int64(sequences->len) : NULL;
    for (int64_t i = 0; lengths && i < sequences->len; i++)
        ((int64_t *)tg_data(lengths))[i] = sequences->items[i]->shape[0];
    nn_utils_rnn_PackedSequence *packed =
        lengths ? nn_utils_rnn_pack_padded_sequence(padded, lengths, false, enforce_sorted) : NULL;
    return tg_scope_return(depth, packed);
}

/* unpad_sequence(*pad_packed_sequence(packed_sequences)): the list that was packed. */
t_TensorList *nn_utils_rnn_unpack_sequence(const nn_utils_rnn_PackedSequence *packed_sequences) {
    if (!tg_check_packed(packed_sequences, 1)) return NULL;
    int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *lengths = NULL, *padded = nn_utils_rnn_pad_packed_sequence(packed_sequences, true, 0, T_NONE, &lengths);
    t_TensorList *list = padded ? nn_utils_rnn_unpad_sequence(padded, lengths, true) : NULL;
    return tg_scope_return(depth, list);
}
