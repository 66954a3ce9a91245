/* tests/programs/guide.c: every C line of the first tables in examples/PORTING.md (tensors, arithmetic, indices),
 * compiled and run; guide_modules.c has the rest. tests/checks/check_readme.sh checks that each cell is in these files,
 * letter by letter. */
#include "tests/programs/guide.h"

/* ---- tensors ---- */

static void creation(int64_t B, int64_t S, int64_t D, int64_t V) {
    Tensor *x;
    t_manual_seed(42);
    x = t_rand(2, 4, 5, 8);
    x = t_randn(B, S, D);
    SHAPE(x, "[2, 5, 8]");
    x = t_randint(0, V, 32, 10);
    x = t_ones(2, 1, 1, 5);
    x = t_zeros(100, D);
    x = t_full((B, 1), 1, .dtype = t_int64);
    SHAPE(x, "[2, 1]");
    x = t_arange(0, D, 2);
    x = t_float(t_arange(0, 100));
    x = t_arange(0, 100, .dtype = t_float32);
    SHAPE(x, "[100]");
    x = t_bool(t_triu(t_ones(S, S), 1));
    x = t_tril(t_ones(S, S));
    x = t_tensor("[[1, 2], [3, 4]]");
    x = t_clone(x);
    SHAPE(x, "[2, 2]");
    double losses[3] = {0.5, 0.25, 0.125};
    const double *first = losses;
    const float rows[3][2] = {{1, 2}, {3, 4}, {5, 6}};
    x = t_tensor(first, 3);
    SHAPE(x, "[3]");
    x = t_tensor(losses);
    SHAPE(x, "[3]");
    x = t_tensor(rows);
    SHAPE(x, "[3, 2]");
    checked += t_item(t_tensor(3.5)) == 3.5;
    x = t_expand(t_unsqueeze(t_arange(S), 0), B, S);
    SHAPE(x, "[2, 5]");
}

static void polynomial(Tensor *x, Tensor *q, double a, double b) {
    Tensor *y;
    y = t_add(x, t_mul(a, q), t_mul(b, t_pow(q, 2)));
    checked += t_item(t_max(y)) == 1 + a + b;
}

static void sizes(Tensor *x) {
    int64_t B = t_size(x, 0), S = t_size(x, 1), D = t_size(x, 2);
    checked += B == 2 && S == 5 && D == 8;
    Tensor *y;
    y = t_zeros(.size = t_size(x));
    checked += t_equal(y, t_sub(x, x));
    x = t_neg(x);
    x = t_add(x, 1);
    x = t_sub(x, t_mean(x));
    checked += fabs(t_item(t_mean(x))) < 1e-6;
}

static void maths(Tensor *q, Tensor *k, int64_t d_k, Tensor *logits) {
    Tensor *y, *predicted;
    y = t_matmul(q, t_transpose(k, -2, -1));
    y = t_div(y, sqrt((double)d_k));
    y = t_mul(t_einsum("bhid,bhjd->bhij", q, k), pow((double)d_k, -0.5));
    SHAPE(y, "[2, 4, 5, 5]");
    y = t_softmax(y, -1);
    y = F_softmax(y, -1);
    y = F_log_softmax(y, -1);
    y = t_exp(t_mul(t_float(t_arange(0, d_k, 2)), -(log(10000.0) / (double)d_k)));
    y = t_pow(10000.0, t_div(t_neg(t_float(t_arange(0, d_k, 2))), d_k));
    y = t_sin(t_mul(t_unsqueeze(t_float(t_arange(100)), 1), y));
    SHAPE(y, "[100, 4]");
    y = t_sin(y);
    y = t_cos(y);
    y = t_sqrt(y);
    t_max(logits, 1, .indices = &predicted);
    y = t_argmax(logits, -1, .keepdim = true);
    y = t_var(q, -1, .correction = 0, .keepdim = true);
    y = t_amax(t_abs(t_sub(q, k)), -1);
    SHAPE(y, "[2, 4, 5]");
}

static void pooling(Tensor *x, Tensor *scores, Tensor *mask, Tensor *p) {
    Tensor *predicted = t_tensor("[0, 1, 1]"), *labels = t_tensor("[0, 0, 1]");
    scores = t_masked_fill(scores, t_logical_not(mask), -INFINITY);
    Tensor *weights = t_softmax(scores, -1);
    SHAPE(t_sum(t_mul(t_unsqueeze(weights, -1), x), 1), "[2, 8]");
    t_backward(t_sum(t_mul(p, 2)));
    checked += t_item(t_sqrt(t_sum(t_square(t_grad(p))))) == 4;
    checked += t_item(t_sum(t_eq(predicted, labels))) == 2;
}

static void masked_mean(Tensor *x, Tensor *mask) {
    Tensor *m;
    m = t_float(t_unsqueeze(t_ne(mask, 0), -1));
    Tensor *mean = t_div(t_sum(t_mul(x, m), 1), t_clamp(t_sum(m, 1), 1, NULL));
    checked += t_item(t_at(mean, "0, 0")) == 1 && t_item(t_at(mean, "1, 0")) == 0;
}

