/* tests/nn/module/test_module_errors.c: the errors of modules and their messages (PyTorch's where it has the same
 * error); a failed call leaks nothing. */
#include <string.h>

#include "core/tensor/context.h"
#include "tests/support/models/notebook_model.h"
#include "tests/support/refusals.h"

void add_module_error_tests(Suite *suite);

/* The frame of a macro around a plain function: only macros call the error handler. */
#define REPORTED(call) T_BEGIN_(#call) T_END_(bool, (call) != 0)

/* ---- arguments other than modules ---- */

START_TEST(refuses_what_is_no_module) {
    Tensor *x = t_ones(2, 3);
    t_TensorList *list = t_list(x);
    REFUSES(nn_call(NULL, x), "argument 1 is NULL where a module is expected");
    REFUSES(nn_call(x, x), "argument 1 is not a module");
    REFUSES(nn_call(list, x), "argument 1 is not a module");
    expect_refusal(!(nn_call)(nn_ReLU(), NULL), "argument 2 is NULL where a tensor is expected");
    #define NO_FORWARD "has no forward that nn_call can run: iterate over a list with for_module, call a class with " \
                       "several " \
                   "inputs by its own function"
    REFUSES(nn_call(nn_ModuleList(), x), "Module [ModuleList] " NO_FORWARD);
    REFUSES(nn_call(nn_MultiHeadAttention(4, 2), x),
            "Module [MultiHeadAttention] " NO_FORWARD);
    REFUSES(nn_call(nn_ReLU(), x, x), "ReLU takes another number of inputs: nn_call(m, x)");
    REFUSES(nn_call(nn_MSELoss(), x), "MSELoss takes another number of inputs: nn_call(m, a, b)");
    expect_refusal(!(nn_call2)(nn_MSELoss(), x, NULL), "argument 3 is NULL where a tensor is expected");
}
END_TEST

/* Other modules of its size are alive or freed by then, so that its memory is not the only block of its size. */
START_TEST(refuses_a_dead_module) {
#define DIED(which)                                                                                   \
    "argument " #which " is a module that died with its scope; a module lives as long as its parent " \
    "(nn_set makes it one's child) or the scope that made it"
    nn_Linear *first, *second, *third;
    Tensor *x = t_ones(2, 3);
    with_scope() {
        first = nn_Linear(3, 3);
        second = nn_Linear(3, 3);
        third = nn_Linear(3, 3);
    }
    REFUSES(nn_call(first, x), DIED(1));
    REFUSES(nn_call(second, x), DIED(1));
    REFUSES(nn_call(third, x), DIED(1));
    nn_Linear *fresh = nn_Linear(3, 3);
    ck_assert_ptr_nonnull(nn_call(fresh, x));
    REFUSES(nn_call(first, x), DIED(1));
    REFUSES(nn_call(second, x), DIED(1));
    REFUSES(nn_call(third, x), DIED(1));
    REFUSES(nn_append(nn_ModuleList(), first), DIED(2));
}
END_TEST

/* ---- constructors ---- */

