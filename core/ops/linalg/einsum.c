/* core/ops/linalg/einsum.c: einsum: sums of products over named dims. einsum_parser.c reads the equation.
 *
 * The operands are terms whose dims have labels. Labels that only one term has and the result lacks are summed
 * first; then the first two terms are combined until one is left: by t_mul if nothing is summed, else by one batched
 * t_matmul. So the gradient is that of those ops, and a layout that t_matmul can read is not copied. */
#include <string.h>

#include "core/ops/linalg/einsum_internal.h"

/* ---- labels ---- */

static int dim_of(const Term *t, int label) {
    for (int d = 0; d < t->x->ndim; d++)
        if (t->label[d] == label) return d;
    return -1;
}

static void remove_dim(Term *t, int d) {
    memmove(t->label + d, t->label + d + 1, (size_t)(T_MAX_DIMS - 1 - d) * sizeof *t->label);
}

static void add(Labels *labels, int label) {
    labels->of[labels->count++] = label;
}

static void add_all(Labels *labels, const Labels *more) {
    for (int i = 0; i < more->count; i++) add(labels, more->of[i]);
}

static int64_t size_of(const Term *t, int label) {
    int d = dim_of(t, label);
    return d < 0 ? 1 : t->x->shape[d];
}

static int64_t product_of(const Term *t, const Labels *labels) {
    int64_t product = 1;
    for (int i = 0; i < labels->count; i++) product *= size_of(t, labels->of[i]);
    return product;
}

static bool is_among(int label, const Labels *labels) {
    for (int i = 0; i < labels->count; i++)
        if (labels->of[i] == label) return true;
    return false;
}

static bool some_term_has(int label, const Term *terms, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        if (dim_of(&terms[i], label) >= 0) return true;
    return false;
}

/* x with its dims in the order of the labels; labels that it lacks become dims of size 1. A view, or x itself. */
static Tensor *permute_to(const Term *t, const Labels *labels) {
    int64_t dims[T_MAX_DIMS], shape[TG_LABELS];
    int found = 0;
    bool in_order = true;
    for (int i = 0; i < labels->count; i++) {
        int d = dim_of(t, labels->of[i]);
        shape[i] = d < 0 ? 1 : t->x->shape[d];
        if (d < 0) continue;
        in_order = in_order && d == found;
        dims[found++] = d;
    }
    Tensor *x = in_order ? t->x : t_permute(t->x, dims, found);
    return x && found < labels->count ? t_reshape(x, shape, labels->count) : x;
}

/* ---- one term ---- */

/* Two dims with the same label are replaced by their diagonal, which becomes the last dim. */
static bool take_diagonals(Term *t) {
    for (int d = 1; d < t->x->ndim; d++) {
        int label = t->label[d], first = dim_of(t, label);
        if (first == d) continue;
        Tensor *x = t_diagonal(t->x, 0, first, d);
        if (!x) return false;
        remove_dim(t, d);
        remove_dim(t, first);
        t->x = x;
        t->label[x->ndim - 1] = label;
        d = 0;
    }
    return true;
}

/* With several terms, drops a dim of size 1 if another term has a larger one with its label (it is broadcast), or if
 * the result lacks it: there is nothing to sum, and bools stay bools, as in PyTorch. */
static bool drop_ones(Term *t, const Term *terms, int64_t count, const Labels *result) {
    for (int d = t->x->ndim - 1; d >= 0; d--) {
        bool needed = count == 1 || is_among(t->label[d], result);
        for (int64_t i = 0; i < count; i++) needed = needed && size_of(&terms[i], t->label[d]) == 1;
        if (t->x->shape[d] != 1 || needed) continue;
        if (!(t->x = t_squeeze(t->x, d))) return false;
        remove_dim(t, d);
    }
    return true;
}

/* Sums over the dims that neither the result nor another term has. */
static bool sum_unshared(Term *terms, int64_t number, int64_t count, const Labels *result) {
    Term *t = &terms[number];
    int64_t dims[T_MAX_DIMS];
    int sum_count = 0;
    for (int d = 0; d < t->x->ndim; d++)
        if (!is_among(t->label[d], result) && !some_term_has(t->label[d], terms, number) &&
            !some_term_has(t->label[d], t + 1, count - number - 1))
            dims[sum_count++] = d;
    if (sum_count && !(t->x = t_sum(t->x, dims, sum_count, false))) return false;
    while (sum_count) remove_dim(t, (int)dims[--sum_count]);
    return true;
}

