/* tests/nn/module/test_subclass.c: classes that are derived from the library's, nn_subclass: their parameters, names,
 * copies, printed forms, isinstance, and forwards that call the parent's. */
#include <stdlib.h>
#include <string.h>

#include "nn/nn.h"
#include "optim/optim.h"
#include "tests/support/refusals.h"
#include "tests/support/support.h"

/* ---- class Scaled(nn.Linear), with a field, a parameter and a child of its own; class Shifted(Scaled) ---- */

typedef struct Scaled {
    nn_Linear super;
    double scale;
    Tensor *gamma;
    nn_LayerNorm *norm;
} Scaled;

static Tensor *scaled_call(Scaled *self, Tensor *x) {
    return nn_call(self->norm, t_mul(nn_super_forward(self, x), t_mul(self->gamma, self->scale)));
}

static Scaled *scaled(int64_t in, int64_t out, double scale) {
    Scaled *self = nn_subclass(Scaled, scaled_call, nn_Linear(in, out, .bias = false));
    if (!self) return NULL;
    self->scale = scale;
    nn_set(self, gamma, nn_Parameter(t_ones(out)));
    nn_set(self, norm, nn_LayerNorm(out));
    return self;
}

typedef struct Shifted {
    Scaled super;
    Tensor *shift;
} Shifted;

static Tensor *shifted_call(Shifted *self, Tensor *x) {
    return t_add(scaled_call(&self->super, x), self->shift);
}

static Shifted *shifted(int64_t in, int64_t out) {
    Shifted *self = nn_subclass(Shifted, shifted_call, scaled(in, out, 2));
    if (!self) return NULL;
    nn_register_buffer(self, shift, t_full((out), 3));
    return self;
}

static bool has_shape(Tensor *x, const char *shape) {
    const char *text = x ? t_size_repr(x) : NULL; /* "torch.Size([2, 3])" */
    return text && strncmp(text + strlen("torch.Size("), shape, strlen(shape)) == 0;
}

static bool has_keys(const void *module, const char *keys) {
    char text[512] = "";
    for_items (item, nn_state_dict(module)) strcat(strcat(text, *text ? " " : ""), item->name);
    return strcmp(text, keys) == 0;
}

static bool prints(void *module, const char *text) {
    char *repr = nn_repr(module);
    const bool same = repr && strcmp(repr, text) == 0;
    if (!same) note("%s", repr);
    free(repr);
    return same;
}

START_TEST(a_subclass_has_what_its_parent_has) {
    Scaled *self = scaled(3, 4, 2);
    Tensor *x = t_randn(2, 3);
    HOLDS(t_equal(nn_call(self, x), F_layer_norm(t_mul(F_linear(x, self->super.weight, NULL), 2.0), (4), NULL, NULL)));
    HOLDS(has_keys(self, "weight gamma norm.weight norm.bias") && nn_count_parameters(self, true) == 24);
    HOLDS(prints(self, "Scaled(\n  in_features=3, out_features=4, bias=False\n  (norm): LayerNorm((4,), eps=1e-05, "
                       "elementwise_affine=True, bias=True)\n)"));
    HOLDS(nn_as(self, nn_Linear) == &self->super && nn_as(self, Scaled) == self && !nn_as(self, nn_Bilinear) &&
          !nn_as(self, Shifted));
    t_backward(t_sum(t_square(nn_call(self, x))));
    HOLDS(t_grad(self->super.weight) && t_grad(self->gamma));
    nn_eval(self);
    HOLDS(!self->super.base.training && !self->norm->base.training);
    report_notes();
}
END_TEST

START_TEST(a_subclass_of_a_subclass) {
    t_manual_seed(0);
    Shifted *self = shifted(3, 4);
    t_manual_seed(0);
    nn_Linear *plain = nn_Linear(3, 4, .bias = false);
    HOLDS(t_equal(self->super.super.weight, plain->weight));
    Tensor *x = t_randn(2, 3);
    HOLDS(t_equal(nn_call(self, x), t_add(scaled_call(&self->super, x), 3)));
    HOLDS(nn_as(self, nn_Linear) && nn_as(self, Scaled) == &self->super && nn_as(self, Shifted) == self);
    HOLDS(has_keys(self, "weight gamma shift norm.weight norm.bias"));
    Shifted *copy = nn_deepcopy(self);
    HOLDS(nn_as(copy, nn_Linear) && nn_as(copy, Scaled) && t_equal(nn_call(copy, x), nn_call(self, x)));
    HOLDS(copy->super.super.weight != self->super.super.weight && copy->shift != self->shift &&
          copy->super.norm != self->super.norm);
    with_no_grad() t_zero_(self->super.super.weight);
    HOLDS(t_is_true(t_any(copy->super.super.weight)));
    HOLDS(nn_load_state_dict(copy, nn_state_dict(self)) && !t_is_true(t_any(copy->super.super.weight)));
}
END_TEST

