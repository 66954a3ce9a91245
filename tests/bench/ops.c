/* tests/bench/ops.c: single operations, each forward (.fwd, with its record on the tape) and backward (.bwd, alone).
 *
 * An operation's arithmetic is stated for products, and the floats that it must read or write at least for what is
 * bound by memory: so the one has a share of the peak, the other a share of the copy speed. */
#include <stdlib.h>

#include "bench.h"

enum { OPERANDS = 3, DIMS = 5 };

typedef struct Op {
    const char *forward, *backward;          /* the lines' names; NULL: there is none */
    Tensor *(*call)(Tensor *const *x);
    int64_t shapes[OPERANDS][DIMS];          /* ended by 0 */
    double flop, flop_back;
    double floats, floats_back;              /* read or written */
    bool on_request;
    int64_t ids;                             /* the second operand holds integers below this */
} Op;

static Tensor *linear(Tensor *const *x) { return F_linear(x[0], x[1], .bias = x[2]); }
static Tensor *matmul_nn(Tensor *const *x) { return t_matmul(x[0], x[1]); }
static Tensor *matmul_nt(Tensor *const *x) { return t_matmul(x[0], t_transpose(x[1], -2, -1)); }
static Tensor *matmul_tn(Tensor *const *x) { return t_matmul(t_transpose(x[0], -2, -1), x[1]); }
static Tensor *matmul_tt(Tensor *const *x) { return t_matmul(t_transpose(x[0], -2, -1), t_transpose(x[1], -2, -1)); }
static Tensor *softmax(Tensor *const *x) { return t_softmax(x[0], -1); }
static Tensor *dropout(Tensor *const *x) { return F_dropout(x[0], 0.1); }
static Tensor *layer_norm(Tensor *const *x) { return F_layer_norm(x[0], (512,), x[1], x[2]); }
static Tensor *gelu(Tensor *const *x) { return F_gelu(x[0]); }
static Tensor *relu(Tensor *const *x) { return F_relu(x[0]); }
static Tensor *add(Tensor *const *x) { return t_add(x[0], x[1]); }
static Tensor *mul(Tensor *const *x) { return t_mul(x[0], x[1]); }
static Tensor *transposed(Tensor *const *x) { return t_contiguous(t_transpose(x[0], 0, 1)); }
static Tensor *embedding(Tensor *const *x) { return F_embedding(x[1], x[0]); }
static Tensor *cross_entropy(Tensor *const *x) { return F_cross_entropy(x[0], x[1]); }
static Tensor *sum(Tensor *const *x) { return t_sum(x[0]); }
static Tensor *dot(Tensor *const *x) { return t_dot(x[0], x[1]); }
static Tensor *group_norm(Tensor *const *x) { return F_group_norm(x[0], 8, x[1], x[2]); }
static Tensor *add_transposed(Tensor *const *x) { return t_add(t_transpose(x[0], 0, 1), x[1]); }
static Tensor *masked_fill(Tensor *const *x) { return t_masked_fill(x[0], t_eq(x[1], 0), -1e9); }
static Tensor *gather(Tensor *const *x) { return t_gather(x[0], 1, t_unsqueeze(x[1], 1)); }
static Tensor *topk(Tensor *const *x) { return t_topk(x[0], 50); }
static Tensor *depthwise(Tensor *const *x) { return F_conv2d(x[0], x[1], .stride = 2, .padding = 1, .groups = 64); }
static Tensor *attention(Tensor *const *x) { return F_scaled_dot_product_attention(x[0], x[1], x[2]); }
static Tensor *attention_causal(Tensor *const *x) {
    return F_scaled_dot_product_attention(x[0], x[1], x[2], .is_causal = true);
}
static Tensor *attention_dropout(Tensor *const *x) {
    return F_scaled_dot_product_attention(x[0], x[1], x[2], .is_causal = true, .dropout_p = 0.2);
}