/* ---- two terms ---- */

/* The labels of a and b by their role in the product; all but `summed` are in the result of the product. */
typedef struct Roles {
    /* in both; in a only; in b only; in both, and needed by neither the result nor a later term */
    Labels batch, rows, columns, summed;
    Labels kept;                         /* the first three, in the order of the result */
} Roles;

static void assign_role(Roles *roles, int label, const Term *a, const Term *b, bool is_kept) {
    bool in_a = dim_of(a, label) >= 0, in_b = dim_of(b, label) >= 0;
    if (!in_a && !in_b) return;
    add(in_a && in_b ? is_kept ? &roles->batch : &roles->summed : in_a ? &roles->rows : &roles->columns, label);
    if (is_kept) add(&roles->kept, label);
}

static void find_roles(const Term *a, const Term *b, const Labels *result, const Term *others, int64_t count,
                       Roles *roles) {
    roles->batch.count = roles->rows.count = roles->columns.count = roles->summed.count = roles->kept.count = 0;
    for (int i = 0; i < result->count; i++) assign_role(roles, result->of[i], a, b, true);
    for (int i = 0; i < a->x->ndim + b->x->ndim; i++) {
        int label = i < a->x->ndim ? a->label[i] : b->label[i - a->x->ndim];
        bool is_second = i >= a->x->ndim && dim_of(a, label) >= 0;
        if (!is_second && !is_among(label, result))
            assign_role(roles, label, a, b, some_term_has(label, others, count));
    }
}

/* Sorts the labels by decreasing stride in t, so that the dims can be merged into one without a copy if possible. */
static void sort_by_stride(Labels *labels, const Term *t) {
    for (int i = 1; i < labels->count; i++)
        for (int j = i; j > 0; j--) {
            int outer = labels->of[j - 1], inner = labels->of[j];
            if (t->x->strides[dim_of(t, outer)] >= t->x->strides[dim_of(t, inner)]) break;
            labels->of[j - 1] = inner;
            labels->of[j] = outer;
        }
}

/* With too many batch dims for t_matmul they are merged into one. */
static bool flattens_batch(const Labels *batch) {
    return batch->count > T_MAX_DIMS - 2;
}

/* t as (batch..., rows, columns): several labels are merged into one dim, no label is a dim of size 1. */
static Tensor *matrices(const Term *t, const Labels *batch, const Labels *rows, const Labels *columns) {
    int64_t shape[T_MAX_DIMS];
    int ndim = 0;
    Labels order = *batch;
    add_all(&order, rows);
    add_all(&order, columns);
    Tensor *x = permute_to(t, &order);
    if (!x || (rows->count == 1 && columns->count == 1 && !flattens_batch(batch))) return x;
    if (flattens_batch(batch)) shape[ndim++] = product_of(t, batch);
    else for (int i = 0; i < batch->count; i++) shape[ndim++] = size_of(t, batch->of[i]);
    shape[ndim++] = product_of(t, rows);
    shape[ndim++] = product_of(t, columns);
    return t_reshape(x, shape, ndim);
}

/* The product of (batch..., rows, summed) and (batch..., summed, columns), with the dims split again. */
static Tensor *matrix_product(const Term *a, const Term *b, Roles *roles, Labels *order) {
    int64_t shape[TG_LABELS];
    sort_by_stride(&roles->rows, a);
    sort_by_stride(&roles->columns, b);
    sort_by_stride(&roles->summed, a);
    *order = roles->batch;
    add_all(order, &roles->rows);
    add_all(order, &roles->columns);
    for (int i = 0; i < order->count; i++)
        shape[i] = size_of(dim_of(a, order->of[i]) >= 0 ? a : b, order->of[i]);
    if (!tg_check_bmm_dtypes(a->x, b->x)) return NULL;
    Tensor *left = matrices(a, &roles->batch, &roles->rows, &roles->summed);
    Tensor *right = left ? matrices(b, &roles->batch, &roles->summed, &roles->columns) : NULL;
    Tensor *y = right ? t_matmul(left, right) : NULL;
    bool is_final_shape = roles->rows.count == 1 && roles->columns.count == 1 && !flattens_batch(&roles->batch);
    return y && !is_final_shape ? t_reshape(y, shape, order->count) : y;
}