START_TEST(refuses_wrong_sizes_and_names) {
    REFUSES(nn_MultiHeadAttention(10, 3), "d_model must be divisible by num_heads, but got d_model=10 and num_heads=3");
    REFUSES(nn_MultiHeadAttention(8, 0), "d_model must be divisible by num_heads, but got d_model=8 and num_heads=0");
    REFUSES(nn_EncoderLayer(8, 3, 16), "d_model must be divisible by num_heads, but got d_model=8 and num_heads=3");
    REFUSES(nn_Encoder(2, 8, 3, 16, 10), "d_model must be divisible by num_heads, but got d_model=8 and num_heads=3");
    REFUSES(nn_PositionalEncoding(5), "PositionalEncoding: d_model must be a positive even number, but got 5");
    REFUSES(nn_PositionalEncoding(0), "PositionalEncoding: d_model must be a positive even number, but got 0");
    REFUSES(nn_PositionalEncoding(4, .max_len = -1), "Trying to create tensor with negative dimension -1: [-1, 4]");
    REFUSES(nn_Encoder(1, 5, 1, 16, 10), "PositionalEncoding: d_model must be a positive even number, but got 5");
    REFUSES(nn_DecoderLayer(8, 3, 16), "d_model must be divisible by num_heads, but got d_model=8 and num_heads=3");
    REFUSES(nn_Decoder(1, 5, 1, 16, 10), "PositionalEncoding: d_model must be a positive even number, but got 5");
    REFUSES(nn_EncoderDecoder(1, 5, 1, 16, 10, 9),
            "PositionalEncoding: d_model must be a positive even number, but got 5");
    REFUSES(nn_PositionalEncoding(4, .sinusoid = (nn_Sinusoid)3),
            "PositionalEncoding: sinusoid must be nn_sinusoid_exp, nn_sinusoid_pow or nn_sinusoid_div, but is 3");
    REFUSES(nn_EncoderDecoder(1, 4, 2, 6, 10, 9, .polarity = (nn_MaskPolarity)2),
            "MultiHeadAttention: polarity must be nn_zero_hides or nn_one_hides, but is 2");
    REFUSES(nn_Decoder(1, 4, 2, 6, 10, .padding_idx = 10), "Padding_idx must be within num_embeddings");
    REFUSES(nn_DecoderLayer(8, 2, 16, .dropout = 2), "dropout probability has to be between 0 and 1, but got 2");
    REFUSES(nn_Linear(-1, 3), "Trying to create tensor with negative dimension -1: [3, -1]");
    REFUSES(nn_Embedding(4, 3, .padding_idx = 4), "Padding_idx must be within num_embeddings");
    REFUSES(nn_Dropout(1.5), "dropout probability has to be between 0 and 1, but got 1.5");
    REFUSES(nn_EncoderLayer(8, 2, 16, .dropout = -0.1), "dropout probability has to be between 0 and 1, but got -0.1");
    REFUSES(nn_GELU("fast"), "approximate argument must be either none or tanh, not 'fast'");
    REFUSES(nn_FeedForward(8, 16, .activation = "tanh"), "activation should be relu/gelu, not tanh");
    REFUSES(nn_MSELoss("average"), "average is not a valid value for reduction");
    REFUSES(nn_CrossEntropyLoss(.reduction = "average"), "average is not a valid value for reduction");
    REFUSES(REPORTED(nn_get(nn_ModuleList(nn_ReLU()), 1)), "index 1 is out of range");
    REFUSES(REPORTED(nn_get(nn_ModuleList(nn_ReLU()), -2)), "index -2 is out of range");
}
END_TEST

START_TEST(refuses_what_cannot_be_registered) {
    nn_Linear *self = nn_Linear(3, 3);
    Tensor *w = self->weight;
    REFUSES(REPORTED(nn_register_module(&self->base, "a.b", self)),
            "parameter or module name can't contain \".\", got: a.b");
    REFUSES(REPORTED(nn_register_module(&self->base, "blocks[i]", self)),
            "parameter or module name can't contain \"[\", got: blocks[i]; the elements of an array need a name each: "
            "nn_ModuleList, or nn_register_module(self, name, child)");
    REFUSES(REPORTED(nn_register_module(&self->base, "", self)), "parameter or module name can't be empty string \"\"");
    REFUSES(REPORTED((nn_register_buffer)(&self->base, NULL, w)),
            "parameter or module name can't be empty string \"\"");
    REFUSES(REPORTED(nn_register_parameter(&self->base, "w", t_mul(w, 2))),
            "Cannot assign non-leaf Tensor to parameter 'w'. Model parameters must be created explicitly: "
            "nn_Parameter(x) makes one");
    REFUSES(REPORTED(nn_register_parameter(&self->base, "w", t_ones(3))),
            "cannot assign 'torch.FloatTensor' object to parameter 'w' (nn_Parameter(x) required; nn_register_buffer "
            "or nn_keep holds a tensor that is no parameter)");
    REFUSES(nn_Parameter(t_tensor("[1, 2]")), "only Tensors of floating point dtype can require gradients");
    Tensor *fixed = nn_Parameter(t_tensor("[1, 2]"), .requires_grad = false); /* which PyTorch allows */
    ck_assert(fixed && !t_requires_grad(fixed) && nn_register_parameter(&self->base, "fixed", fixed));
    REFUSES(REPORTED(nn_to(self, t_int64)),
            "nn.Module.to only accepts floating point dtypes, but got desired dtype=int64");
    ck_assert_int_eq(nn_named_parameters(self)->len, 3);
    nn_requires_grad_(self, false);
    nn_Linear *tied = nn_Linear(3, 3);
    ck_assert(nn_set(tied, weight, self->weight)); /* a frozen one is still a parameter */
}
END_TEST

