/* tests/nn/module/test_module.c: the module tree: names and their order, modes, dtypes, printing, calls and lifetimes.
 * Names and printed texts are PyTorch's. */
#include <stdlib.h>
#include <string.h>

#include "core/tensor/tensor.h"
#include "tests/support/models/notebook_model.h"

void add_module_lifetime_tests(Suite *suite);
void add_module_error_tests(Suite *suite);

/* ---- a user's class ---- */

typedef struct Net {
    nn_Module base;
    nn_Linear *fc1, *fc2;
    Tensor *scale, *offset;
} Net;

static Tensor *net_call(Net *self, Tensor *x) {
    x = F_relu(nn_call(self->fc1, x));
    return t_add(t_mul(nn_call(self->fc2, x), self->scale), self->offset);
}

/* The parameter comes after the modules, and is listed before theirs. */
static Net *net(void) {
    Net *self = nn_module(Net, net_call);
    nn_set(self, fc1, nn_Linear(3, 4));
    nn_set(self, fc2, nn_Linear(4, 2, .bias = false));
    nn_set(self, scale, nn_Parameter(t_ones(2)));
    nn_register_buffer(self, offset, t_zeros(2));
    return self;
}

/* The names, joined by blanks; "-" is the empty name. */
static const char *joined(nn_NamedList *list) {
    static char text[4000];
    text[0] = '\0';
    for_named (item, list) {
        if (text[0]) strcat(text, " ");
        strcat(text, item->name[0] ? item->name : "-");
    }
    return text;
}

/* ---- names ---- */

START_TEST(names_come_in_pytorchs_order) {
    Net *model = net();
    ck_assert_str_eq(joined(nn_named_parameters(model)), "scale fc1.weight fc1.bias fc2.weight");
    ck_assert_str_eq(joined(nn_named_buffers(model)), "offset");
    ck_assert_str_eq(joined(nn_named_children(model)), "fc1 fc2");
    ck_assert_str_eq(joined(nn_named_modules(model)), "- fc1 fc2");
    t_TensorList *parameters = nn_parameters(model);
    ck_assert_int_eq(parameters->len, 4);
    ck_assert_ptr_eq(t_list_get(parameters, 0), model->scale);
    ck_assert_ptr_eq(t_list_get(parameters, -1), model->fc2->weight);
    ck_assert_ptr_eq(t_list_get(nn_buffers(model), 0), model->offset);
    HOLDS(t_requires_grad(model->scale) && !t_requires_grad(model->offset));
}
END_TEST

static bool has_keys(const void *module, const char *keys) {
    char text[256] = "";
    for_items (item, nn_state_dict(module)) strcat(strcat(text, *text ? " " : ""), item->name);
    return strcmp(text, keys) == 0;
}

START_TEST(items_of_containers_are_set) {
    nn_Linear *first = nn_Linear(2, 2, .bias = false), *last = nn_Linear(2, 2, .bias = false);
    nn_Sequential *model = nn_Sequential(first, nn_Tanh(), last);
    const int64_t live = t_live_count();
    with_scope() HOLDS(nn_set_item(model, 0, nn_Linear(2, 2, .bias = false)) &&
                       nn_set_item(model, 0, nn_Linear(2, 2, .bias = false)));
    ck_assert_int_eq(t_live_count(), live + 1); /* the first, which this scope has, and one new weight */
    HOLDS(nn_set_item(model, -2, nn_ReLU()) && nn_as(nn_get(model, 1), nn_ReLU) && nn_len(model) == 3);
    HOLDS(has_keys(model, "0.weight 2.weight"));
    Tensor *x = t_randn(1, 2), *y = nn_call(last, t_relu(nn_call(nn_get(model, 0), x)));
    HOLDS(t_equal(nn_call(model, x), y));
    nn_ModuleList *list = nn_ModuleList(first, last);
    HOLDS(nn_set_item(list, 1, first) && nn_get(list, 1) == (void *)first && has_keys(list, "0.weight 1.weight"));
    expect_refusal(!nn_set_item(model, 5, nn_ReLU()), "index 5 is out of range");
    expect_refusal(!nn_set_item(list, -3, nn_ReLU()), "index -3 is out of range");
    expect_refusal(!nn_set_item(first, 0, last), "'Linear' object does not support item assignment");
    expect_refusal(!nn_set_item(model, 0, model),
                   "a module cannot be its own child: Sequential would contain itself as '0'");
    expect_refusal(!nn_set_item(model, 0, NULL), "argument 3 is NULL where a module is expected");
    expect_refusal(!nn_set_item(model, 0, t_ones(2)), "argument 3 is not a module");
}
END_TEST

