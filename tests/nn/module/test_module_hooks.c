/* tests/nn/module/test_module_hooks.c: hooks of modules against PyTorch 2.15: which are called, in which order and with
 * which values. Each hook writes a line to a log; the expected logs are what the same hooks wrote in PyTorch. Values
 * are small integers, so that both are exact. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "core/autograd/hooks.h"
#include "core/core.h"
#include "nn/module/module_internal.h"
#include "nn/nn.h"
#include "tests/support/compare.h"
#include "tests/support/refusals.h"
#include "tests/support/support.h"

/* ---- the log ---- */

static char written[16384];

static void put(const char *format, ...) {
    const size_t length = strlen(written);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(written + length, sizeof written - length, format, arguments);
    va_end(arguments);
}

static void put_tensor(Tensor *x) {
    if (!x) {
        put("-");
        return;
    }
    Tensor *flat = t_reshape(t_detach(x), -1);
    put("[");
    for (int64_t i = 0; i < t_numel(flat); i++) put(i ? " %g" : "%g", t_item(t_select(flat, 0, i)));
    put("]");
}

static void put_list(t_TensorList *list) {
    for (int64_t i = 0; i < list->len; i++) {
        put(i ? "," : " ");
        put_tensor(list->items[i]);
    }
}

static void put_line(Tensor *x) {
    put_tensor(x);
    put("\n");
}

static void expect_log(const char *expected) {
    ck_assert_msg(strcmp(written, expected) == 0, "written:\n%s\nexpected:\n%s", written, expected);
    *written = '\0';
}

/* ---- hooks: context is the name, and what they return ---- */

typedef struct Hook {
    const char *name;
    double factor, plus; /* 0: returns NULL */
} Hook;

static t_TensorList *pre(nn_Module *m, t_TensorList *args, void *context) {
    const Hook *hook = context;
    put("%s %s", hook->name, m->type);
    put_list(args);
    put("\n");
    return hook->factor != 0 ? t_list(t_mul(args->items[0], hook->factor)) : NULL;
}

static Tensor *forward(nn_Module *m, t_TensorList *args, Tensor *output, void *context) {
    const Hook *hook = context;
    put("%s %s", hook->name, m->type);
    put_list(args);
    put(" ");
    put_line(output);
    return hook->plus != 0 ? t_add(output, hook->plus) : NULL;
}

static t_TensorList *backward_pre(nn_Module *m, t_TensorList *grad_output, void *context) {
    return pre(m, grad_output, context);
}

static t_TensorList *backward(nn_Module *m, t_TensorList *grad_input, t_TensorList *grad_output, void *context) {
    const Hook *hook = context;
    put("%s %s", hook->name, m->type);
    put_list(grad_input);
    put_list(grad_output);
    put("\n");
    if (hook->factor == 0) return NULL;
    t_TensorList *list = t_list(t_mul(grad_input->items[0], hook->factor));
    if (grad_input->len > 1) t_list_append(list, t_mul(grad_input->items[1], hook->factor + 1));
    return list;
}

static nn_Linear *linear(void) {
    nn_Linear *layer = nn_Linear(2, 2);
    with_no_grad() {
        t_copy_(layer->weight, t_tensor("[[1., 2], [3, 4]]"));
        t_copy_(layer->bias, t_tensor("[1., -1]"));
    }
    return layer;
}

static Tensor *input(void) {
    return t_requires_grad_(t_tensor("[[1., 2]]"), true);
}

/* ---- forward ---- */

START_TEST(forward_hooks_run_in_pytorchs_order) {
    Hook all_pre = {"all-pre"}, all = {"all"}, pre1 = {"pre1", .factor = 2}, pre0 = {"pre0"}, f1 = {"f1", .plus = 1},
         f2 = {"f2"}, f0 = {"f0"};
    nn_Sequential *model = nn_Sequential(linear(), nn_ReLU());
    nn_Linear *first = nn_get(model, 0, nn_Linear);
    Tensor *x = input();
    t_Hook *g1 = nn_register_module_forward_pre_hook(pre, &all_pre),
           *g2 = nn_register_module_forward_hook(forward, &all);
    nn_register_forward_pre_hook(first, pre, &pre1);
    nn_register_forward_pre_hook(first, pre, &pre0, .prepend = true);
    nn_register_forward_hook(first, forward, &f1);
    t_Hook *h = nn_register_forward_hook(first, forward, &f2);
    nn_register_forward_hook(first, forward, &f0, .prepend = true);
    put_line(nn_call(model, x));
    expect_log("all-pre Sequential [1 2]\nall-pre Linear [1 2]\npre0 Linear [1 2]\npre1 Linear [1 2]\n"
               "all Linear [2 4] [11 21]\nf0 Linear [2 4] [11 21]\nf1 Linear [2 4] [11 21]\nf2 Linear [2 4] [12 22]\n"
               "all-pre ReLU [12 22]\nall ReLU [12 22] [12 22]\nall Sequential [1 2] [12 22]\n[12 22]\n");
    ck_assert(t_hook_remove(g1) && t_hook_remove(g2) && t_hook_remove(h) && t_hook_remove(h));
    put_line(nn_call(model, x));
    expect_log("pre0 Linear [1 2]\npre1 Linear [1 2]\nf0 Linear [2 4] [11 21]\nf1 Linear [2 4] [11 21]\n[12 22]\n");
}
END_TEST