/* ---- calls ---- */

START_TEST(refuses_inputs_that_do_not_fit) {
    nn_Encoder *encoder = nn_Encoder(1, 4, 2, 6, 11, .max_len = 5);
    Tensor *long_ids = t_zeros(2, 6, .dtype = t_int64), *flat = t_zeros(3, .dtype = t_int64);
    REFUSES(nn_call(nn_Linear(5, 4), t_ones(2, 3)), "addmm: mat1 and mat2 shapes cannot be multiplied (2x3 and 5x4)");
    REFUSES(nn_call(nn_LayerNorm(5), t_ones(2, 3)),
            "Given normalized_shape=[5], expected input with shape [*, 5], but got input of size[2, 3]");
    REFUSES(nn_call(encoder, long_ids), "PositionalEncoding: a sequence of 6 positions is longer than max_len = 5");
    REFUSES(nn_call(encoder, flat), "PositionalEncoding: the input must be (batch, length, 4), but has shape [3, 4]");
    REFUSES(nn_call(encoder, t_tensor("[[1, 11]]")),
            "index out of range in self. Hint: the id is 11, the weight has 11 rows");
    REFUSES(nn_call(encoder, t_tensor("[[-1, 0]]")),
            "index out of range in self. Hint: the id is -1, the weight has 11 rows");
    REFUSES(nn_call(encoder, t_zeros(2, 3)),
            "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but got "
            "torch.FloatTensor instead (while checking arguments for embedding)");
    REFUSES(nn_call(nn_CrossEntropyLoss(), t_ones(2, 3), t_tensor("[0, 3]")), "Target 3 is out of bounds.");
    ck_assert_ptr_nonnull(nn_call(encoder, t_zeros(2, 5, .dtype = t_int64)));
}
END_TEST

#define MASK_REFUSED(shape)                                                                                \
    "MultiHeadAttention: the mask must be (Sq, Sk), (B, Sq, Sk) or (B, H, Sq, Sk) with B, H, Sq, Sk = "    \
    "[2, 4, 3, 5] or 1, but has shape " shape ". A padding mask (B, Sk) becomes (B, 1, Sk) by t_unsqueeze(mask, 1)"

START_TEST(refuses_masks_and_names_both_shapes) {
    nn_MultiHeadAttention *mha = nn_MultiHeadAttention(8, 4);
    nn_Encoder *encoder = nn_Encoder(1, 4, 2, 6, 11);
    Tensor *q = t_ones(2, 3, 8), *k = t_ones(2, 5, 8), *ids = t_zeros(2, 3, .dtype = t_int64);
    REFUSES(nn_MultiHeadAttention_call(mha, q, k, k, t_ones(2, 5), NULL), MASK_REFUSED("[2, 5]"));
    REFUSES(nn_MultiHeadAttention_call(mha, q, k, k, t_ones(5), NULL), MASK_REFUSED("[5]"));
    REFUSES(nn_MultiHeadAttention_call(mha, q, k, k, t_ones(3, 3), NULL), MASK_REFUSED("[3, 3]"));
    REFUSES(nn_MultiHeadAttention_call(mha, q, k, k, t_ones(4, 3, 5), NULL), MASK_REFUSED("[4, 3, 5]"));
    REFUSES(nn_MultiHeadAttention_call(mha, q, k, k, t_ones(2, 2, 3, 5), NULL), MASK_REFUSED("[2, 2, 3, 5]"));
    REFUSES(nn_MultiHeadAttention_call(mha, q, k, k, t_ones(1, 2, 4, 3, 5), NULL), MASK_REFUSED("[1, 2, 4, 3, 5]"));
    REFUSES(nn_MultiHeadAttention_call(mha, q, k, q, NULL, NULL),
            "MultiHeadAttention: query [2, 3, 8], key [2, 5, 8] and value [2, 3, 8] must agree in batch, key and value "
            "in length");
    REFUSES(nn_MultiHeadAttention_call(mha, t_ones(2, 3, 4), k, k, NULL, NULL),
            "MultiHeadAttention: query must be (batch, length, 8), but has shape [2, 3, 4]");
    REFUSES(nn_Encoder_call(encoder, ids, t_ones(2, 2), NULL),
            "Encoder: a padding mask must have the shape of the token ids, [2, 3], but has shape [2, 2]");
    ck_assert_ptr_nonnull(nn_MultiHeadAttention_call(mha, q, k, k, t_ones(2, 1, 5), NULL));
    ck_assert_ptr_nonnull(nn_Encoder_call(encoder, ids, t_ones(2, 3), NULL));
}
END_TEST