static bool multiply_terms(Term *a, const Term *b, const Labels *result, const Term *others, int64_t count) {
    Roles roles;
    find_roles(a, b, result, others, count, &roles);
    Labels order = roles.kept;
    Tensor *y;
    if (roles.summed.count) {
        y = matrix_product(a, b, &roles, &order);
    } else {
        Tensor *left = permute_to(a, &order), *right = left ? permute_to(b, &order) : NULL;
        y = right ? t_mul(left, right) : NULL;
    }
    if (!y) return false;
    a->x = y;
    memcpy(a->label, order.of, (size_t)order.count * sizeof *order.of);
    return true;
}

/* ---- einsum ---- */

static Tensor *contract_terms(Term *terms, int64_t count, const Labels *result) {
    for (int64_t i = 0; i < count; i++)
        if (!take_diagonals(&terms[i])) return NULL;
    for (int64_t i = 0; i < count; i++)
        if (!drop_ones(&terms[i], terms, count, result)) return NULL;
    for (int64_t i = 0; i < count; i++)
        if (!sum_unshared(terms, i, count, result)) return NULL;
    for (int64_t i = 1; i < count; i++)
        if (!multiply_terms(&terms[0], &terms[i], result, terms + i + 1, count - i - 1)) return NULL;
    return permute_to(&terms[0], result);
}

/* A result that is an operand becomes a view of it; a view of an internal tensor becomes an independent tensor. */
static Tensor *detach_result_view(Tensor *y, const t_TensorList *operands) {
    static const int64_t in_order[T_MAX_DIMS] = {0, 1, 2, 3, 4, 5, 6, 7};
    for (int64_t i = 0; y && i < operands->len; i++) {
        if (y == operands->items[i]) return t_permute(y, in_order, y->ndim);
        if (y->storage == operands->items[i]->storage) return y;
    }
    return y && y->base ? tg_detach_from_base(y) : y;
}

static Tensor *einsum(const char *equation, const t_TensorList *operands, Term *terms) {
    Labels result;
    if (!tg_parse_einsum(equation, operands, terms, &result)) return NULL;
    if (result.count > T_MAX_DIMS) return tg_fail("a tensor has at most %d dims, not %d", T_MAX_DIMS, result.count);
    int depth = t_scope_open();
    Tensor *y = depth ? detach_result_view(contract_terms(terms, operands->len, &result), operands) : NULL;
    return tg_scope_return(depth, y);
}

/* torch.einsum(equation, *operands): "bhid,bhjd->bhij" is y[b, h, i, j] = sum over d of q[b, h, i, d] k[b, h, j, d].
 * The dims of each operand are named by letters (a to z, A to Z; spaces are ignored); a letter twice in one operand
 * is its diagonal; "..." stands for the dims without a letter and broadcasts. After the arrow are the dims of the
 * result; the others are summed over. Without an arrow the result has the dims of "...", then each letter that
 * occurs once, in alphabetical order (capitals first). A size of 1 broadcasts. Any dtype if nothing is multiplied
 * and summed; else floating or int64, the same for all operands. One operand and nothing to sum: a view of it.
 * The gradient is that of the products and sums. Errors: PyTorch's, for errors in the equation, sizes that do not
 * match, dtypes; no operand.
 * Differences from PyTorch: the operands are combined from left to right, as without opt_einsum; a product of two of
 * them also has at most 8 dims. */
Tensor *t_einsum(const char *equation, const t_TensorList *operands) {
    TG_COMPOSITE("einsum");
    if (!equation) return tg_fail("einsum(): argument 'equation' (position 1) must be str, not NoneType");
    if (!tg_check_list(operands, 2)) return NULL;
    if (operands->len == 0) return tg_fail("einsum(): must provide at least one operand");
    size_t bytes = (size_t)operands->len * sizeof(Term);
    Term *terms = tg_alloc(bytes);
    Tensor *y = terms ? einsum(equation, operands, terms) : NULL;
    tg_free(terms, bytes);
    return y;
}
