/* nn/functional/linear/embedding_bag.c: F.embedding_bag, the sums, means or maxima of bags of rows of a table.
 *
 * The bags are brought to three lists over the ids that count, all but those of padding_idx: the id, its position in
 * the input and its bag. The rest is composed of ops: a row lookup and an index_add, or for "max" a gather of the rows
 * with the maxima. So it can be differentiated twice, which PyTorch's cannot. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/ops/indexing/gather_internal.h"
#include "core/ops/pointwise/pointwise_internal.h"
#include "nn/functional/linear/linear.h"
#include "nn/functional/linear/linear_internal.h"

const F_EmbeddingBagOptions F_EmbeddingBagDefaults = {
    .size = sizeof F_EmbeddingBagDefaults, .max_norm = (double)NAN, .norm_type = 2, .mode = "mean",
    .padding_idx = T_NONE};

typedef enum BagMode { BAG_SUM, BAG_MEAN, BAG_MAX } BagMode;

/* Contiguous int64 vectors: ids, positions and bags have an element for each id that counts, counts one for each bag:
 * how many of its ids count. */
typedef struct Bags {
    Tensor *ids, *positions, *bags, *counts;
} Bags;

/* ---- checks ---- */

static bool parse_mode(const char *word, BagMode *mode) {
    if (!word || strcmp(word, "mean") == 0) *mode = BAG_MEAN;
    else if (strcmp(word, "sum") == 0) *mode = BAG_SUM;
    else if (strcmp(word, "max") == 0) *mode = BAG_MAX;
    else return tg_fail("mode has to be one of sum, mean or max");
    return true;
}

static bool check_sizes(const Tensor *input, const Tensor *weight, const Tensor *offsets, const Tensor *factors) {
    if (factors && !tg_same_shape(input, factors))
        return tg_fail("embedding_bag: If per_sample_weights (%s) is not None, then it must have the same shape as the "
                       "input (%s)",
                       t_size_repr((Tensor *)factors), t_size_repr((Tensor *)input));
    if (weight->ndim != 2)
        return tg_fail("weight has to be a 2D Tensor, but got Tensor of dimension %d", weight->ndim);
    if (input->ndim != 1 && input->ndim != 2)
        return tg_fail("input has to be 1D or 2D Tensor, but got Tensor of dimension %d", input->ndim);
    if (input->ndim == 2 && offsets)
        return tg_fail("if input is 2D, then offsets has to be None, as input is treated is a mini-batch of fixed "
                       "length sequences. However, found offsets of type <class 'torch.Tensor'>");
    if (input->ndim == 1 && !offsets) return tg_fail("offsets has to be a 1D Tensor but got None");
    return input->ndim == 2 || offsets->ndim == 1 || tg_fail("offsets has to be a 1D Tensor");
}

static bool check_mode(BagMode mode, const char *word, const F_EmbeddingBagOptions *o) {
    if (mode == BAG_MAX && o->scale_grad_by_freq)
        return tg_fail("max mode does not support scaling the gradient by the frequency");
    if (o->per_sample_weights && mode != BAG_SUM)
        return tg_fail("embedding_bag: per_sample_weights was not None. per_sample_weights is only supported for "
                       "mode='sum' (got mode='%s'). Please open a feature request on GitHub.",
                       word ? word : "mean");
    return true;
}

/* Of different integer dtypes PyTorch promotes the two; int32 and int64 are taken. */
static bool indices_as_int64(Tensor **input, Tensor **offsets) {
    const t_DType dtype = *offsets ? tg_promote((*input)->dtype, (*offsets)->dtype) : (*input)->dtype;
    if (dtype != t_int32 && dtype != t_int64) return true; /* check_dtypes has the error */
    Tensor *ids = t_to(*input, t_int64), *starts = *offsets ? t_to(*offsets, t_int64) : NULL;
    if (!ids || (*offsets && !starts)) return false;
    *input = ids;
    *offsets = starts;
    return true;
}

static bool check_dtypes(const Tensor *input, const Tensor *weight, const Tensor *offsets, const Tensor *factors) {
    const Tensor *bad = input->dtype != t_int64 ? input : offsets && offsets->dtype != t_int64 ? offsets : NULL;
    if (bad)
        return tg_fail("Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, "
                       "Int; but got %s instead (while checking arguments for embedding_bag)",
                       tg_tensor_type_name(bad->dtype));
    if (!tg_is_floating(weight->dtype))
        return tg_fail("Expected tensor for argument #1 'weight' to have one of the following scalar types: Half, "
                       "BFloat16, Float, Double; but got %s instead (while checking arguments for embedding_bag)",
                       tg_tensor_type_name(weight->dtype));
    if (factors && factors->dtype != weight->dtype)
        return tg_fail("Expected tensor for argument #1 'weight' to have the same type as tensor for argument #1 "
                       "'per_sample_weights'; but type %s does not equal %s (while checking arguments for "
                       "embedding_bag)",
                       tg_tensor_type_name(weight->dtype), tg_tensor_type_name(factors->dtype));
    return true;
}