/* In plain options a string that was not set means the default, as everywhere else. */
START_TEST(a_missing_string_is_the_default) {
    nn_FeedForwardOptions feed_forward = {.size = sizeof feed_forward};
    nn_EncoderLayerOptions layer = {.size = sizeof layer};
    nn_DecoderOptions decoder = {.size = sizeof decoder, .max_len = 3};
    nn_CrossEntropyLossOptions loss = {.size = sizeof loss, .ignore_index = -100};
    ck_assert_str_eq(nn_FeedForward_new(4, 6, &feed_forward)->activation->type, "ReLU");
    ck_assert_str_eq(nn_EncoderLayer_new(4, 2, 6, &layer)->feed_forward->activation->type, "ReLU");
    nn_DecoderLayer *first = nn_get(nn_Decoder_new(1, 4, 2, 6, 5, &decoder)->layers, 0);
    ck_assert_str_eq(first->feed_forward->activation->type, "ReLU");
    ck_assert_str_eq(nn_CrossEntropyLoss_new(&loss)->reduction, "mean");
}
END_TEST

/* ---- out of memory ---- */

static bool makes_encoder(void *unused) {
    return !unused && nn_Encoder(2, 4, 2, 6, 11, .max_len = 9, .norm_first = true);
}

static bool makes_encoder_decoder(void *unused) {
    return !unused && nn_EncoderDecoder(1, 4, 2, 6, 11, 7, .norm_first = true, .src_padding_idx = 0);
}

static bool makes_classifier(void *unused) {
    return !unused && encoder_classifier((ClassifierOptions){1, 4, 2, 6, 11, 9, 0.1}) &&
           !t_error(); /* a user's class, whose constructor does not check for errors */
}

static bool makes_double(void *model) {
    return nn_to(model, t_float64) != NULL;
}

static bool is_float(void *model) {
    bool all = true;
    for_named (p, nn_named_parameters(model)) all = all && t_dtype(p->tensor) == t_float32;
    return all;
}

START_TEST(constructors_fail_cleanly_without_memory) {
    refuse_all("an encoder", makes_encoder, NULL, NULL);
    refuse_all("an encoder and a decoder", makes_encoder_decoder, NULL, NULL);
    refuse_all("a classifier", makes_classifier, NULL, NULL);
    report_notes();
}
END_TEST

START_TEST(nn_to_changes_all_or_nothing) {
    refuse_all("nn_to", makes_double, is_float, nn_Sequential(nn_Linear(3, 4), nn_ReLU(), nn_Linear(4, 2)));
    report_notes();
}
END_TEST

typedef struct Encoder { /* the user's class, with a name of the library */
    nn_Module base;
} Encoder;