static void init_linear(nn_Module *module, void *count) {
    nn_Linear *linear = nn_as(module, nn_Linear);
    if (!linear) return;
    nn_init_ones_(linear->weight);
    ++*(int *)count;
}

START_TEST(a_subclass_is_a_part_like_others) {
    int count = 0;
    nn_Sequential *model = nn_Sequential(scaled(2, 3, 1), nn_ReLU(), shifted(3, 3));
    HOLDS(nn_apply(model, init_linear, &count) && count == 2);
    HOLDS(has_keys(model,
                   "0.weight 0.gamma 0.norm.weight 0.norm.bias 2.weight 2.gamma 2.shift 2.norm.weight 2.norm.bias"));
    HOLDS(nn_get(model, 2, nn_Linear) == nn_get(model, 2) && nn_get(model, 2, Scaled)->scale == 2);
    HOLDS(t_equal(nn_call(nn_deepcopy(model), t_ones(1, 2)), nn_call(model, t_ones(1, 2))));
    Scaled *trained = scaled(2, 3, 1);
    optim_Optimizer *optimizer = optim_SGD(nn_parameters(trained), .lr = 0.1);
    Tensor *before = t_clone(trained->super.weight);
    t_backward(t_sum(t_exp(nn_call(trained, t_randn(4, 2)))));
    HOLDS(optim_step(optimizer) && !t_equal(before, trained->super.weight));
}
END_TEST

/* ---- other classes of the library ---- */

typedef struct Conv { nn_Conv2d super; } Conv;
typedef struct Embed { nn_Embedding super; double scale; } Embed;
typedef struct Norm { nn_LayerNorm super; } Norm;
typedef struct Net { nn_Sequential super; int64_t calls; } Net;
typedef struct Stack { nn_ModuleList super; } Stack;
typedef struct Encoding { nn_TransformerEncoderLayer super; nn_Linear *adapter; } Encoding;
typedef struct Decoding { nn_TransformerDecoderLayer super; } Decoding;
typedef struct Tutorial { nn_EncoderLayer super; } Tutorial;
typedef struct Memory { nn_LSTM super; } Memory;
typedef struct Attention { nn_MultiheadAttention super; } Attention;
typedef struct Loss { nn_MSELoss super; double weight; } Loss;

static Tensor *conv_call(Conv *self, Tensor *x) { return t_relu(nn_super_forward(self, x)); }
static Tensor *embed_call(Embed *self, Tensor *ids) { return t_mul(nn_super_forward(self, ids), self->scale); }
static Tensor *norm_call(Norm *self, Tensor *x) { return t_neg(nn_super_forward(self, x)); }
static Tensor *net_call(Net *self, Tensor *x) { return self->calls++, nn_super_forward(self, x); }
static Tensor *encoding_call(Encoding *self, Tensor *x) { return nn_call(self->adapter, nn_super_forward(self, x)); }
static Tensor *decoding_call(Decoding *self, Tensor *x, Tensor *memory) {
    return t_add(nn_super_forward(self, x, memory), 1);
}
static Tensor *tutorial_call(Tutorial *self, Tensor *x) { return t_add(nn_super_forward(self, x), 1); }
static Tensor *memory_call(Memory *self, Tensor *x) {
    Tensor *h;
    nn_LSTM_call(&self->super, x, .h_n = &h);
    return t_at(h, "-1");
}
static Tensor *loss_call(Loss *self, Tensor *x, Tensor *y) { return t_mul(nn_super_forward(self, x, y), self->weight); }

