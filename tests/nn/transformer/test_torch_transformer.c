/* tests/nn/transformer/test_torch_transformer.c: nn.MultiheadAttention and the nn.Transformer family compared with
 * PyTorch's values, attention weights, random values and gradients, for every pair of their options
 * (golden/torch_transformer*.txt, written by record_torch_transformer.py, which reads the same options from a case's
 * name); initial bits, printed modules and names of parameters. Errors: test_torch_transformer_errors.c. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/models/replay.h"

enum { N = 2, H = 2, L = 3, S = 4, FF = 6 };

/* ---- the options in a case's name: "mha d=32 E=4 bias=0 ..." ---- */

static const char *option(const char *key, const char *name) {
    static char values[8][16];
    static int turn;
    char wanted[16];
    snprintf(wanted, sizeof wanted, " %s=", name);
    const char *found = strstr(key, wanted);
    char *value = values[turn++ % 8];
    if (!found) return "none";
    found += strlen(wanted);
    snprintf(value, sizeof values[0], "%.*s", (int)strcspn(found, " "), found);
    return value;
}

static bool is(const char *key, const char *name, const char *value) {
    return strcmp(option(key, name), value) == 0;
}
static bool on(const char *key, const char *name) {
    return is(key, name, "1");
}
static int64_t hint_of(const char *key, const char *name) {
    return is(key, name, "none") ? T_NONE : on(key, name);
}

/* ---- inputs ---- */

typedef struct Case {
    const char *key, *section, *what; /* what: which of two ways to run a case */
    uint64_t seed;
    t_DType dtype;
    int64_t E, heads;
    Tensor *x[3], *masks[6];
} Case;

static Tensor *mask_of(const Case *c, const char *kind, int which, const int64_t *shape, int ndim) {
    const int64_t wide[] = {c->heads, shape[0], ndim > 1 ? shape[1] : 0};
    if (strcmp(kind, "none") == 0) return NULL;
    if (kind[0] == 'c') {
        Tensor *mask = t_triu((t_full)(shape, ndim, -(double)INFINITY,
                                       &(t_TensorOptions){.size = sizeof(t_TensorOptions), .dtype = c->dtype}),
                              1);
        return kind[1] ? t_lt(mask, 0) : mask;
    }
    const bool deep = kind[strlen(kind) - 1] == '3';
    const char letter = kind[0] == 'f' ? 'R' : kind[0] == 'g' ? 'r' : 'b', text[] = {letter, '\0'};
    Tensor *mask = hashed_tensor(text, deep ? wide : shape, deep ? 3 : ndim, c->seed, which, c->dtype);
    if (letter == 'b') t_set(mask, which % 2 ? "..., :2" : "..., 0", false); /* odd indices are padding masks */
    if (strcmp(kind, "blind") == 0) t_set(mask, "1", true);
    return mask;
}

static Tensor *square_mask(const Case *c, const char *name, int which, int64_t rows, int64_t columns) {
    return mask_of(c, option(c->key, name), which, SHAPE(rows, columns));
}
static Tensor *padding(const Case *c, const char *name, int which, int64_t length) {
    const int64_t shape[] = {N, length};
    const bool batch = on(c->key, "batch");
    return mask_of(c, option(c->key, name), which, shape + !batch, 1 + batch);
}

static Tensor *sequence(const Case *c, int which, int64_t length, int64_t size) {
    if (!on(c->key, "batch")) return hashed_tensor("r", SHAPE(length, size), c->seed, which, c->dtype);
    const bool first = on(c->key, "bf");
    return hashed_tensor("r", SHAPE(first ? N : length, first ? length : N, size), c->seed, which, c->dtype);
}

/* ---- modules ---- */

static Tensor *silu(Tensor *x) {
    return F_silu(x);
}