START_TEST(containers_are_sliced) {
    nn_Sequential *model = nn_Sequential(nn_Linear(2, 3), nn_ReLU(), nn_Linear(3, 4), nn_Tanh());
    Tensor *x = t_randn(5, 2);
    nn_Sequential *front = nn_slice(model, 0, 2), *back = nn_slice(model, 2);
    HOLDS(nn_len(front) == 2 && has_keys(front, "0.weight 0.bias") && nn_get(front, 0) == nn_get(model, 0));
    HOLDS(nn_len(back) == 2 && has_keys(back, "2.weight 2.bias"));
    HOLDS(t_equal(nn_call(back, nn_call(front, x)), nn_call(model, x)));
    HOLDS(nn_len(nn_slice(model, .end = -1)) == 3 && nn_len(nn_slice(model, -3, 99)) == 3 &&
          nn_len(nn_slice(model, 3, 1)) == 0);
    nn_Sequential *odd = nn_slice(model, 1, .step = 2), *reversed = nn_slice(model, .step = -1);
    HOLDS(nn_len(odd) == 2 && nn_as(nn_get(odd, 0), nn_ReLU) && nn_as(nn_get(odd, 1), nn_Tanh));
    HOLDS(nn_len(reversed) == 4 && nn_as(nn_get(reversed, 0), nn_Tanh) &&
          has_keys(reversed, "2.weight 2.bias 0.weight 0.bias"));
    HOLDS(nn_len(nn_slice(model, .step = INT64_MAX)) == 1 && nn_len(nn_slice(model, .step = INT64_MIN)) == 1);
    nn_ModuleList *list = nn_ModuleList(nn_Linear(2, 3), nn_Linear(3, 4), nn_Linear(4, 5)), *rest = nn_slice(list, 1);
    HOLDS(has_keys(rest, "0.weight 0.bias 1.weight 1.bias") && nn_get(rest, -1) == nn_get(list, 2));
    char *repr = nn_repr(back);
    ck_assert_str_eq(repr, "Sequential(\n  (2): Linear(in_features=3, out_features=4, bias=True)\n  (3): Tanh()\n)");
    free(repr);
    expect_refusal(!nn_slice(model, .step = 0), "slice step cannot be zero");
    expect_refusal(!nn_slice(nn_ReLU(), 0), "'ReLU' object does not support slices");
}
END_TEST

START_TEST(containers_grow_and_shrink) {
    nn_Sequential *model = nn_Sequential(nn_Linear(2, 2, .bias = false), nn_Tanh());
    HOLDS(nn_insert(model, 0, nn_ReLU()) && nn_insert(model, 3, nn_Linear(2, 2, .bias = false)) &&
          nn_insert(model, -1, nn_ELU()));
    HOLDS(nn_len(model) == 5 && has_keys(model, "1.weight 4.weight") && nn_as(nn_get(model, 3), nn_ELU));
    HOLDS(nn_extend(model, nn_ModuleList(nn_Linear(2, 2, .bias = false), nn_ReLU())) &&
          has_keys(model, "1.weight 4.weight 5.weight"));
    nn_Linear *popped;
    Tensor *x = t_ones(1, 2);
    popped = nn_pop(model, 1);
    HOLDS(has_keys(model, "3.weight 4.weight") && nn_call(popped, x) && nn_len(model) == 6);
    with_scope() HOLDS(nn_as(nn_pop(model, -1), nn_ReLU));
    for (int i = 0; i < 5; i++) HOLDS(nn_pop(model, 0));
    HOLDS(nn_len(model) == 0 && nn_append(model, popped) && has_keys(model, "0.weight"));
    HOLDS(t_equal(nn_call(model, x), nn_call(popped, x)));
    expect_refusal(!nn_pop(model, 1), "index 1 is out of range");
    expect_refusal(!nn_insert(model, 2, nn_ReLU()), "Index out of range: 2");
    expect_refusal(!nn_insert(model, 0, model),
                   "a module cannot be its own child: Sequential would contain itself as '0'");
    expect_refusal(!nn_pop(popped, 0), "'Linear' object does not support item deletion");
    HOLDS(nn_len(model) == 1 && nn_get(model, 0) == (void *)popped);
}
END_TEST