/* A negative padding_idx is counted from the end. */
static bool check_padding(int64_t rows, int64_t *padding_idx) {
    if (*padding_idx == T_NONE) return true;
    if (*padding_idx < -rows || *padding_idx >= rows)
        return tg_fail("padding_idx must be within the number of embeddings, -%" PRId64 " through %" PRId64
                       ", but got %" PRId64,
                       rows, rows - 1, *padding_idx);
    if (*padding_idx < 0) *padding_idx += rows;
    return true;
}

/* starts: B + 1 elements, where bag b begins; the last is where the last bag ends. */
static bool check_starts(const int64_t *starts, int64_t B, int64_t count) {
    if (starts[0] != 0)
        return tg_fail("offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from position "
                       "0. However, got %" PRId64,
                       starts[0]);
    for (int64_t b = 0; b <= B; b++) {
        if (starts[b] > count)
            return tg_fail("offsets[-1] can not be greater than input's length %" PRId64 " but got offsets[-1] of "
                           "%" PRId64,
                           count, starts[b]);
        if (b > 0 && starts[b] < starts[b - 1])
            return tg_fail("offsets must not decrease, but got %" PRId64 " after %" PRId64, starts[b], starts[b - 1]);
    }
    return true;
}

/* ---- the bags ---- */

static Tensor *vector_of_int64(int64_t n) {
    return tg_empty(&n, 1, t_int64);
}

/* Where each bag begins, and after these the end of the last. */
static Tensor *starts_of(const Tensor *input, Tensor *offsets, bool include_last_offset) {
    const int64_t count = tg_numel(input);
    if (input->ndim == 2 && input->shape[0] > 0 && input->shape[1] == 0) return tg_fail("step must be nonzero");
    if (offsets && include_last_offset && offsets->shape[0] == 0)
        return tg_fail("include_last_offset: number of offset should be at least 1");
    const int64_t B = offsets ? offsets->shape[0] - include_last_offset : input->shape[0];
    Tensor *starts = vector_of_int64(B + 1), *from = starts && offsets ? t_contiguous(offsets) : NULL;
    if (!starts || (offsets && !from)) return NULL;
    int64_t *start = tg_data(starts);
    for (int64_t b = 0; b < B; b++) start[b] = from ? ((const int64_t *)tg_data(from))[b] : b * input->shape[1];
    start[B] = from && include_last_offset ? ((const int64_t *)tg_data(from))[B] : count;
    return B == 0 || check_starts(start, B, count) ? starts : NULL;
}

static bool list_ids(Tensor *input, const Tensor *starts, int64_t padding_idx, Bags *list) {
    Tensor *dense = t_contiguous(input);
    if (!dense) return false;
    const int64_t B = starts->shape[0] - 1, *ids = tg_data(dense), *start = tg_data(starts), end = B ? start[B] : 0;
    int64_t M = 0;
    for (int64_t i = 0; i < end; i++) M += ids[i] != padding_idx;
    *list = (Bags){vector_of_int64(M), vector_of_int64(M), vector_of_int64(M), vector_of_int64(B)};
    if (!list->ids || !list->positions || !list->bags || !list->counts) return false;
    int64_t *id = tg_data(list->ids), *position = tg_data(list->positions), *bag = tg_data(list->bags), at = 0;
    for (int64_t b = 0; b < B; b++) {
        const int64_t first = at;
        for (int64_t i = start[b]; i < start[b + 1]; i++) {
            if (ids[i] == padding_idx) continue;
            id[at] = ids[i];
            position[at] = i;
            bag[at++] = b;
        }
        ((int64_t *)tg_data(list->counts))[b] = at - first;
    }
    return true;
}

/* ---- the three modes ---- */

static Tensor *sum_of_rows(Tensor *weight, const Bags *list, const F_EmbeddingBagOptions *o) {
    const int64_t shape[] = {list->counts->shape[0], weight->shape[1]};
    Tensor *rows = F_embedding(list->ids, weight, NULL);
    if (o->scale_grad_by_freq && rows) rows = tg_scale_grad_by_freq(rows, list->ids, weight->shape[0]);
    if (o->per_sample_weights) {
        Tensor *factors = t_index_select(t_reshape(o->per_sample_weights, (int64_t[]){-1}, 1), 0, list->positions);
        rows = t_mul(rows, t_unsqueeze(factors, 1));
    }
    Tensor *zeros = rows ? t_zeros(shape, 2, &(t_TensorOptions){.size = sizeof(t_TensorOptions), .dtype = rows->dtype})
                         : NULL;
    return t_index_add(zeros, 0, list->bags, rows, 1);
}

/* An empty bag's mean is 0. */
static Tensor *mean_of_rows(Tensor *weight, const Bags *list, const F_EmbeddingBagOptions *o) {
    Tensor *divisor = t_clamp(list->counts, t_integer(1), NULL);
    return t_div(sum_of_rows(weight, list, o), t_unsqueeze(t_to(divisor, weight->dtype), 1));
}