static nn_TransformerOptions layer_of(const Case *c) {
    nn_TransformerOptions o = nn_TransformerDefaults;
    const char *activation = option(c->key, "act");
    o.d_model = c->E;
    o.nhead = H;
    o.num_encoder_layers = o.num_decoder_layers = 1;
    o.dim_feedforward = FF;
    o.dropout = is(c->key, "drop", "no") ? 0 : 0.3;
    if (strcmp(activation, "prelu") == 0) o.activation_module = nn_PReLU();
    else if (strcmp(activation, "silu") == 0) o.activation_function = silu;
    else o.activation = activation;
    o.layer_norm_eps = is(c->key, "eps", "0.1") ? 0.1 : 1e-5;
    o.batch_first = on(c->key, "bf");
    o.norm_first = on(c->key, "nf");
    o.bias = on(c->key, "bias");
    return o;
}

static void *make_mha(const Case *c) {
    const bool k = is(c->key, "kv", "k") || is(c->key, "kv", "both"),
               v = is(c->key, "kv", "v") || is(c->key, "kv", "both");
    return nn_MultiheadAttention(c->E, H, is(c->key, "drop", "no") ? 0 : 0.3, on(c->key, "bias"), on(c->key, "bkv"),
                                 on(c->key, "zero"), k ? c->E + 1 : T_NONE, v ? c->E + 2 : T_NONE, on(c->key, "bf"));
}

static void *make_stack(const Case *c) {
    const nn_TransformerOptions o = layer_of(c);
    void *norm = on(c->key, "norm") ? nn_LayerNorm(c->E) : NULL;
    if (strncmp(c->key, "tr", 2) == 0) return nn_Transformer_new(&o);
    if (strncmp(c->key, "enc", 3) == 0)
        return nn_TransformerEncoder(nn_TransformerEncoderLayer(c->E, H, FF, o.dropout, o.activation, o.layer_norm_eps,
                                                                o.batch_first, o.norm_first, o.bias,
                                                                .activation_module = o.activation_module,
                                                                .activation_function = o.activation_function),
                                     2, norm);
    return nn_TransformerDecoder(nn_TransformerDecoderLayer(c->E, H, FF, o.dropout, o.activation, o.layer_norm_eps,
                                                            o.batch_first, o.norm_first, o.bias,
                                                            .activation_module = o.activation_module,
                                                            .activation_function = o.activation_function),
                                 2, norm);
}

/* ---- a run compared with the recorded one ---- */

static void matches(const Case *c, const char *name, Tensor *x, Role role) {
    char what[400];
    snprintf(what, sizeof what, "%s%s: %s", c->key, c->what, name);
    matches_recorded(what, x, c->section, name, role);
}

static Tensor *weighed(const Case *c, Tensor *y, int which) {
    return t_sum(t_mul(y, hashed_tensor("R", t_shape(y), (int)t_dim(y), c->seed, which, c->dtype)));
}

static void gradients_match(const Case *c, nn_Module *module) {
    char name[128];
    for_named (p, nn_named_parameters(module)) {
        snprintf(name, sizeof name, "g:%s", p->name);
        matches(c, name, t_grad(p->tensor), GRADIENT);
    }
    for (int i = 0; i < 3; i++) {
        bool again = !c->x[i];
        for (int j = 0; j < i; j++) again |= c->x[j] == c->x[i];
        snprintf(name, sizeof name, "x%d", i);
        if (!again) matches(c, name, t_grad(c->x[i]), GRADIENT);
    }
    for (int i = 0; i < 6; i++) {
        snprintf(name, sizeof name, "m%d", i);
        if (c->masks[i] && t_requires_grad(c->masks[i])) matches(c, name, t_grad(c->masks[i]), GRADIENT);
    }
}

static nn_Module *prepared(const Case *c, nn_Module *module) {
    nn_to(module, c->dtype);
    nn_train(module, !is(c->key, "drop", "eval"));
    load_hashed(module, c->key);
    t_manual_seed(DROPOUT_SEED);
    return module;
}