START_TEST(containers_number_their_children) {
    nn_ModuleList *list = nn_ModuleList(nn_Sequential(nn_ReLU(), nn_Linear(2, 2)), net());
    HOLDS(nn_append(list, nn_LayerNorm(2)));
    ck_assert_str_eq(joined(nn_named_parameters(list)),
                     "0.1.weight 0.1.bias 1.scale 1.fc1.weight 1.fc1.bias 1.fc2.weight 2.weight 2.bias");
    ck_assert_str_eq(joined(nn_named_modules(list)), "- 0 0.0 0.1 1 1.fc1 1.fc2 2");
    ck_assert_str_eq(joined(nn_named_children(list)), "0 1 2");
    ck_assert_int_eq(nn_len(list), 3);
    ck_assert_str_eq(((nn_Module *)nn_get(list, 1))->type, "Net");
    ck_assert_ptr_eq(nn_get(list, -1), nn_get(list, 2));
    const char *types[] = {"Sequential", "Net", "LayerNorm"};
    int at = 0;
    for_module (child, list) ck_assert_str_eq(((nn_Module *)child)->type, types[at++]);
    ck_assert_int_eq(at, 3);
}
END_TEST

START_TEST(encoder_has_the_tutorials_names) {
    nn_Encoder *encoder = nn_Encoder(1, 4, 2, 6, 11, .norm_first = true);
    ck_assert_str_eq(joined(nn_named_parameters(encoder)),
                     "embedding.weight layers.0.self_attention.W_q.weight layers.0.self_attention.W_q.bias "
                     "layers.0.self_attention.W_k.weight layers.0.self_attention.W_k.bias "
                     "layers.0.self_attention.W_v.weight layers.0.self_attention.W_v.bias "
                     "layers.0.self_attention.W_o.weight layers.0.self_attention.W_o.bias "
                     "layers.0.feed_forward.fc1.weight layers.0.feed_forward.fc1.bias layers.0.feed_forward.fc2.weight "
                     "layers.0.feed_forward.fc2.bias layers.0.norm1.weight layers.0.norm1.bias layers.0.norm2.weight "
                     "layers.0.norm2.bias final_norm.weight final_norm.bias");
    ck_assert_str_eq(joined(nn_named_buffers(encoder)), "positional_encoding.pe");
    ck_assert_str_eq(joined(nn_named_children(encoder)), "embedding positional_encoding layers final_norm");
}
END_TEST

START_TEST(decoder_has_the_tutorials_names) {
    nn_EncoderDecoder *model = nn_EncoderDecoder(1, 4, 2, 6, 11, 7);
    ck_assert_str_eq(joined(nn_named_children(model)), "encoder decoder generator");
    ck_assert_str_eq(joined(nn_named_children(model->decoder)), "embedding positional_encoding layers");
    ck_assert_str_eq(joined(nn_named_children(nn_get(model->decoder->layers, 0))),
                     "self_attention cross_attention feed_forward norm1 norm2 norm3 dropout1 dropout2 dropout3");
    ck_assert_str_eq(joined(nn_named_buffers(model)), "encoder.positional_encoding.pe decoder.positional_encoding.pe");
    nn_Named last = nn_named_parameters(model)->items[nn_named_parameters(model)->len - 1];
    ck_assert_str_eq(last.name, "generator.bias");
}
END_TEST