/* A hook may remove itself, and register others, which are called from the next time on. */
typedef struct Once {
    Hook hook;
    t_Hook *handle;
} Once;
static Tensor *once(nn_Module *m, t_TensorList *args, Tensor *output, void *context) {
    Once *self = context;
    forward(m, args, output, &self->hook);
    t_hook_remove(self->handle);
    nn_register_forward_hook(m, forward, &self->hook, .prepend = true);
    nn_register_forward_hook(m, forward, &self->hook);
    return NULL;
}

START_TEST(hooks_may_change_the_hooks) {
    nn_Linear *layer = linear();
    Once self = {.hook = {"once"}};
    Hook last = {"last"};
    self.handle = nn_register_forward_hook(layer, once, &self);
    nn_register_forward_hook(layer, forward, &last);
    nn_call(layer, input());
    expect_log("once Linear [1 2] [6 10]\nlast Linear [1 2] [6 10]\n");
    nn_call(layer, input());
    expect_log("once Linear [1 2] [6 10]\nlast Linear [1 2] [6 10]\nonce Linear [1 2] [6 10]\n");
}
END_TEST

typedef struct Removing {
    nn_Module *layer;
    t_Hook *handle;
} Removing;

static Tensor *removes(nn_Module *m, t_TensorList *args, Tensor *output, void *context) {
    (void)args, (void)output;
    const Removing *self = context;
    if (m == self->layer) t_hook_remove(self->handle);
    with_scope () for_range (i, 0, 300) t_generator(); /* the queue of dead objects lets go of the hook */
    return NULL;
}

/* The hook that is removed is the next one, and its list empty then. */
START_TEST(a_hook_of_all_modules_may_remove_the_hooks) {
    nn_Linear *layer = linear();
    Hook never = {"never"};
    Removing self = {&layer->base, NULL};
    with_scope () self.handle = nn_register_forward_hook(layer, forward, &never);
    t_Hook *all = nn_register_module_forward_hook(removes, &self);
    HOLDS(nn_call(layer, input()));
    t_hook_remove(all);
    expect_log("");
    ck_assert_ptr_null(layer->base.hooks->lists[tg_forward_hooks]);
}
END_TEST

static Tensor *bad_forward(nn_Module *self, Tensor *x) {
    (void)self;
    (void)x;
    return t_fail("bad");
}
static Tensor *bad_hook(nn_Module *m, t_TensorList *args, Tensor *output, void *context) {
    (void)m;
    (void)args;
    (void)output;
    (void)context;
    return t_fail("bad hook");
}
static Tensor *fails_too(nn_Module *m, t_TensorList *args, Tensor *output, void *context) {
    (void)m;
    put("%s ", t_error_message());
    put_list(args);
    put_line(output);
    ck_assert_ptr_null(context);
    return t_add(args->items[0], t_ones(7));
}

typedef struct Bad { nn_Module base; } Bad;
static Tensor *bad_call(Bad *self, Tensor *x) {
    return bad_forward(&self->base, x);
}

START_TEST(always_call_survives_an_error) {
    Bad *m = nn_module(Bad, bad_call);
    Hook never = {"never"}, always = {"always"};
    nn_register_forward_hook(m, forward, &never);
    nn_register_forward_hook(m, fails_too, NULL, .always_call = true);
    nn_register_forward_hook(m, forward, &always, .always_call = true);
    ck_assert_ptr_null(nn_call(m, input()));
    ck_assert_str_eq(t_error_message(), "bad");
    ck_assert_ptr_nonnull(strstr(t_error(), "bad_forward: in m, Bad: bad"));
    expect_log("bad  [1 2]-\nalways Bad [1 2] -\n");
    clear_errors();
    t_clear_error();
    nn_Linear *layer = linear();
    nn_register_forward_hook(layer, bad_hook);
    nn_register_forward_hook(layer, forward, &never);
    nn_register_forward_hook(layer, forward, &always, .always_call = true);
    ck_assert_ptr_null(nn_call(layer, input()));
    ck_assert_str_eq(t_error_message(), "bad hook");
    expect_log("always Linear [1 2] [6 10]\n");
    clear_errors();
    t_clear_error();
}
END_TEST