/* For each bag and column the id of the row with the maximum, the first one of several; 0 for an empty bag. */
static Tensor *ids_of_maxima(Tensor *weight, const Bags *list) {
    const int64_t M = list->ids->shape[0], B = list->counts->shape[0], D = weight->shape[1];
    Tensor *values = t_contiguous(t_to(t_detach(weight), t_float64));
    Tensor *best = t_zeros((int64_t[]){B, D}, 2, &(t_TensorOptions){.size = sizeof(t_TensorOptions), .dtype = t_int64});
    if (!values || !best) return NULL;
    const int64_t *id = tg_data(list->ids), *bag = tg_data(list->bags);
    const double *value = tg_data(values);
    for (int64_t i = 0; i < M; i++) {
        int64_t *to = (int64_t *)tg_data(best) + bag[i] * D;
        const bool first = i == 0 || bag[i] != bag[i - 1];
        for (int64_t d = 0; d < D; d++)
            if (first || value[id[i] * D + d] > value[to[d] * D + d]) to[d] = id[i];
    }
    return best;
}

static Tensor *max_of_rows(Tensor *weight, const Bags *list) {
    Tensor *best = ids_of_maxima(weight, list), *empty = t_eq(list->counts, t_integer(0));
    if (!best || !empty) return NULL;
    if (weight->shape[0] == 0) return t_to(best, weight->dtype);
    return t_masked_fill(t_gather(weight, 0, best), t_unsqueeze(empty, 1), t_number(0));
}

static Tensor *embedding_bag(Tensor *input, Tensor *weight, Tensor *offsets, const F_EmbeddingBagOptions *o,
                             BagMode mode) {
    Bags list;
    int64_t bad;
    Tensor *starts = starts_of(input, offsets, input->ndim == 1 && o->include_last_offset);
    if (!starts || !list_ids(input, starts, o->padding_idx, &list)) return NULL;
    if (tg_find_bad_index(list.ids, weight->shape[0], NULL, &bad))
        return tg_fail("embedding_bag: Expected idx >= 0 && idx < num_embeddings but found idx to be %" PRId64, bad);
    if (!isnan(o->max_norm) && !tg_embedding_renorm(weight, list.ids, o->max_norm, o->norm_type)) return NULL;
    if (mode == BAG_MAX) return max_of_rows(weight, &list);
    return (mode == BAG_SUM ? sum_of_rows : mean_of_rows)(weight, &list, o);
}

/* F.embedding_bag(input, weight, offsets, max_norm, norm_type, scale_grad_by_freq, mode, sparse, per_sample_weights,
 * include_last_offset, padding_idx): row b of the result is the sum, mean or maximum of the rows weight[i] over the ids
 * i of bag b; 0 for an empty bag. input: integers, (B, N), B bags of N ids, without offsets, or (N), where bag b begins
 * at offsets[b] and the last one ends with the input, or at the last of the offsets with include_last_offset. weight:
 * (rows, D), floating; returns (B, D). Ids of padding_idx count for nothing. per_sample_weights (of input's shape, for
 * "sum"): factors of the rows. max_norm: rows that are read and have a greater norm are scaled to it first, in place.
 * Gradients to weight, of a maximum to the first row that has it, with scale_grad_by_freq divided by how often the row
 * is read, and to per_sample_weights. Errors: sizes, dtypes, ids and offsets out of range; decreasing offsets. PyTorch
 * cannot differentiate it twice; sparse gradients do not exist here. */
Tensor *F_embedding_bag(Tensor *input, Tensor *weight, Tensor *offsets, const F_EmbeddingBagOptions *options) {
    TG_COMPOSITE("embedding_bag");
    F_EmbeddingBagOptions o = F_EmbeddingBagDefaults;
    BagMode mode;
    if (tg_is_narrow_tensor(weight) && tg_take_options(&o, options, sizeof o) && isnan(o.max_norm)) {
        o.per_sample_weights = tg_widened_optional(o.per_sample_weights);
        return tg_narrowed(F_embedding_bag(input, tg_widened(weight), offsets, &o), weight->dtype);
    }
    if (!tg_check_any(input, 1) || !tg_check(weight, 2) || !tg_check_any_optional(offsets, 3) ||
        !tg_take_options(&o, options, sizeof o) || !tg_check_optional(o.per_sample_weights, 4) ||
        !indices_as_int64(&input, &offsets))
        return NULL;
    if (!check_sizes(input, weight, offsets, o.per_sample_weights) || !parse_mode(o.mode, &mode) ||
        !check_mode(mode, o.mode, &o) || !check_dtypes(input, weight, offsets, o.per_sample_weights) ||
        !check_padding(weight->shape[0], &o.padding_idx))
        return NULL;
    int depth = t_scope_open();
    return depth ? tg_scope_return(depth, embedding_bag(input, weight, offsets, &o, mode)) : NULL;
}