START_TEST(a_new_child_replaces_the_old_one) {
    Net *model = net();
    Tensor *old = model->fc1->weight;
    nn_set(model, fc1, nn_Linear(3, 4, .bias = false));
    ck_assert_str_eq(joined(nn_named_parameters(model)), "scale fc1.weight fc2.weight");
    ck_assert_ptr_ne(t_list_get(nn_parameters(model), 1), old);
    nn_set(model, scale, nn_Parameter(t_zeros(2)));
    ck_assert_ptr_eq(t_list_get(nn_parameters(model), 0), model->scale);
    HOLDS(t_is_true(t_eq(t_sum(nn_call(model, t_ones(1, 3))), 0)));
}
END_TEST

START_TEST(a_shared_module_is_listed_once) {
    nn_Linear *shared = nn_Linear(3, 3);
    nn_Sequential *model = nn_Sequential(shared, nn_ReLU(), shared, nn_Sequential(shared));
    ck_assert_str_eq(joined(nn_named_parameters(model)), "0.weight 0.bias");
    ck_assert_str_eq(joined(nn_named_modules(model)), "- 0 1 3");
    ck_assert_str_eq(joined(nn_named_children(model)), "0 1 3");
    ck_assert_int_eq(nn_len(model), 4);
    ck_assert_int_eq(nn_count_parameters(model, false), 12);
    Tensor *x = t_randn(2, 3), *y = nn_call(shared, x);
    HOLDS(t_equal(nn_call(model, x), nn_call(shared, nn_call(shared, F_relu(y)))));
}
END_TEST

/* The counts that the tutorials print. */
START_TEST(counts_parameters) {
    ck_assert_int_eq(nn_count_parameters(nn_MultiHeadAttention(128, 4), false), 66048);
    ck_assert_int_eq(nn_count_parameters(nn_FeedForward(128, 512), false), 131712);
    ck_assert_int_eq(nn_count_parameters(nn_EncoderLayer(128, 4, 512), false), 198272);
    ck_assert_int_eq(nn_count_parameters(nn_Encoder(3, 128, 4, 512, 1000, .norm_first = true), false), 723072);
    ck_assert_int_eq(nn_count_parameters(nn_EncoderLayer(512, 8, 2048), false), 3152384);
    ck_assert_int_eq(nn_count_parameters(nn_DecoderLayer(512, 8, 2048), false), 4204032);
    EncoderClassifier *model = encoder_classifier(notebook_options);
    ck_assert_int_eq(nn_count_parameters(model, false), 280002);
    ck_assert_int_eq(nn_count_parameters(model->encoder, false), 271616);
    HOLDS(nn_requires_grad_(model->encoder, false));
    ck_assert_int_eq(nn_count_parameters(model, true), 8386);
    ck_assert_int_eq(nn_count_parameters(model, false), 280002);
    ck_assert_int_eq(nn_count_parameters(nn_ReLU(), true), 0);
}
END_TEST

/* ---- modes, gradients, dtypes ---- */

START_TEST(modes_reach_every_module) {
    t_manual_seed(0);
    nn_Encoder *model = nn_Encoder(2, 4, 2, 6, 11, 9, 0.5);
    Tensor *ids = t_tensor("[[1, 2, 3], [4, 5, 6]]");
    ck_assert_ptr_eq(nn_eval(model), model);
    for_named (m, nn_named_modules(model)) ck_assert_msg(!m->module->training, "%s still trains", m->name);
    HOLDS(t_equal(nn_call(model, ids), nn_call(model, ids)));
    ck_assert_ptr_eq(nn_train(model, true), model);
    for_named (m, nn_named_modules(model)) ck_assert_msg(m->module->training, "%s does not train", m->name);
    HOLDS(!t_equal(nn_call(model, ids), nn_call(model, ids)));
}
END_TEST