/* ---- backward ---- */

START_TEST(backward_hooks_run_in_pytorchs_order) {
    Hook all_pre = {"all-bpre"}, all = {"all"}, bp1 = {"bp1", .factor = 2}, bp0 = {"bp0"}, b1 = {"b1", .factor = 10},
         b0 = {"b0"};
    nn_Sequential *model = nn_Sequential(linear(), nn_ReLU(), linear());
    nn_Linear *first = nn_get(model, 0, nn_Linear), *last = nn_get(model, 2, nn_Linear);
    Tensor *x = input();
    t_Hook *g1 = nn_register_module_full_backward_pre_hook(backward_pre, &all_pre),
           *g2 = nn_register_module_full_backward_hook(backward, &all);
    nn_register_full_backward_pre_hook(first, backward_pre, &bp1);
    nn_register_full_backward_pre_hook(first, backward_pre, &bp0, .prepend = true);
    nn_register_full_backward_hook(last, backward, &b1);
    nn_register_full_backward_hook(last, backward, &b0, .prepend = true);
    Tensor *y = nn_call(model, x);
    ck_assert_str_eq(t_grad_fn(y), "BackwardHookFunctionBackward");
    t_backward(t_sum(y));
    put_line(t_grad(x));
    put_line(t_grad(first->weight));
    put_line(t_grad(last->weight));
    expect_log("all-bpre Sequential [1 1]\nall-bpre Linear [1 1]\nall Linear [4 6] [1 1]\nb0 Linear [4 6] [1 1]\n"
               "b1 Linear [4 6] [1 1]\nall-bpre ReLU [40 60]\nall ReLU [40 60] [40 60]\nall-bpre Linear [40 60]\n"
               "bp0 Linear [40 60]\nbp1 Linear [40 60]\nall Linear [440 640] [80 120]\n"
               "all Sequential [440 640] [1 1]\n[440 640]\n[80 160 120 240]\n[6 10 6 10]\n");
    t_hook_remove(g1);
    t_hook_remove(g2);
    with_no_grad() nn_call(model, x);
    expect_log("");
}
END_TEST

typedef struct Two {
    nn_Module base;
    int which;
} Two;
static Tensor *two_call(Two *self, Tensor *a, Tensor *b) {
    return self->which == 0 ? t_mul(a, b) : t_mul(self->which == 1 ? a : b, 2);
}
static Two *two(int which, Hook *hook) {
    Two *self = nn_module2(Two, two_call);
    self->which = which;
    nn_register_full_backward_hook(self, backward, hook);
    return self;
}

START_TEST(several_inputs_have_a_gradient_each) {
    Hook scale = {"two", .factor = 2}, plain = {"plain"};
    Tensor *x = input(), *b = t_requires_grad_(t_tensor("[[5., 7]]"), true);
    Two *m = two(0, &scale);
    t_backward(t_sum(nn_call(m, x, b)));
    put_line(t_grad(x));
    put_line(t_grad(b));
    expect_log("two Two [5 7],[1 2] [1 1]\n[10 14]\n[3 6]\n");
    t_set_grad(x, NULL);
    t_backward(t_sum(nn_call(m, x, t_detach(b))));
    put_line(t_grad(x));
    expect_log("two Two [5 7],[0 0] [1 1]\n[10 14]\n");
    t_set_grad(x, NULL);
    t_backward(t_sum(nn_call(m, x, x)));
    put_line(t_grad(x));
    expect_log("two Two [1 2],[1 2] [1 1]\n[5 10]\n");
    for (int which = 1; which <= 2; which++) {
        t_set_grad(x, NULL);
        t_set_grad(b, NULL);
        t_backward(t_sum(nn_call(two(which, &plain), x, b)));
        put_line(t_grad(x));
        put_line(t_grad(b));
    }
    expect_log("plain Two [2 2],[0 0] [1 1]\n[2 2]\n[0 0]\nplain Two [0 0],[2 2] [1 1]\n[0 0]\n[2 2]\n");
    t_set_grad(b, NULL);
    Tensor *y = t_sum(nn_call(m, x, b));
    put_line(t_grad(y, b));
    expect_log("two Two [5 7],[1 2] [1 1]\n[3 6]\n");
}
END_TEST