static void run_mha(Case *c, bool asks) {
    nn_MultiheadAttention *mha = (nn_MultiheadAttention *)prepared(c, make_mha(c));
    const bool self = is(c->key, "src", "self"), all = is(c->key, "src", "all");
    const int64_t length = self ? L : S;
    c->x[0] = sequence(c, 0, L, c->E);
    c->x[1] = self ? c->x[0] : sequence(c, 1, S, mha->kdim);
    c->x[2] = all ? sequence(c, 2, S, mha->vdim) : c->x[1];
    c->masks[0] = square_mask(c, "m", 10, L, length);
    c->masks[1] = padding(c, "kp", 11, length);
    Tensor *w = NULL;
    Tensor *y = nn_MultiheadAttention_call(mha, c->x[0], c->x[1], c->x[2], c->masks[1], on(c->key, "nw"), c->masks[0],
                                           on(c->key, "avg"), on(c->key, "hint"), asks ? &w : NULL);
    ck_assert_msg(y != NULL, "%s: %s", c->key, last_error_text());
    matches(c, "y", y, VALUE);
    matches(c, "next", t_rand(2), EXACT);
    if (asks) matches(c, "w", w, VALUE);
    Tensor *loss = weighed(c, y, 100);
    if (w && is(c->key, "loss", "yw")) loss = t_add(loss, weighed(c, w, 101));
    t_backward(loss);
    gradients_match(c, &mha->base);
}

/* *all: the weights in the order in which PyTorch calls its attentions. */
static Tensor *call_stack(const Case *c, void *module, t_TensorList **all) {
    t_TensorList *first = NULL, *second = NULL, *third = NULL;
    const bool average = on(c->key, "avg"), mhint = on(c->key, "mhint");
    const int64_t hint = hint_of(c->key, "hint");
    Tensor *const *m = c->masks, *y;
    if (c->key[0] == 'e')
        y = nn_TransformerEncoder_call(module, c->x[0], m[0], m[1], hint, .weights = all ? &first : NULL,
                                       .average_attn_weights = average);
    else if (c->key[0] == 'd')
        y = nn_TransformerDecoder_call(module, c->x[0], c->x[1], m[0], m[2], m[1], m[3], hint, mhint,
                                       .self_weights = all ? &second : NULL, .cross_weights = all ? &third : NULL,
                                       .average_attn_weights = average);
    else
        y = nn_Transformer_call(module, c->x[1], c->x[0], m[4], m[0], m[2], m[5], m[1], m[3], hint_of(c->key, "shint"),
                                hint, mhint, .encoder_weights = all ? &first : NULL,
                                .self_weights = all ? &second : NULL, .cross_weights = all ? &third : NULL,
                                .average_attn_weights = average);
    if (!all) return y;
    *all = t_list();
    for (int64_t i = 0; first && i < first->len; i++) t_list_append(*all, first->items[i]);
    for (int64_t i = 0; second && i < second->len; i++) {
        t_list_append(*all, second->items[i]);
        t_list_append(*all, third->items[i]);
    }
    return y;
}

static void run_stack(Case *c, bool asks) {
    nn_Module *module = prepared(c, make_stack(c));
    t_TensorList *weights = NULL;
    c->x[0] = sequence(c, 0, L, c->E);
    if (c->key[0] != 'e') c->x[1] = sequence(c, 1, S, c->E);
    c->masks[0] = square_mask(c, "m", 10, L, L);
    c->masks[1] = padding(c, "kp", 11, L);
    c->masks[2] = square_mask(c, "mm", 12, L, S);
    c->masks[3] = padding(c, "mkp", 13, S);
    c->masks[4] = square_mask(c, "sm", 14, S, S);
    c->masks[5] = padding(c, "skp", 15, S);
    Tensor *y = call_stack(c, module, asks ? &weights : NULL);
    ck_assert_msg(y != NULL, "%s: %s", c->key, last_error_text());
    matches(c, "y", y, VALUE);
    matches(c, "next", t_rand(2), EXACT);
    for (int64_t i = 0; weights && i < weights->len; i++) {
        char name[8];
        snprintf(name, sizeof name, "w%d", (int)i);
        if (has_recorded(c->section, "w0")) matches(c, name, weights->items[i], VALUE);
    }
    t_backward(weighed(c, y, 100));
    gradients_match(c, module);
}