/* The types in the order of the calls; a context that is full of them is an error. */
static void note_type(nn_Module *module, void *context) {
    char *types = context;
    if (!types) return;
    if (strlen(types) > 40) t_fail("too many modules");
    else strcat(strcat(types, module->type), " ");
}

START_TEST(functions_reach_every_module) {
    char types[60] = "";
    nn_Linear *shared = nn_Linear(2, 2);
    nn_Sequential *model = nn_Sequential(nn_Sequential(shared, nn_ReLU(), shared), nn_Tanh(), shared);
    ck_assert_ptr_eq(nn_apply(model, note_type, types),
                     model); /* what PyTorch 2.15 calls: twice on one level is once */
    ck_assert_str_eq(types, "Linear ReLU Sequential Tanh Linear Sequential ");
    ck_assert_ptr_eq(nn_apply(model, note_type), model);
    ck_assert_ptr_null(nn_apply(model, note_type, types));
    expect_error("too many modules");
    ck_assert_ptr_null(nn_apply(model, NULL));
    expect_error("argument 2 is NULL where a function is expected");
    for (int n = 1;; n++) {
        strcpy(types, "");
        tg_alloc_fail(n, false);
        const bool ok = (nn_apply)(model, note_type, types);
        tg_alloc_fail(0, false);
        if (ok) break;
        ck_assert(t_error() && n < 100);
        t_clear_error();
    }
}
END_TEST

START_TEST(gradients_are_cleared_and_frozen) {
    Net *model = net();
    t_backward(t_sum(nn_call(model, t_ones(2, 3))));
    for_named (p, nn_named_parameters(model)) ck_assert_msg(t_grad(p->tensor) != NULL, "%s has no grad", p->name);
    HOLDS(nn_zero_grad(model));
    for_named (p, nn_named_parameters(model)) ck_assert_msg(t_grad(p->tensor) == NULL, "%s has a grad", p->name);
    nn_requires_grad_(model->fc1, false);
    t_backward(t_sum(nn_call(model, t_ones(2, 3))));
    HOLDS(!t_grad(model->fc1->weight) && t_grad(model->fc2->weight));
    nn_requires_grad_(model, false);
    HOLDS(!t_requires_grad(nn_call(model, t_ones(2, 3))));
}
END_TEST

START_TEST(another_dtype_in_the_same_tensors) {
    Net *model = net();
    Tensor *weight = model->fc1->weight, *before = t_double(weight), *x = t_rand(2, 3, .dtype = t_float64);
    (nn_register_buffer)(&model->base, "steps", t_tensor("3"));
    t_backward(t_sum(nn_call(model, t_ones(2, 3))));
    ck_assert_ptr_eq(nn_to(model, t_float64), model);
    for_named (p, nn_named_parameters(model)) ck_assert_int_eq(t_dtype(p->tensor), t_float64);
    ck_assert_int_eq(t_dtype(model->offset), t_float64);
    ck_assert_int_eq(t_dtype(t_list_get(nn_buffers(model), -1)), t_int64);
    ck_assert_ptr_eq(model->fc1->weight, weight);
    HOLDS(t_equal(weight, before) && t_requires_grad(weight) && !t_grad(weight));
    Tensor *y = nn_call(model, x);
    ck_assert_int_eq(t_dtype(y), t_float64);
    t_backward(t_sum(y));
    ck_assert_int_eq(t_dtype(t_grad(weight)), t_float64);
    ck_assert_ptr_eq(nn_to(model, t_float32), model);
    HOLDS(t_equal(t_double(weight), before));
}
END_TEST

/* ---- printing ---- */

typedef struct Everything {
    nn_Module base;
    nn_Encoder *encoder;
    nn_ModuleList *layers, *norms, *nothing, *gaps;
    nn_ReLU *spare;
    nn_Sequential *head;
    nn_Embedding *tokens;
    nn_CrossEntropyLoss *criterion;
    nn_MSELoss *distance;
} Everything;