START_TEST(backward_hooks_without_gradients_of_inputs) {
    Hook hook = {"none"};
    nn_Linear *layer = linear();
    nn_register_full_backward_hook(layer, backward, &hook);
    t_backward(t_sum(nn_call(layer, t_detach(input()))));
    put_line(t_grad(layer->weight));
    expect_log("none Linear - [1 1]\n[1 2 1 2]\n");
}
END_TEST

START_TEST(backward_hooks_in_a_double_backward) {
    Hook hook = {"d"};
    nn_Linear *layer = linear();
    Tensor *x = input();
    t_Hook *handle = nn_register_full_backward_hook(layer, backward, &hook);
    Tensor *y = t_sum(t_square(nn_call(layer, x))), *gx = t_grad(y, x, .create_graph = true);
    put_line(gx);
    t_backward(t_sum(gx));
    put_line(t_grad(x));
    put_line(t_grad(layer->weight));
    expect_log("d Linear [72 104] [12 20]\n[72 104]\nd Linear [48 68] [6 14]\n[48 68]\n[18 24 34 48]\n");
    y = t_sum(nn_call(layer, x));
    t_hook_remove(handle); /* PyTorch would call it */
    t_backward(y);
    expect_log("");
}
END_TEST

static t_TensorList *two_gradients(nn_Module *m, t_TensorList *g, void *context) {
    (void)m;
    (void)context;
    return t_list(g->items[0], g->items[0]);
}
static t_TensorList *two_input_gradients(nn_Module *m, t_TensorList *grad_input, t_TensorList *g, void *context) {
    (void)grad_input;
    return two_gradients(m, g, context);
}
static t_TensorList *other_shape(nn_Module *m, t_TensorList *grad_input, t_TensorList *g, void *context) {
    (void)m;
    (void)g;
    (void)context;
    return t_list(t_ones(3, t_size(grad_input->items[0], 1) + 1));
}

#define ERROR(call, sentence)                                \
    do {                                                     \
        ck_assert(!(call));                                  \
        ck_assert_int_eq(error_count(), 1);                  \
        ck_assert_str_eq(t_error_message(), sentence);       \
        clear_errors();                                      \
        t_clear_error();                                     \
    } while (0)

START_TEST(wrong_results_are_errors) {
    Tensor *x = input();
    nn_Linear *layer = linear();
    t_Hook *h = nn_register_full_backward_hook(layer, two_input_gradients);
    ERROR(t_backward(t_sum(nn_call(layer, x))),
          "Backward hook returned an invalid number of grad_input, got 2, but expected 1");
    t_hook_remove(h);
    h = nn_register_full_backward_pre_hook(layer, two_gradients);
    ERROR(t_backward(t_sum(nn_call(layer, x))),
          "Backward pre hook returned an invalid number of grad_output, got 2, but expected 1");
    t_hook_remove(h);
    h = nn_register_full_backward_hook(layer, other_shape);
    ERROR(t_backward(t_sum(nn_call(layer, x))),
          "Function BackwardHookFunctionBackward returned an invalid gradient at index 0 - got [3, 3] but expected "
          "shape compatible with [1, 2]");
    ck_assert_ptr_null(t_grad(x));
    t_hook_remove(h);
    h = nn_register_forward_pre_hook(layer, two_gradients);
    ERROR(nn_call(layer, x), "a forward pre-hook returned 2 args, but the forward takes 1");
    t_hook_remove(h);
    ERROR(nn_register_forward_pre_hook(layer, pre, NULL, .always_call = true),
          "always_call is an option of forward hooks only");
    ERROR(nn_register_module_forward_hook(forward, NULL, .prepend = true), "a hook of all modules cannot be prepended");
    ERROR(nn_register_forward_hook(layer, NULL), "argument 2 is NULL where a function is expected");
    ERROR(nn_register_forward_hook(x, forward), "argument 1 is not a module");
    nn_call(layer, x);
    expect_log("");
}
END_TEST

/* ---- fused paths ---- */

static Tensor *shapes(nn_Module *m, t_TensorList *args, Tensor *output, void *context) {
    (void)output;
    (void)context;
    put("%s", m->type);
    for (int64_t i = 0; i < args->len; i++) put(args->items[i]->shape[0] == 3 ? " x" : " m");
    put("\n");
    return NULL;
}