#define TAKES(Type, got, ...) \
    expect_refusal((__VA_ARGS__) == NULL, #Type "_call takes a " #Type ", not a " got)
START_TEST(calls_refuse_modules_of_other_classes) {
    void *m = nn_Identity();
    Tensor *x = t_randn(2, 3, 8), *ids = t_zeros(2, 3, .dtype = t_int64);
    TAKES(nn_MSELoss, "Identity", (nn_MSELoss_call)(m, x, x));
    TAKES(nn_CrossEntropyLoss, "Identity", (nn_CrossEntropyLoss_call)(m, x, x));
    TAKES(nn_CosineEmbeddingLoss, "Identity", (nn_CosineEmbeddingLoss_call)(m, x, x, x));
    TAKES(nn_MarginRankingLoss, "Identity", (nn_MarginRankingLoss_call)(m, x, x, x));
    TAKES(nn_TripletMarginLoss, "Identity", (nn_TripletMarginLoss_call)(m, x, x, x));
    TAKES(nn_TripletMarginWithDistanceLoss, "Identity", (nn_TripletMarginWithDistanceLoss_call)(m, x, x, x));
    TAKES(nn_MaxPool1d, "Identity", (nn_MaxPool1d_call)(m, x, NULL));
    TAKES(nn_MaxPool2d, "Identity", (nn_MaxPool2d_call)(m, x, NULL));
    TAKES(nn_GaussianNLLLoss, "Identity", (nn_GaussianNLLLoss_call)(m, x, x, x));
    TAKES(nn_MultiHeadAttention, "Identity", (nn_MultiHeadAttention_call)(m, x, x, x, NULL, NULL));
    TAKES(nn_EncoderLayer, "Identity", (nn_EncoderLayer_call)(m, x, NULL, NULL));
    TAKES(nn_DecoderLayer, "Identity", (nn_DecoderLayer_call)(m, x, x, NULL, NULL, NULL, NULL));
    TAKES(nn_Encoder, "Identity", (nn_Encoder_call)(m, ids, NULL, NULL));
    TAKES(nn_Decoder, "Identity", (nn_Decoder_call)(m, ids, x, NULL, NULL, NULL));
    TAKES(nn_EncoderDecoder, "Identity", (nn_EncoderDecoder_call)(m, ids, ids, NULL, NULL, NULL));
    TAKES(nn_MultiheadAttention, "Identity", (nn_MultiheadAttention_call)(m, x, x, x, NULL));
    TAKES(nn_TransformerEncoderLayer, "Identity", (nn_TransformerEncoderLayer_call)(m, x, NULL));
    TAKES(nn_TransformerDecoderLayer, "Identity", (nn_TransformerDecoderLayer_call)(m, x, x, NULL));
    TAKES(nn_TransformerEncoder, "Identity", (nn_TransformerEncoder_call)(m, x, NULL));
    TAKES(nn_TransformerDecoder, "Identity", (nn_TransformerDecoder_call)(m, x, x, NULL));
    TAKES(nn_Transformer, "Identity", (nn_Transformer_call)(m, x, x, NULL));
    expect_refusal((nn_EncoderDecoder_encode)(m, ids, NULL, NULL) == NULL,
                   "nn_EncoderDecoder_encode takes a nn_EncoderDecoder, not a Identity");
    expect_refusal((nn_EncoderDecoder_decode)(m, ids, x, NULL, NULL, NULL) == NULL,
                   "nn_EncoderDecoder_decode takes a nn_EncoderDecoder, not a Identity");
    void *own = nn_module(Encoder, NULL);
    TAKES(nn_Encoder, "Encoder", (nn_Encoder_call)(own, ids, NULL, NULL));
}
END_TEST

void add_module_error_tests(Suite *suite) {
    TCase *tests = tcase_create("errors");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, refuses_what_is_no_module);
    tcase_add_test(tests, refuses_a_dead_module);
    tcase_add_test(tests, refuses_wrong_sizes_and_names);
    tcase_add_test(tests, refuses_what_cannot_be_registered);
    tcase_add_test(tests, refuses_inputs_that_do_not_fit);
    tcase_add_test(tests, refuses_masks_and_names_both_shapes);
    tcase_add_test(tests, a_missing_string_is_the_default);
    tcase_add_test(tests, constructors_fail_cleanly_without_memory);
    tcase_add_test(tests, nn_to_changes_all_or_nothing);
    tcase_add_test(tests, calls_refuse_modules_of_other_classes);
    suite_add_tcase(suite, tests);
}