START_TEST(layers_of_all_kinds_have_subclasses) {
    Tensor *image = t_randn(2, 1, 5, 5), *x = t_randn(3, 2, 4);
    Conv *conv = nn_subclass(Conv, conv_call, nn_Conv2d(1, 2, 3));
    HOLDS(t_equal(nn_call(conv, image), t_relu(F_conv2d(image, conv->super.weight, .bias = conv->super.bias))));
    HOLDS(prints(conv, "Conv(1, 2, kernel_size=(3, 3), stride=(1, 1))"));
    Embed *embed = nn_subclass(Embed, embed_call, nn_Embedding(7, 4, .padding_idx = 0));
    embed->scale = 3;
    HOLDS(t_equal(nn_call(embed, t_tensor("[1, 2]")), t_mul(t_at(embed->super.weight, "1:3"), 3)));
    HOLDS(prints(embed, "Embed(7, 4, padding_idx=0)"));
    Norm *norm = nn_subclass(Norm, norm_call, nn_LayerNorm(4, .eps = 1e-3));
    HOLDS(t_equal(nn_call(norm, x), t_neg(F_layer_norm(x, (4), norm->super.weight, norm->super.bias, 1e-3))));
    Net *net = nn_subclass(Net, net_call, nn_Sequential(nn_Linear(4, 3), nn_Tanh()));
    HOLDS(nn_append(net, nn_Linear(3, 1)) && nn_set_item(net, 1, nn_ReLU()) && nn_len(net) == 3);
    HOLDS(has_shape(nn_call(net, x), "[3, 2, 1]") && net->calls == 1 &&
          has_keys(net, "0.weight 0.bias 2.weight 2.bias"));
    HOLDS(prints(net, "Net(\n  (0): Linear(in_features=4, out_features=3, bias=True)\n  (1): ReLU()\n"
                      "  (2): Linear(in_features=3, out_features=1, bias=True)\n)"));
    Stack *stack = nn_subclass(Stack, NULL, nn_ModuleList(nn_ReLU(), nn_ReLU()));
    HOLDS(prints(stack, "Stack(\n  (0-1): 2 x ReLU()\n)"));
    int modules = 0;
    for_module (module, &stack->super) modules += nn_as(module, nn_ReLU) != NULL;
    HOLDS(modules == 2);
    Memory *memory = nn_subclass(Memory, memory_call, nn_LSTM(4, 5, .num_layers = 2));
    HOLDS(has_shape(nn_call(memory, x), "[2, 5]") && prints(memory, "Memory(4, 5, num_layers=2)"));
    Loss *loss = nn_subclass2(Loss, loss_call, nn_MSELoss());
    loss->weight = 0.5;
    HOLDS(t_item(nn_call(loss, t_ones(3), t_zeros(3))) == 0.5);
    Attention *attention = nn_subclass(Attention, NULL, nn_MultiheadAttention(4, 2));
    HOLDS(has_shape(nn_MultiheadAttention_call(&attention->super, x, x, x), "[3, 2, 4]"));
    report_notes();
}
END_TEST

START_TEST(stacks_run_the_forward_of_a_subclass) {
    Tensor *x = t_randn(3, 2, 4), *memory = t_randn(3, 2, 4), *pad = t_bool(t_zeros(2, 3));
    Encoding *layer = nn_subclass(Encoding, encoding_call, nn_TransformerEncoderLayer(4, 2, 8, .dropout = 0));
    nn_set(layer, adapter, nn_Linear(4, 4));
    nn_TransformerEncoder *encoder = nn_TransformerEncoder(&layer->super, 2);
    Tensor *y = nn_call(nn_get(encoder->layers, 1), nn_call(nn_get(encoder->layers, 0), x));
    HOLDS(t_equal(nn_call(encoder, x), y) && nn_as(nn_get(encoder->layers, 1), Encoding));
    HOLDS(t_equal(y, encoding_call(layer, encoding_call(layer, x))));
    expect_refusal(!nn_TransformerEncoder_call(encoder, x, .src_key_padding_mask = pad),
                   "the forward of Encoding takes no masks and returns no attention weights");
    Encoding *heir = nn_subclass(Encoding, NULL, nn_TransformerEncoderLayer(4, 2, 8, .dropout = 0));
    HOLDS(nn_TransformerEncoder_call(nn_TransformerEncoder(&heir->super, 2), x, .src_key_padding_mask = pad));
    Decoding *decoding = nn_subclass2(Decoding, decoding_call, nn_TransformerDecoderLayer(4, 2, 8, .dropout = 0));
    HOLDS(t_equal(nn_call(nn_TransformerDecoder(&decoding->super, 1), x, memory), nn_call(decoding, x, memory)));
    Tutorial *tutorial = nn_subclass(Tutorial, tutorial_call, nn_EncoderLayer(4, 2, 8, .dropout = 0));
    nn_Encoder *stack = nn_Encoder(1, 4, 2, 8, 10, .dropout = 0);
    Tensor *ids = t_tensor("[[1, 2, 3]]"), *before = nn_call(stack, ids);
    nn_load_state_dict(tutorial, nn_state_dict(nn_get(stack->layers, 0)));
    nn_set_item(stack->layers, 0, tutorial);
    HOLDS(t_equal(nn_call(stack, ids), t_add(before, 1)));
    expect_refusal(!nn_Encoder_call(stack, ids, t_ones(1, 3), NULL),
                   "the forward of Tutorial takes no masks and returns no attention weights");
}
END_TEST