#define POST_ENCODER "MultiheadAttention x x x\nDropout x\nLayerNorm x\nLinear x\nDropout x\nLinear x\nDropout x\n" \
                     "LayerNorm x\nTransformerEncoderLayer x\nTransformerEncoder x\n"
#define PRE_ENCODER "LayerNorm x\nMultiheadAttention x x x\nDropout x\nLayerNorm x\nLinear x\nDropout x\nLinear x\n" \
                    "Dropout x\nTransformerEncoderLayer x\nTransformerEncoder x\n"
#define POST_DECODER "MultiheadAttention x x x\nDropout x\nLayerNorm x\nMultiheadAttention x m m\nDropout x\n" \
                     "LayerNorm x\nLinear x\nDropout x\nLinear x\nDropout x\nLayerNorm x\n" \
                     "TransformerDecoderLayer x m\nTransformerDecoder x m\n"
#define PRE_DECODER "LayerNorm x\nMultiheadAttention x x x\nDropout x\nLayerNorm x\nMultiheadAttention x m m\n" \
                    "Dropout x\nLayerNorm x\nLinear x\nDropout x\nLinear x\nDropout x\nTransformerDecoderLayer x m\n" \
                    "TransformerDecoder x m\n"

START_TEST(hooks_of_all_modules_see_the_modules_that_are_fused) {
    Tensor *x = t_randn(3, 1, 4), *memory = t_randn(2, 1, 4);
    for (int norm_first = 0; norm_first < 2; norm_first++) {
        nn_TransformerEncoder *encoder =
            nn_TransformerEncoder(nn_TransformerEncoderLayer(4, 2, 8, .norm_first = norm_first), 1);
        nn_TransformerDecoder *decoder =
            nn_TransformerDecoder(nn_TransformerDecoderLayer(4, 2, 8, .norm_first = norm_first), 1);
        nn_eval(encoder);
        nn_eval(decoder);
        Tensor *fused = nn_call(encoder, x), *fused_decoder = nn_call(decoder, x, memory);
        expect_log("");
        t_Hook *h = nn_register_module_forward_hook(shapes);
        Tensor *y = nn_call(encoder, x);
        expect_log(norm_first ? PRE_ENCODER : POST_ENCODER);
        expect_close("with hooks", y, fused, 1e-5);
        y = nn_TransformerDecoder_call(decoder, x, memory);
        expect_log(norm_first ? PRE_DECODER : POST_DECODER);
        expect_close("with hooks", y, fused_decoder, 1e-5);
        t_hook_remove(h);
    }
}
END_TEST

/* Also in training: the same dropout masks are drawn. */
START_TEST(a_hook_of_one_module_is_not_bypassed) {
    Tensor *x = t_randn(3, 2, 4);
    for (int norm_first = 0; norm_first < 2; norm_first++) {
        nn_TransformerEncoderLayer *layer =
            nn_TransformerEncoderLayer(4, 2, 8, .dropout = 0.25, .norm_first = norm_first);
        t_manual_seed(3);
        Tensor *fused = nn_call(layer, x);
        const struct { void *module; const char *log; } hooked[] = {
            {layer->linear1, "Linear x\n"}, {layer->linear2, "Linear x\n"}, {layer->dropout, "Dropout x\n"},
            {layer->dropout1, "Dropout x\n"}, {layer->dropout2, "Dropout x\n"}, {layer->norm1, "LayerNorm x\n"},
            {layer->norm2, "LayerNorm x\n"}, {layer->self_attn, "MultiheadAttention x x x\n"}};
        for (int i = 0; i < 8; i++) {
            t_Hook *h = nn_register_forward_hook(hooked[i].module, shapes);
            t_manual_seed(3);
            Tensor *y = nn_call(layer, x);
            expect_log(hooked[i].log);
            expect_close("with hooks", y, fused, 1e-5);
            t_hook_remove(h);
        }
    }
    nn_FeedForward *network = nn_FeedForward(4, 8);
    nn_register_forward_hook(network->activation, shapes);
    nn_MultiHeadAttention *attention = nn_MultiHeadAttention(4, 2);
    nn_register_forward_hook(attention->dropout, shapes);
    nn_call(network, x);
    nn_MultiHeadAttention_call(attention, x, x, x);
    expect_log("ReLU x\nDropout x\n");
}
END_TEST