static Everything *everything(void) {
    Everything *self = nn_module(Everything, NULL);
    nn_set(self, encoder, nn_Encoder(4, 8, 2, 16, 10, 20));
    nn_set(self, layers, nn_ModuleList(nn_EncoderLayer(8, 2, 16), nn_EncoderLayer(8, 2, 16), nn_EncoderLayer(8, 4, 32),
                                       nn_EncoderLayer(8, 2, 16, 0.25, "gelu", true)));
    nn_set(self, head, nn_Sequential(nn_Linear(8, 4, .bias = false), nn_Tanh(), nn_Sigmoid(), nn_GELU("tanh"),
                                     nn_Identity(), nn_Identity(), nn_Softmax(-1), nn_Dropout(1e-7),
                                     nn_Dropout(0.123456789), nn_Dropout()));
    nn_set(self, norms, nn_ModuleList(nn_LayerNorm_new((int64_t[]){3, 5}, 2, NULL), nn_LayerNorm(5, .bias = false),
                                      nn_LayerNorm(5, .eps = 1e-12, .elementwise_affine = false),
                                      nn_LayerNorm(7, 0.25)));
    nn_set(self, tokens, nn_Embedding(10, 8, .padding_idx = -1));
    nn_set(self, nothing, nn_ModuleList());
    nn_set(self, spare, nn_ReLU());
    nn_set(self, spare, NULL);
    nn_set(self, gaps, nn_ModuleList());
    nn_register_module(&self->gaps->base, "0", NULL);
    nn_register_module(&self->gaps->base, "1", NULL);
    nn_append(self->gaps, nn_ReLU());
    nn_set(self, criterion, nn_CrossEntropyLoss(t_ones(2), .label_smoothing = 0.1));
    nn_set(self, distance, nn_MSELoss("sum"));
    return self;
}

/* Line by line, so that a difference is shown where it is. */
static void expect_repr(const char *key, void *module) {
    char *text = nn_repr(module), *line = text;
    const char *want = golden_case(golden_file("models_repr.txt"), key);
    HOLDS(text != NULL && want != NULL);
    for (int number = 1; line; number++) {
        size_t length = strcspn(line, "\n"), wanted = strcspn(want, "\n");
        if (length != wanted || strncmp(line, want, length) != 0)
            note("%s, line %d: %.*s, expected %.*s", key, number, (int)length, line, (int)wanted, want);
        line = line[length] ? line + length + 1 : NULL;
        want += wanted + (want[wanted] == '\n');
    }
    ck_assert_msg(!*want || strncmp(want, "= ", 2) == 0, "%s: lines are missing: %s", key, want);
    free(text);
}

START_TEST(prints_as_pytorch_does) {
    expect_repr("everything", everything());
    expect_repr("classifier", encoder_classifier(notebook_options));
    expect_repr("encoder_decoder", nn_EncoderDecoder(3, 8, 2, 16, 11, 7, .norm_first = true, .tgt_padding_idx = 0));
    expect_repr("empty", nn_Sequential());
    report_notes();
}
END_TEST

Suite *module_suite(void) {
    Suite *suite = suite_create("module");
    TCase *tests = tcase_create("tree");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, names_come_in_pytorchs_order);
    tcase_add_test(tests, items_of_containers_are_set);
    tcase_add_test(tests, containers_are_sliced);
    tcase_add_test(tests, containers_grow_and_shrink);
    tcase_add_test(tests, containers_number_their_children);
    tcase_add_test(tests, encoder_has_the_tutorials_names);
    tcase_add_test(tests, decoder_has_the_tutorials_names);
    tcase_add_test(tests, a_new_child_replaces_the_old_one);
    tcase_add_test(tests, a_shared_module_is_listed_once);
    tcase_add_test(tests, counts_parameters);
    tcase_add_test(tests, modes_reach_every_module);
    tcase_add_test(tests, functions_reach_every_module);
    tcase_add_test(tests, gradients_are_cleared_and_frozen);
    tcase_add_test(tests, another_dtype_in_the_same_tensors);
    tcase_add_test(tests, prints_as_pytorch_does);
    suite_add_tcase(suite, tests);
    add_module_lifetime_tests(suite);
    add_module_error_tests(suite);
    return suite;
}