START_TEST(subclasses_refuse_what_does_not_fit) {
    nn_Linear *held = nn_Linear(3, 4), *plain = nn_Linear(3, 4);
    nn_Sequential *model = nn_Sequential(held);
    Tensor *x = t_ones(2, 3);
    expect_refusal(!nn_subclass(Scaled, scaled_call, held),
                   "a subclass begins with a module that was just made for it; something else "
                                                            "holds this Linear");
    HOLDS(has_shape(nn_call(model, x), "[2, 4]"));
    expect_refusal(!nn_subclass(Scaled, scaled_call, nn_Linear(-1, 4)),
                   "Trying to create tensor with negative dimension -1: [4, -1]");
    char text[128];
    snprintf(text, sizeof text,
             "the struct of a subclass begins with its parent class's, which has %zu bytes, not %zu", sizeof(nn_Linear),
             sizeof(nn_Module));
    expect_refusal(!nn_subclass_new(sizeof(nn_Module), "Small", NULL, NULL, plain), text);
    Scaled *like = (Scaled *)plain;
    expect_refusal(!nn_super_forward(like, x), "Linear is not a subclass: nn_subclass creates one");
    Stack *stack = nn_subclass(Stack, NULL, nn_ModuleList());
    expect_refusal(!nn_super_forward(stack, x),
                   "ModuleList has no forward with this number of tensors: call its own function with &self->super");
    expect_refusal(!nn_super_forward(scaled(3, 4, 1), x, x),
                   "Linear has no forward with this number of tensors: call its own function with &self->super");
    expect_refusal(!nn_GRU_call((nn_GRU *)nn_subclass(Memory, memory_call, nn_LSTM(3, 4)), x),
                   "nn_GRU_call takes a nn_GRU, not a Memory");
    HOLDS(has_shape(nn_call(plain, x), "[2, 4]"));
}
END_TEST

static bool make(void *unused) {
    (void)unused;
    return nn_deepcopy(shifted(3, 4)) != NULL;
}

START_TEST(subclasses_leak_nothing) {
    const int64_t live = t_live_count();
    with_scope() {
        Shifted *copy = nn_deepcopy(shifted(3, 4));
        HOLDS(nn_call(copy, t_ones(1, 3)));
    }
    ck_assert_int_eq(t_live_count(), live);
    refuse_all("nn_subclass", make, NULL, NULL);
    report_notes();
}
END_TEST

Suite *subclass_suite(void);
Suite *subclass_suite(void) {
    Suite *suite = suite_create("subclass");
    TCase *tests = tcase_create("subclass");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, a_subclass_has_what_its_parent_has);
    tcase_add_test(tests, a_subclass_of_a_subclass);
    tcase_add_test(tests, a_subclass_is_a_part_like_others);
    tcase_add_test(tests, layers_of_all_kinds_have_subclasses);
    tcase_add_test(tests, stacks_run_the_forward_of_a_subclass);
    tcase_add_test(tests, subclasses_refuse_what_does_not_fit);
    tcase_add_test(tests, subclasses_leak_nothing);
    suite_add_tcase(suite, tests);
    return suite;
}