/* Backward hooks around attention, whose three inputs are one tensor. */
START_TEST(backward_hooks_leave_the_gradients_as_they_are) {
    Hook hook = {"layer"};
    nn_TransformerEncoder *encoder = nn_TransformerEncoder(nn_TransformerEncoderLayer(4, 2, 8, .dropout = 0.0), 2);
    Tensor *x = t_randn(3, 1, 4, .requires_grad = true);
    t_TensorList *parameters = nn_parameters(encoder), *expected = t_list();
    t_backward(t_sum(t_square(nn_call(encoder, x))));
    for_list (p, parameters) t_list_append(expected, t_grad(p));
    Tensor *dx = t_grad(x);
    nn_zero_grad(encoder);
    t_set_grad(x, NULL);
    t_Hook *h = nn_register_module_full_backward_hook(backward, &hook);
    t_backward(t_sum(t_square(nn_TransformerEncoder_call(encoder, x, .src_key_padding_mask = t_zeros(1, 3)))));
    t_hook_remove(h);
    ck_assert_ptr_nonnull(strstr(written, "layer MultiheadAttention ["));
    *written = '\0';
    expect_close("with hooks", t_grad(x), dx, 1e-4);
    for (int64_t i = 0; i < parameters->len; i++)
        expect_close("with hooks", t_grad(t_list_get(parameters, i)), t_list_get(expected, i), 1e-4);
}
END_TEST

/* ---- functions other than nn_call, subclasses, copies, lifetimes ---- */

typedef struct Scaled { nn_TransformerEncoderLayer super; } Scaled;
static Tensor *scaled_call(Scaled *self, Tensor *x) {
    return t_mul(nn_TransformerEncoderLayer_call(&self->super, x), 2);
}

START_TEST(functions_of_their_own_run_hooks_once) {
    t_Hook *h = nn_register_module_forward_hook(shapes);
    nn_call(nn_LSTM(2, 3), t_ones(3, 1, 2));
    nn_LSTM_call(nn_LSTM(2, 3), t_ones(3, 1, 2));
    nn_CrossEntropyLoss_call(nn_CrossEntropyLoss(), t_ones(3, 3), t_tensor("[0, 1, 2]"));
    nn_call(nn_CrossEntropyLoss(), t_ones(3, 3), t_tensor("[0, 1, 2]"));
    nn_call(nn_MSELoss(), t_ones(3), t_ones(3));
    nn_GRUCell_call(nn_GRUCell(2, 3), t_ones(3, 2), t_ones(3, 3));
    nn_call(nn_GRUCell(2, 3), t_ones(3, 2), t_ones(3, 3));
    nn_LSTMCell_call(nn_LSTMCell(2, 3), t_ones(3, 2));
    nn_TripletMarginLoss_call(nn_TripletMarginLoss(), t_ones(3, 2), t_ones(3, 2), t_zeros(3, 2));
    expect_log("LSTM x\nLSTM x\nCrossEntropyLoss x x\nCrossEntropyLoss x x\nMSELoss x x\nGRUCell x x\nGRUCell x x\n"
               "LSTMCell x\nTripletMarginLoss x x x\n");
    t_hook_remove(h);
    Scaled *layer = nn_subclass(Scaled, scaled_call, nn_TransformerEncoderLayer(4, 2, 8));
    nn_register_forward_hook(layer, shapes);
    nn_call(layer, t_ones(3, 1, 4));
    expect_log("Scaled x\n");
}
END_TEST

START_TEST(attention_weights_survive_hooks) {
    Hook hook = {"b"};
    nn_MultiheadAttention *attention = nn_MultiheadAttention(4, 2);
    nn_register_forward_hook(attention, shapes);
    nn_register_full_backward_hook(attention, backward, &hook);
    Tensor *x = t_randn(3, 1, 4, .requires_grad = true), *weights;
    Tensor *y = nn_MultiheadAttention_call(attention, x, x, x, .weights = &weights);
    expect_log("MultiheadAttention x x x\n");
    ck_assert_int_eq(t_size(weights, 2), 3);
    t_backward(t_add(t_sum(y), t_sum(weights)));
    ck_assert_ptr_nonnull(strstr(written, "b MultiheadAttention ["));
    *written = '\0';
}
END_TEST

START_TEST(copies_have_the_hooks) {
    Hook hook = {"copied"};
    nn_Linear *layer = linear();
    t_Hook *h = nn_register_forward_hook(layer, forward, &hook);
    nn_Linear *copy = nn_deepcopy(layer);
    t_hook_remove(h);
    nn_call(layer, input());
    expect_log("");
    nn_call(copy, input());
    expect_log("copied Linear [1 2] [6 10]\n");
}
END_TEST