#define LINES(name) name ".fwd", name ".bwd"
#define LINEAR(M, N, K)                                                                                \
    {                                                                                                  \
        LINES("linear-" #M "x" #N "x" #K), linear, {{M, K}, {N, K}, {N}}, .flop = 2.0 * M * N * K,     \
                                                                          .flop_back = 4.0 * M * N * K \
    }
#define MATMUL(M, N, K)                                                                                 \
    {"matmul-NN-" #M "x" #N "x" #K ".fwd", NULL, matmul_nn, {{M, K}, {K, N}}, .flop = 2.0 * M * N * K}, \
    {"matmul-NT-" #M "x" #N "x" #K ".fwd", NULL, matmul_nt, {{M, K}, {N, K}}, .flop = 2.0 * M * N * K}, \
    {"matmul-TN-" #M "x" #N "x" #K ".fwd", NULL, matmul_tn, {{K, M}, {K, N}}, .flop = 2.0 * M * N * K}, \
    {"matmul-TT-" #M "x" #N "x" #K ".fwd", NULL, matmul_tt, {{K, M}, {N, K}}, .flop = 2.0 * M * N * K}
#define BMM(B, S, d)                                                                                                  \
    {LINES("bmm_qk-" #B "x" #S "x" #S "x" #d),                                                                        \
     matmul_nt,                                                                                                       \
     {{B, S, d}, {B, S, d}},                                                                                          \
     .flop = 2.0 * B * S * S * d,                                                                                     \
     .flop_back = 4.0 * B * S * S * d},                                                                               \
    {                                                                                                                 \
        LINES("bmm_pv-" #B "x" #S "x" #S "x" #d), matmul_nn, {{B, S, S}, {B, S, d}}, .flop = 2.0 * B * S * S * d,     \
                                                                                     .flop_back = 4.0 * B * S * S * d \
    }
#define ATTENTION(name, call, B, H, S, d)                                                       \
    {LINES(name "-" #B "x" #H "x" #S "x" #d), call, {{B, H, S, d}, {B, H, S, d}, {B, H, S, d}}, \
        .flop = 4.0 * B * H * S * S * d,                                                        \
     .flop_back = 8.0 * B * H * S * S * d}
#define N1 (1600.0 * 2048)

static const Op ops[] = {
    LINEAR(640, 128, 128),
    LINEAR(1600, 512, 512),
    LINEAR(1600, 2048, 512),
    LINEAR(1600, 512, 2048),
    MATMUL(640, 128, 128),
    MATMUL(1600, 512, 512),
    MATMUL(1600, 2048, 512),
    MATMUL(1600, 512, 2048),
    MATMUL(256, 256, 256),
    MATMUL(512, 512, 512),
    MATMUL(1024, 1024, 1024),
    MATMUL(2048, 2048, 2048),
    BMM(128, 20, 32),
    BMM(256, 50, 64),
    ATTENTION("attention", attention, 32, 4, 20, 32),
    ATTENTION("attention", attention, 32, 8, 50, 64),
    ATTENTION("attention_causal", attention_causal, 12, 6, 256, 64),
    ATTENTION("attention_causal_dropout", attention_dropout, 12, 6, 256, 64),
    {LINES("attention_causal-1x1x16384x64"),
     attention_causal,
     {{1, 1, 16384, 64}, {1, 1, 16384, 64}, {1, 1, 16384, 64}},
     .flop = 4.0 * 16384 * 16384 * 64,
     .flop_back = 8.0 * 16384 * 16384 * 64,
     .on_request = true},
    {LINES("softmax-128x20x20"), softmax, {{128, 20, 20}}, .floats = 2 * 51200.0, .floats_back = 3 * 51200.0},
    {LINES("softmax-256x50x50"), softmax, {{256, 50, 50}}, .floats = 2 * 640000.0, .floats_back = 3 * 640000.0},
    {LINES("softmax-72x256x256"), softmax, {{72, 256, 256}}, .floats = 2 * 4718592.0, .floats_back = 3 * 4718592.0},
    {LINES("softmax-1600x10000"), softmax, {{1600, 10000}}, .floats = 2 * 16e6, .floats_back = 3 * 16e6},
    {LINES("cross_entropy-1600x10000"),
     cross_entropy,
     {{1600, 10000}, {1600}},
     .floats = 16e6,
     .floats_back = 2 * 16e6,
     .ids = 10000},
    {LINES("dropout-1600x2048"), dropout, {{1600, 2048}}, .floats = 2 * N1, .floats_back = 2 * N1},
    {LINES("layer_norm-1600x512"),
     layer_norm,
     {{1600, 512}, {512}, {512}},
     .floats = 2 * 1600.0 * 512,
     .floats_back = 3 * 1600.0 * 512},
    {LINES("gelu-1600x2048"), gelu, {{1600, 2048}}, .floats = 2 * N1, .floats_back = 3 * N1},
    {LINES("relu-1600x2048"), relu, {{1600, 2048}}, .floats = 2 * N1, .floats_back = 3 * N1},
    {LINES("add-1600x2048"), add, {{1600, 2048}, {1600, 2048}}, .floats = 3 * N1},
    {LINES("mul-1600x2048"), mul, {{1600, 2048}, {1600, 2048}}, .floats = 3 * N1, .floats_back = 5 * N1},
    {LINES("add_transposed-1600x2048"), add_transposed, {{2048, 1600}, {1600, 2048}}, .floats = 3 * N1},
    {LINES("masked_fill-32x8x50x50"),
     masked_fill,
     {{32, 8, 50, 50}, {50, 50}},
     .floats = 2 * 640000.0,
     .floats_back = 2 * 640000.0,
     .ids = 2},
    {LINES("group_norm-1600x512"),
     group_norm,
     {{1600, 512}, {512}, {512}},
     .floats = 2 * 1600.0 * 512,
     .floats_back = 3 * 1600.0 * 512},
    {LINES("gather-1600x10000"),
     gather,
     {{1600, 10000}, {1600}},
     .floats = 4 * 1600.0,
     .floats_back = 16e6,
     .ids = 10000},
    {LINES("topk-64x10000"), topk, {{64, 10000}}, .floats = 640000, .floats_back = 640000},
    {LINES("vector_matrix-1x2048x512"),
     linear,
     {{1, 512}, {2048, 512}, {2048}},
     .flop = 2.0 * 2048 * 512,
     .flop_back = 4.0 * 2048 * 512},
    {LINES("dot-1000000"), dot, {{1000000}, {1000000}}, .floats = 2e6, .floats_back = 4e6},
    {LINES("depthwise-16x64x28x28"),
     depthwise,
     {{16, 64, 28, 28}, {64, 1, 3, 3}},
     .floats = 16 * 64 * 980.0,
     .floats_back = 16 * 64 * 1764.0},
    {LINES("transposed_copy-1600x2048"), transposed, {{1600, 2048}}, .floats = 2 * N1, .floats_back = 2 * N1},
    {LINES("sum-1600x2048"), sum, {{1600, 2048}}, .floats = N1, .floats_back = N1},
    {LINES("embedding-10000x512"),
     embedding,
     {{10000, 512}, {1600}},
     .floats = 2 * 1600.0 * 512,
     .floats_back = 10000.0 * 512 + 2 * 1600.0 * 512,
     .ids = 10000},
};

/* ---- an operation forward and backward ---- */

typedef struct State {
    const Op *op;
    Tensor *x[OPERANDS], *dy;
} State;

static void *build(const Case *line) {
    State *state = calloc(1, sizeof *state);
    const Op *op = state->op = line->of;
    t_manual_seed(42);
    for (int k = 0; k < OPERANDS && op->shapes[k][0]; k++) {
        int dims = 0;
        while (dims < DIMS && op->shapes[k][dims]) dims++;
        bool ids = op->ids && k == 1;
        t_TensorOptions options = {.size = sizeof options, .requires_grad = !ids};
        if (ids) state->x[k] = (t_randint)(0, op->ids, op->shapes[k], dims, NULL);
        else state->x[k] = (t_randn)(op->shapes[k], dims, &options);
    }
    with_no_grad() state->dy = t_randn_like(op->call(state->x));
    return state;
}

static double run_forward(void *argument) {
    State *state = argument;
    double begin = seconds_now();
    with_scope() state->op->call(state->x);
    return seconds_now() - begin;
}

static double run_backward(void *argument) {
    State *state = argument;
    double begin = 0, end = 0;
    with_scope() {
        Tensor *y = state->op->call(state->x);
        begin = seconds_now();
        t_backward(y, state->dy);
        end = seconds_now();
    }
    for (int k = 0; k < OPERANDS; k++)
        if (state->x[k]) t_set_grad(state->x[k], NULL);
    return end - begin;
}

/* ---- a step of an optimizer: 25 million parameters ---- */

enum { TENSORS = 25 };

static optim_Optimizer *adam(const t_TensorList *params) { return optim_Adam_new(params, NULL); }
static optim_Optimizer *adamw(const t_TensorList *params) { return optim_AdamW_new(params, NULL); }
static optim_Optimizer *sgd(const t_TensorList *params) { return optim_SGD_new(params, NULL); }
static optim_Optimizer *sgd_momentum(const t_TensorList *params) {
    optim_SGDOptions options = optim_SGDDefaults;
    options.momentum = 0.9;
    return optim_SGD_new(params, &options);
}

typedef struct Optimizer {
    optim_Optimizer *(*make)(const t_TensorList *);
} Optimizer;
static const Optimizer optimizers[] = {{adam}, {adamw}, {sgd}, {sgd_momentum}};

static void *build_optimizer(const Case *line) {
    const Optimizer *of = line->of;
    Tensor *params[TENSORS];
    for (int i = 0; i < TENSORS; i++) {
        params[i] = t_requires_grad_(t_randn(1000, 1000), true);
        t_set_grad(params[i], t_randn(1000, 1000));
    }
    return of->make((t_list_new)(params, TENSORS));
}

static double run_optimizer(void *optimizer) {
    double begin = seconds_now();
    optim_step(optimizer);
    return seconds_now() - begin;
}

/* ---- tiny tensors: what an op costs before it computes anything; of one op in a chain ---- */

enum { CHAIN = 1000 };

static void *build_chain(const Case *line) {
    (void)line;
    return t_ones(4, .requires_grad = true);
}

static Tensor *chain(Tensor *x) {
    Tensor *y = x;
    for (int i = 0; i < CHAIN; i++) y = (t_add)(y, x);
    return y;
}

static double run_chain(void *x) {
    double begin = seconds_now(), end = 0;
    with_scope() {
        chain(x);
        end = seconds_now();
    }
    return (end - begin) / CHAIN;
}

static double run_chain_backward(void *x) {
    double begin = 0, end = 0;
    with_scope() {
        Tensor *y = t_sum(chain(x));
        begin = seconds_now();
        t_backward(y);
        end = seconds_now();
    }
    (t_set_grad)(x, NULL);
    return (end - begin) / CHAIN;
}

void add_ops(void) {
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        const Op *op = &ops[i];
        add_case((Case){op->forward, op->flop, 4 * op->floats, build, run_forward, op, op->on_request});
        if (op->backward)
            add_case((Case){op->backward, op->flop_back, 4 * op->floats_back, build, run_backward, op, op->on_request});
    }
    add_case((Case){"adam-25M.fwd", 0, 28 * 25e6, build_optimizer, run_optimizer, &optimizers[0], false});
    add_case((Case){"adamw-25M.fwd", 0, 28 * 25e6, build_optimizer, run_optimizer, &optimizers[1], false});
    add_case((Case){"sgd-25M.fwd", 0, 12 * 25e6, build_optimizer, run_optimizer, &optimizers[2], false});
    add_case((Case){"sgd_momentum-25M.fwd", 0, 20 * 25e6, build_optimizer, run_optimizer, &optimizers[3], false});
    add_case((Case){"tiny_add.fwd", 0, 0, build_chain, run_chain, NULL, false});
    add_case((Case){"tiny_add.bwd", 0, 0, build_chain, run_chain_backward, NULL, false});
}