/* Twice: with the attention weights, and without, when they are never computed. */
static void replay(const char *key, const char *section, void *count) {
    static const char *const families[] = {"mha", "enc", "dec", "tr"};
    for (int asks = 0; asks < 2; asks++) {
        Case c = {.key = key,
                  .section = section,
                  .what = asks ? " with weights" : "",
                  .seed = seed_of(key),
                  .dtype = is(key, "d", "32") ? t_float32 : t_float64,
                  .E = is(key, "E", "4") ? 4 : 16,
                  .heads = on(key, "batch") ? N * H : H};
        if (!asks && is(key, "loss", "yw") && on(key, "nw")) continue; /* whose loss needs them */
        with_scope() (key[0] == 'm' ? run_mha : run_stack)(&c, asks);
    }
    for (int i = 0; i < 4; i++) ((int *)count)[i] += strncmp(key, families[i], 2) == 0;
}

START_TEST(values_weights_and_gradients_are_pytorchs) {
    int count[4] = {0};
    each_case("torch_transformer.txt", replay, count);
    ck_assert_int_ge(count[0], 40);
    ck_assert_int_ge(count[1], 30);
    ck_assert_int_ge(count[2], 40);
    ck_assert_int_ge(count[3], 20);
    report_notes();
}
END_TEST

/* ---- initial values, text ---- */

#define INITS(X) \
    X(mha, nn_MultiheadAttention(6, 2)) \
    X(mha_kv, nn_MultiheadAttention(6, 3, .bias = false, .add_bias_kv = true, .kdim = 5, .vdim = 7)) \
    X(mha_double, nn_MultiheadAttention(6, 2, .add_bias_kv = true, .dtype = t_float64)) \
    X(encoder_layer, nn_TransformerEncoderLayer(6, 2, 10, .activation_module = nn_PReLU())) \
    X(decoder_layer, nn_TransformerDecoderLayer(6, 2, 10, .bias = false)) \
    X(encoder, nn_TransformerEncoder(nn_TransformerEncoderLayer(6, 2, 10), 3, nn_LayerNorm(6))) \
    X(decoder, nn_TransformerDecoder(nn_TransformerDecoderLayer(6, 2, 10), 2)) \
    X(transformer, nn_Transformer(6, 2, 2, 3, 10, .activation = "gelu", .norm_first = true)) \
    X(transformer_double, nn_Transformer(4, 1, 1, 1, 4, .bias = false, .dtype = t_float64))
#define MAKE(label, expression) static void *init_##label(void) { return expression; }
#define ROW(label, expression) {#label, init_##label},
INITS(MAKE)
static const ModuleMaker inits[] = {INITS(ROW) {NULL, NULL}};

START_TEST(initial_values_are_pytorchs_bits) {
    for (const ModuleMaker *m = inits; m->label; m++)
        compare_initial_bits(m, golden_case(golden_file("torch_transformer_init.txt"), m->label));
    report_notes();
}
END_TEST

START_TEST(names_and_repr_are_pytorchs) {
    for (const ModuleMaker *m = inits; m->label; m++)
        compare_repr(m, golden_case(golden_file("torch_transformer_repr.txt"), m->label));
    report_notes();
}
END_TEST

Suite *torch_transformer_suite(void);
Suite *torch_transformer_suite(void) {
    Suite *suite = suite_create("torch_transformer");
    TCase *tests = tcase_create("torch_transformer");
    tcase_set_timeout(tests, 20);
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, values_weights_and_gradients_are_pytorchs);
    tcase_add_test(tests, initial_values_are_pytorchs_bits);
    tcase_add_test(tests, names_and_repr_are_pytorchs);
    suite_add_tcase(suite, tests);
    return suite;
}