/* The graph holds the module and its backward hooks; nothing is left. */
START_TEST(nothing_leaks) {
    Hook hook = {"b"}, scale = {"f", .plus = 1}, twice = {"p", .factor = 2};
    const int64_t before = t_live_count();
    with_scope() {
        Tensor *x = input(), *y = NULL;
        with_scope() {
            nn_Linear *layer = linear();
            nn_register_full_backward_hook(layer, backward, &hook);
            nn_register_full_backward_pre_hook(layer, backward_pre, &twice);
            nn_register_forward_hook(layer, forward, &scale);
            nn_register_forward_pre_hook(layer, pre, &twice);
            y = t_keep(nn_call(layer, x));
        }
        t_backward(t_sum(y));
        put_line(t_grad(x));
        expect_log("p Linear [1 2]\nf Linear [2 4] [11 21]\np Linear [1 1]\nb Linear [8 12] [2 2]\n[16 24]\n");
    }
    ck_assert_int_eq(t_live_count(), before);
}
END_TEST

static bool call_hooked(void *with) {
    nn_Linear *layer = with;
    const int depth = t_scope_open();
    Tensor *x = depth ? t_requires_grad_(t_ones(1, 2), true) : NULL;
    Tensor *y = x ? t_sum(nn_call(layer, x)) : NULL;
    const bool ok = y && t_backward(y);
    nn_zero_grad(layer);
    t_scope_close(depth);
    *written = '\0';
    return ok;
}

START_TEST(calls_with_hooks_without_memory) {
    Hook hook = {"b", .factor = 2}, plus = {"f", .plus = 1};
    nn_Linear *layer = linear();
    nn_register_full_backward_hook(layer, backward, &hook);
    nn_register_full_backward_pre_hook(layer, backward_pre, &hook);
    nn_register_forward_hook(layer, forward, &plus);
    nn_register_forward_pre_hook(layer, pre, &hook);
    refuse_all("a call with hooks", call_hooked, NULL, layer);
    report_notes();
}
END_TEST

static jmp_buf out;
static void leave(const char *text, void *context) {
    (void)text;
    (void)context;
    longjmp(out, 1);
}

START_TEST(a_hook_may_leave_by_longjmp) {
    nn_Linear *layer = linear();
    Tensor *x = input();
    t_Hook *h = nn_register_forward_hook(layer, bad_hook);
    t_set_error_handler(leave, NULL);
    const int64_t before = t_live_count();
    const t_Mark mark = t_mark();
    if (!setjmp(out)) {
        nn_call(layer, x);
        ck_abort_msg("the hook did not leave");
    }
    t_unwind(mark);
    ck_assert_int_eq(t_live_count(), before);
    t_hook_remove(h);
    ck_assert_ptr_nonnull(nn_call(layer, x));
    t_set_error_handler(NULL, NULL);
}
END_TEST

/* ---- nn_summary ---- */

/* The table, with each time as "_". */
static void expect_summary(void *model, t_TensorList *inputs, const char *expected) {
    char text[4096] = "", *at = text;
    FILE *file = tmpfile();
    ck_assert((nn_summary)(model, inputs, file));
    rewind(file);
    for (char line[512]; fgets(line, sizeof line, file);) {
        const bool is_row = strncmp(line, "Module", 6) != 0 && !strstr(line, "params:");
        char *end = line + strcspn(line, "\n");
        while (is_row && end > line && strchr("0123456789", end[-1])) end--;
        while (is_row && end > line && end[-1] == ' ') end--;
        at += sprintf(at, "%.*s%s\n", (int)(end - line), line, is_row ? " _" : "");
    }
    fclose(file);
    char *title = strstr(text, "Time (us)");
    ck_assert_ptr_nonnull(title);
    ck_assert_msg(strcmp(strchr(text, '\n') + 1, expected) == 0, "printed:\n%s\nexpected:\n%s", text, expected);
}

