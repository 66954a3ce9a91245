/* tests/nn/module/test_deepcopy.c: nn_deepcopy: what a copy owns, what it shares, and what cannot be copied. */
#include "tests/support/models/model_support.h"

typedef struct Tied {
    nn_Module base;
    nn_Linear *first, *second;
    Tensor *scale, *pe, *last;
    int64_t number;
    nn_Module *other; /* not registered */
} Tied;

static Tensor *tied_call(Tied *self, Tensor *x) {
    return t_mul(nn_call(self->second, nn_call(self->first, x)), self->scale);
}

static Tied *tied(void) {
    Tied *self = nn_module(Tied, tied_call);
    nn_set(self, first, nn_Linear(4, 4));
    nn_set(self, second, self->first);
    nn_set(self, scale, nn_Parameter(t_ones(4)));
    nn_register_buffer(self, pe, t_ones(2), .persistent = false);
    self->number = 7;
    self->other = (nn_Module *)nn_Identity();
    return self;
}

/* An unregistered field of a child that points at a tensor of a later child. */
typedef struct Pointing {
    nn_Module base;
    Tensor *of_another;
} Pointing;

START_TEST(a_copy_points_at_its_own) {
    nn_Sequential *self = nn_Sequential(), *copy;
    Pointing *early = nn_module(Pointing, NULL);
    nn_Linear *late = nn_Linear(2, 2);
    early->of_another = late->weight;
    nn_append(self, early);
    nn_append(self, late);
    copy = nn_deepcopy(self);
    ck_assert_ptr_eq(((Pointing *)nn_get(copy, 0))->of_another, ((nn_Linear *)nn_get(copy, 1))->weight);
    ck_assert_ptr_ne(((nn_Linear *)nn_get(copy, 1))->weight, late->weight);
}
END_TEST

START_TEST(a_copy_has_tensors_of_its_own) {
    Tied *self = tied(), *copy;
    nn_train(self->second, false);
    t_backward(t_sum(nn_call(self, t_ones(4))));
    t_manual_seed(5);
    copy = nn_deepcopy(self);
    HOLDS(t_equal(t_rand(2), (t_manual_seed(5), t_rand(2)))); /* nothing was drawn */
    HOLDS(copy->first != self->first && copy->first == copy->second);
    HOLDS(copy->first->weight != self->first->weight && t_equal(copy->first->weight, self->first->weight));
    HOLDS(t_requires_grad(copy->scale) && !t_grad(copy->scale) && !copy->first->base.training && copy->base.training);
    HOLDS(copy->pe != self->pe && copy->number == 7 && copy->other == self->other);
    HOLDS(nn_parameters(copy)->len == 3 && nn_parameters(copy)->items[0] == copy->scale &&
          copy->base.first->value == (t_Object *)copy->first);
    ck_assert_int_eq(nn_state_dict(copy)->len, nn_state_dict(self)->len);
    HOLDS(t_equal(nn_call(copy, t_ones(4)), nn_call(self, t_ones(4))));
    with_no_grad() t_zero_(copy->scale);
    HOLDS(t_is_true(t_all(t_eq(self->scale, 1))));
    nn_keep(self, last, nn_call(self, t_ones(4)));
    REFUSES(nn_deepcopy(self),
            "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment.  "
            "If you were attempting to deepcopy a module, this may be because of a torch.nn.utils.weight_norm usage, "
            "see https://github.com/pytorch/pytorch/pull/103001");
}
END_TEST

/* PyTorch 2.15's TransformerDecoderLayer.__setstate__, which a deepcopy goes through, finds no activation where that is
 * a module; TransformerEncoderLayer's also searches the attributes that are not modules. */
START_TEST(a_copied_decoder_layer_computes_relu) {
    nn_TransformerDecoderLayer *layer = nn_TransformerDecoderLayer(4, 2, 8, 0.0, .activation_module = nn_Tanh()),
                               *copy = nn_deepcopy(layer);
    nn_TransformerEncoderLayer *encoder = nn_TransformerEncoderLayer(4, 2, 8, 0.0, .activation_module = nn_Tanh());
    Tensor *x = t_randn(2, 3, 4);
    HOLDS(t_equal(nn_call(nn_deepcopy(encoder), x), nn_call(encoder, x)));
    HOLDS(!t_equal(nn_call(copy, x, x), nn_call(layer, x, x)));
    layer->activation = NULL;
    HOLDS(t_equal(nn_call(copy, x, x), nn_call(layer, x, x)) &&
          nn_named_modules(copy)->len == nn_named_modules(layer)->len);
    layer = nn_TransformerDecoderLayer(4, 2, 8, 0.0, .activation = "gelu");
    HOLDS(t_equal(nn_call((nn_TransformerDecoderLayer *)nn_deepcopy(layer), x, x), nn_call(layer, x, x)));
}
END_TEST

Suite *deepcopy_suite(void);
Suite *deepcopy_suite(void) {
    Suite *suite = suite_create("deepcopy");
    TCase *tests = tcase_create("deepcopy");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, a_copy_points_at_its_own);
    tcase_add_test(tests, a_copied_decoder_layer_computes_relu);
    tcase_add_test(tests, a_copy_has_tensors_of_its_own);
    suite_add_tcase(suite, tests);
    return suite;
}