static void comparisons(Tensor *scores, Tensor *mask, Tensor *seq, Tensor *a, Tensor *b) {
    bool yes;
    scores = t_masked_fill(scores, t_eq(mask, 0), -1e9);
    yes = t_is_true(t_eq(t_at(seq, "{}", 0), t_at(seq, "{}", 1)));
    a = t_logical_or(a, b);
    a = t_logical_and(a, t_logical_not(b));
    a = t_all(a, -1, .keepdim = true);
    yes = t_is_true(t_any(t_isnan(scores)));
    checked += !yes;
}

static void shapes(Tensor *x, int64_t B, int64_t S, int64_t H, int64_t d) {
    Tensor *q, *k, *v, *y;
    int64_t n;
    n = t_size(x, -1);
    n = t_shape(x)[1];
    n = t_numel(x);
    y = t_view(x, B, -1, H, d);
    y = t_transpose(y, 1, 2);
    y = t_view(t_contiguous(t_transpose(y, 1, 2)), B, S, H * d);
    y = t_reshape(y, B, S, H, d);
    y = t_unsqueeze(y, 1);
    y = t_expand(t_ones(B, 1, 1, S), -1, H, S, S);
    y = t_repeat(t_ones(B, 1, S, S), 1, H, 1, 1);
    SHAPE(y, "[2, 2, 5, 5]");
    t_TensorList *qkv = t_chunk(t_cat(t_list(x, x, x), -1), 3, -1);
    t_list_unpack(qkv, &q, &k, &v);
    checked += t_equal(q, x);
    q = t_view(t_list_get(qkv, 0), B, S, H, d);
    SHAPE(q, "[2, 5, 2, 4]");
    double values[80];
    Tensor *w = t_mean(x);
    checked += t_tolist(x, values, 80) == 80;
    t_TensorList *attns = t_list();
    t_list_append(attns, w);
    checked += t_list_get(attns, -1) == w;
    t_list_set(attns, -1, q);
    checked += t_list_get(attns, -1) == q;
    t_TensorList *more = t_list(w, x), *both;
    t_list_extend(attns, more);
    both = t_list_concat(attns, more);
    checked += attns->len == 3 && both->len == 5;
    both = t_list_concat(attns, t_list(w));
    checked += both->len == 4;
    y = t_mean(x);
    y = t_mean(x, 1);
    y = t_sum(x, -1);
    y = t_float(t_eq(x, 0));
    y = t_long(x);
    y = t_detach(x);
    y = t_transpose(t_at(x, "0"), 0, 1);
    SHAPE(y, "[8, 5]");
    checked += n == t_numel(q) && t_equal(k, v);
}

static void indexing(Tensor *x, Tensor *pe, Tensor *ids, t_TensorList *attention_weights, int64_t n) {
    Tensor *y;
    t_set(pe, ":, 0::2", t_sin(t_at(pe, ":, 0::2")));
    t_set(ids, "1, 3:", 0);
    t_set(ids, "{}, {}:", 1, n, 0);
    t_set(ids, "{}, {}", 0, n, 7);
    checked += t_item_int64(t_at(ids, "0, {}", n)) == 7 && t_item_int64(t_sum(ids)) == 4 + 7 + n;
    y = t_at(x, ":, :{}, :", n);
    y = t_at(x, "0, :4, :");
    y = t_at(pe, ":, {}", n);
    y = t_at(pe, ":4, :4");
    y = t_at(x, ":, 0, :");
    y = t_at(ids, ":, None, None, :");
    SHAPE(y, "[2, 1, 1, 5]");
    y = t_at(t_list_get(attention_weights, 0), "0, {}", n);
    SHAPE(y, "[5, 5]");
}

static void elements(Tensor *attn, Tensor *seq, int64_t i) {
    SHAPE(t_at(attn, "0, 0"), "[5, 8]");
    SHAPE(t_at(seq, ":2"), "[2]");
    checked += t_item_int64(t_at(seq, "{}", i)) == 8;
}

static void autograd(Tensor *x, Tensor *loss) {
    t_backward(loss);
    checked += t_requires_grad(x) && t_grad(x) != NULL;
    with_no_grad() {
        x = t_mul(x, 2);
    }
    checked += !t_requires_grad(x);
}

int main(void) {
    with_scope() {
        Tensor *q = t_rand(2, 4, 5, 8), *k = t_rand(2, 4, 5, 8), *x = t_rand(2, 5, 8, .requires_grad = true);
        creation(2, 5, 8, 20);
        polynomial(t_ones(3), t_ones(3), 2, 0.5);
        sizes(x);
        maths(q, k, 8, t_rand(3, 2));
        comparisons(t_rand(5, 5), t_ones(5, 5), t_tensor("[1, 2]"), t_eq(q, 0), t_eq(k, 0));
        pooling(x, t_rand(2, 5), t_tensor("[[True, True, True, False, False], [True, True, True, True, True]]"),
                nn_Parameter(t_ones(4)));
        masked_mean(t_ones(2, 5, 8), t_tensor("[[1, 1, 1, 0, 0], [0, 0, 0, 0, 0]]"));
        shapes(x, 2, 5, 2, 4);
        indexing(x, t_rand(5, 8), t_ones(2, 5, .dtype = t_int64), t_list(t_rand(2, 4, 5, 5)), 3);
        elements(q, t_tensor("[7, 8, 9]"), 1);
        autograd(x, t_sum(x));
    }
    return all_checked(39);
}