START_TEST(summary_is_a_table_of_the_calls) {
    nn_Sequential *model = nn_Sequential(nn_Linear(3, 4), nn_Sequential(nn_ReLU(), nn_Dropout(0.5)), nn_Linear(4, 2));
    nn_requires_grad_(nn_get(model, 0), false);
    nn_eval(nn_get(model, 0));
    expect_summary(model, t_list(t_ones(5, 3)),
                   "Sequential  Sequential  [5, 3]  [5, 2]       26 _\n"
                   "  0         Linear      [5, 3]  [5, 4]       16 _\n"
                   "  1         Sequential  [5, 4]  [5, 4]        0 _\n"
                   "    0       ReLU        [5, 4]  [5, 4]        0 _\n"
                   "    1       Dropout     [5, 4]  [5, 4]        0 _\n"
                   "  2         Linear      [5, 4]  [5, 2]       10 _\n"
                   "Total params: 26\nTrainable params: 10\nNon-trainable params: 16\n");
    ck_assert(model->base.training && !nn_get(model, 0, nn_Linear)->base.training);
    ck_assert(t_is_grad_enabled());
    nn_call(model, t_ones(5, 3));
}
END_TEST

static jmp_buf out_of_summary;
static void leave_summary(const char *text, void *context) {
    (void)text;
    (void)context;
    longjmp(out_of_summary, 1);
}

/* After an error, also one that leaves by longjmp, no hook is left and the modes are restored. */
START_TEST(summary_of_a_call_that_fails) {
    nn_Sequential *model = nn_Sequential(nn_Linear(3, 4), nn_Linear(5, 2));
    Tensor *x = t_ones(5, 3);
    ck_assert(!nn_summary(model, x));
    ck_assert_ptr_nonnull(strstr(last_error_text(), "nn_summary(model, x): in model.1, Linear(5, 2): addmm: mat1"));
    clear_errors();
    t_clear_error();
    ck_assert(model->base.training);
    ERROR(nn_summary(model, x, x, x), "nn_summary calls the model with one or two inputs, not 3");
    ERROR(nn_summary(model, x, x), "Sequential takes another number of inputs: nn_call(m, x)");
    t_set_error_handler(leave_summary, NULL);
    const t_Mark mark = t_mark();
    if (!setjmp(out_of_summary)) {
        nn_summary(model, x);
        ck_abort_msg("the call did not fail");
    }
    t_unwind(mark);
    t_set_error_handler(NULL, NULL);
    ck_assert(model->base.training && t_is_grad_enabled());
    ck_assert(!((tg_ModuleHooks *)tg_thread.module_hooks)->lists[tg_forward_hooks]);
}
END_TEST

static bool summarise(void *model) {
    FILE *null = fopen("/dev/null", "w");
    const int depth = t_scope_open();
    Tensor *x = depth ? t_ones(2, 3) : NULL;
    t_TensorList *inputs = x ? t_list_new(&x, 1) : NULL;
    const bool ok = inputs && (nn_summary)(model, inputs, null);
    t_scope_close(depth);
    fclose(null);
    return ok;
}

START_TEST(summary_without_memory) {
    refuse_all("nn_summary", summarise, NULL, nn_Sequential(nn_Linear(3, 4), nn_ReLU()));
    report_notes();
}
END_TEST

Suite *module_hooks_suite(void) {
    Suite *suite = suite_create("module_hooks");
    TCase *cases = tcase_create("module_hooks");
    tcase_add_checked_fixture(cases, support_setup, support_teardown);
    tcase_add_test(cases, forward_hooks_run_in_pytorchs_order);
    tcase_add_test(cases, hooks_may_change_the_hooks);
    tcase_add_test(cases, a_hook_of_all_modules_may_remove_the_hooks);
    tcase_add_test(cases, always_call_survives_an_error);
    tcase_add_test(cases, backward_hooks_run_in_pytorchs_order);
    tcase_add_test(cases, several_inputs_have_a_gradient_each);
    tcase_add_test(cases, backward_hooks_without_gradients_of_inputs);
    tcase_add_test(cases, backward_hooks_in_a_double_backward);
    tcase_add_test(cases, wrong_results_are_errors);
    tcase_add_test(cases, hooks_of_all_modules_see_the_modules_that_are_fused);
    tcase_add_test(cases, a_hook_of_one_module_is_not_bypassed);
    tcase_add_test(cases, backward_hooks_leave_the_gradients_as_they_are);
    tcase_add_test(cases, functions_of_their_own_run_hooks_once);
    tcase_add_test(cases, attention_weights_survive_hooks);
    tcase_add_test(cases, copies_have_the_hooks);
    tcase_add_test(cases, nothing_leaks);
    tcase_add_test(cases, calls_with_hooks_without_memory);
    tcase_add_test(cases, a_hook_may_leave_by_longjmp);
    tcase_add_test(cases, summary_is_a_table_of_the_calls);
    tcase_add_test(cases, summary_of_a_call_that_fails);
    tcase_add_test(cases, summary_without_memory);
    suite_add_tcase(suite, cases);
    return suite;
}
