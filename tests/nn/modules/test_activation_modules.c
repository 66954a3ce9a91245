/* tests/nn/modules/test_activation_modules.c: the activations and losses as modules (nn/modules/activations.h,
 * nn/modules/losses.h): the repr of each is PyTorch's, and its output is the function's; called through the macros with
 * keywords. */
#include <stdlib.h>
#include <string.h>

#include "nn/nn.h"
#include "tests/support/support.h"

/* ---- the rows: module, the same call as a function, PyTorch's constructor (its repr: modules_repr.txt) ---- */

#define ONE(X) \
    X(nn_ReLU(), F_relu(x), "nn.ReLU()") \
    X(nn_ReLU(true), t_relu(x), "nn.ReLU(True)") \
    X(nn_ReLU6(), F_relu6(x), "nn.ReLU6()") \
    X(nn_ReLU6(.inplace = true), F_hardtanh(x, 0, 6), "nn.ReLU6(inplace=True)") \
    X(nn_LeakyReLU(), F_leaky_relu(x), "nn.LeakyReLU()") \
    X(nn_LeakyReLU(0.2, true), F_leaky_relu(x, .negative_slope = 0.2), "nn.LeakyReLU(0.2, True)") \
    X(nn_PReLU(), F_prelu(x, t_full((1,), 0.25)), "nn.PReLU()") \
    X(nn_PReLU(4, .init = 0.5), t_prelu(x, t_full((4,), 0.5)), "nn.PReLU(4, init=0.5)") \
    X(nn_ELU(), F_elu(x), "nn.ELU()") \
    X(nn_ELU(0.5, .inplace = true), F_elu(x, 0.5), "nn.ELU(0.5, inplace=True)") \
    X(nn_CELU(), F_celu(x), "nn.CELU()") \
    X(nn_CELU(.alpha = 1.5, .inplace = true), t_celu(x, .alpha = 1.5), "nn.CELU(1.5, True)") \
    X(nn_SELU(), F_selu(x), "nn.SELU()") \
    X(nn_SELU(true), t_selu(x), "nn.SELU(True)") \
    X(nn_SiLU(), F_silu(x), "nn.SiLU()") \
    X(nn_SiLU(.inplace = true), t_mul(x, t_sigmoid(x)), "nn.SiLU(inplace=True)") \
    X(nn_Mish(), F_mish(x), "nn.Mish()") \
    X(nn_Mish(true), F_mish(x, .inplace = false), "nn.Mish(True)") \
    X(nn_Softplus(), F_softplus(x), "nn.Softplus()") \
    X(nn_Softplus(2, .threshold = 1.5), F_softplus(x, 2, 1.5), "nn.Softplus(2.0, 1.5)") \
    X(nn_Hardtanh(), F_hardtanh(x), "nn.Hardtanh()") \
    X(nn_Hardtanh(-0.5, .max_val = 2, .inplace = true), F_hardtanh(x, -0.5, 2), "nn.Hardtanh(-0.5, 2.0, True)") \
    X(nn_Hardswish(), F_hardswish(x), "nn.Hardswish()") \
    X(nn_Hardswish(true), F_hardswish(x), "nn.Hardswish(True)") \
    X(nn_Hardsigmoid(), F_hardsigmoid(x), "nn.Hardsigmoid()") \
    X(nn_Hardsigmoid(true), F_hardsigmoid(x), "nn.Hardsigmoid(True)") \
    X(nn_Threshold(0.1, 20), F_threshold(x, 0.1, 20), "nn.Threshold(0.1, 20.0)") \
    X(nn_Threshold(0.1, 20, .inplace = true), t_threshold(x, 0.1, 20), "nn.Threshold(0.1, 20.0, True)") \
    X(nn_Softshrink(), F_softshrink(x), "nn.Softshrink()") \
    X(nn_Softshrink(1), F_softshrink(x, .lambd = 1), "nn.Softshrink(1.0)") \
    X(nn_Hardshrink(), F_hardshrink(x), "nn.Hardshrink()") \
    X(nn_Hardshrink(.lambd = 1e-5), t_hardshrink(x, 1e-5), "nn.Hardshrink(1e-5)") \
    X(nn_Sigmoid(), F_sigmoid(x), "nn.Sigmoid()") \
    X(nn_Tanh(), F_tanh(x), "nn.Tanh()") \
    X(nn_LogSigmoid(), F_logsigmoid(x), "nn.LogSigmoid()") \
    X(nn_Softsign(), F_softsign(x), "nn.Softsign()") \
    X(nn_Tanhshrink(), F_tanhshrink(x), "nn.Tanhshrink()") \
    X(nn_GELU(), F_gelu(x), "nn.GELU()") \
    X(nn_GELU("tanh"), F_gelu(x, .approximate = "tanh"), "nn.GELU(approximate='tanh')") \
    X(nn_GLU(), F_glu(x), "nn.GLU()") \
    X(nn_GLU(1), F_glu(x, .dim = 1), "nn.GLU(1)") \
    X(nn_Softmax(-1), F_softmax(x, -1), "nn.Softmax(-1)") \
    X(nn_Softmax(.dim = 0), F_softmax(x, .dim = 0), "nn.Softmax(dim=0)") \
    X(nn_LogSoftmax(1), F_log_softmax(x, 1), "nn.LogSoftmax(1)") \
    X(nn_Softmin(1), F_softmin(x, .dim = 1), "nn.Softmin(1)") \
    X(nn_Identity(), x, "nn.Identity()")

/* a and b hold values from 0 to 1. */
#define TWO(X) \
    X(nn_MSELoss("sum"), F_mse_loss(a, b, .reduction = "sum"), "nn.MSELoss(reduction='sum')") \
    X(nn_L1Loss(), F_l1_loss(a, b), "nn.L1Loss()") \
    X(nn_L1Loss(.reduction = "none"), F_l1_loss(a, b, "none"), "nn.L1Loss(reduction='none')") \
    X(nn_SmoothL1Loss(), F_smooth_l1_loss(a, b), "nn.SmoothL1Loss()") \
    X(nn_SmoothL1Loss("sum", .beta = 0.25), F_smooth_l1_loss(a, b, .beta = 0.25, .reduction = "sum"), \
      "nn.SmoothL1Loss(beta=0.25)") \
    X(nn_HuberLoss(), F_huber_loss(a, b), "nn.HuberLoss()") \
    X(nn_HuberLoss("none", 0.5), F_huber_loss(a, b, "none", .delta = 0.5), "nn.HuberLoss('none', 0.5)") \
    X(nn_BCELoss(), F_binary_cross_entropy(a, b), "nn.BCELoss()") \
    X(nn_BCELoss(t_full((4,), 3.0), "sum"), F_binary_cross_entropy(a, b, t_full((4,), 3.0), "sum"), \
      "nn.BCELoss(torch.ones(4), reduction='sum')") \
    X(nn_BCEWithLogitsLoss(), F_binary_cross_entropy_with_logits(a, b), "nn.BCEWithLogitsLoss()") \
    X(nn_BCEWithLogitsLoss(.pos_weight = t_full((4,), 3.0)), \
      F_binary_cross_entropy_with_logits(a, b, .pos_weight = t_full((4,), 3.0)), \
      "nn.BCEWithLogitsLoss(pos_weight=torch.ones(4))") \
    X(nn_KLDivLoss("batchmean"), F_kl_div(a, b, "batchmean"), "nn.KLDivLoss(reduction='batchmean')") \
    X(nn_KLDivLoss("sum", .log_target = true), F_kl_div(a, b, .reduction = "sum", .log_target = true), \
      "nn.KLDivLoss(reduction='sum', log_target=True)") \
    X(nn_PoissonNLLLoss(), F_poisson_nll_loss(a, b), "nn.PoissonNLLLoss()") \
    X(nn_PoissonNLLLoss(false, true, .eps = 0.5), F_poisson_nll_loss(a, b, .log_input = false, .full = true, \
                                                                     .eps = 0.5), \
      "nn.PoissonNLLLoss(False, True, eps=0.5)") \
    X(nn_HingeEmbeddingLoss(), F_hinge_embedding_loss(a, b), "nn.HingeEmbeddingLoss()") \
    X(nn_HingeEmbeddingLoss(0.5, "sum"), F_hinge_embedding_loss(a, b, 0.5, .reduction = "sum"), \
      "nn.HingeEmbeddingLoss(0.5)") \
    X(nn_SoftMarginLoss(), F_soft_margin_loss(a, b), "nn.SoftMarginLoss()") \
    X(nn_SoftMarginLoss("none"), F_soft_margin_loss(a, b, .reduction = "none"), "nn.SoftMarginLoss(reduction='none')") \
    X(nn_MultiLabelSoftMarginLoss(), F_multilabel_soft_margin_loss(a, b), "nn.MultiLabelSoftMarginLoss()") \
    X(nn_MultiLabelSoftMarginLoss(t_full((4,), 3.0), "sum"), \
      F_multilabel_soft_margin_loss(a, b, t_full((4,), 3.0), .reduction = "sum"), \
      "nn.MultiLabelSoftMarginLoss(torch.ones(4), reduction='sum')") \
    X(nn_CosineSimilarity(), F_cosine_similarity(a, b), "nn.CosineSimilarity()") \
    X(nn_CosineSimilarity(0, .eps = 9), F_cosine_similarity(a, b, .dim = 0, .eps = 9), "nn.CosineSimilarity(0, 9.0)") \
    X(nn_PairwiseDistance(), F_pairwise_distance(a, b), "nn.PairwiseDistance()") \
    X(nn_PairwiseDistance(1, .keepdim = true), F_pairwise_distance(a, b, .p = 1, .keepdim = true), \
      "nn.PairwiseDistance(1.0, keepdim=True)")

/* The rows as functions of their index in the list. */
#define AS_PYTHON(module, function, python) python,
static const char *const one_python[] = {ONE(AS_PYTHON)}, *const two_python[] = {TWO(AS_PYTHON)};
enum { ONES = sizeof one_python / sizeof *one_python, TWOS = sizeof two_python / sizeof *two_python };

#define MAKE(module, function, python) if (n-- == 0) return module;
#define CALL(module, function, python) if (n-- == 0) return function;
static void *one_module(int n) { ONE(MAKE) return NULL; }
static void *two_module(int n) { TWO(MAKE) return NULL; }
static Tensor *one_function(int n, Tensor *x) { ONE(CALL) return NULL; }
static Tensor *two_function(int n, Tensor *a, Tensor *b) { TWO(CALL) return NULL; }

static Tensor *input(const char *text, uint64_t seed) {
    return make_inputs(text, seed, t_float32).x[0];
}

static void expect_same(const char *what, Tensor *got, Tensor *want) {
    ck_assert_msg(got && want, "%s: %s", what, t_error());
    compare_tensors(what, got, want, VALUE);
    report_notes();
}

static void expect_repr(void *module, const char *python) {
    const char *want = golden_case(golden_file("modules_repr.txt"), python);
    ck_assert_msg(module && want, "%s: %s", python,
                  want ? t_error() : "not recorded; run tests/golden/record_modules.py");
    char *text = nn_repr(module);
    const char *next = strstr(want, "\n= "); /* the next case; the repr may have several lines */
    size_t length = next ? (size_t)(next - want) : strcspn(want, "\n");
    ck_assert_msg(strlen(text) == length && strncmp(text, want, length) == 0, "%s prints %s", python, text);
    free(text);
}

START_TEST(one_tensor) {
    const char *python = one_python[_i];
    void *module = one_module(_i);
    Tensor *x = input("S(2,4)", 7), *given = t_clone(x);
    expect_repr(module, python);
    Tensor *y = nn_call(module, given);
    expect_same(python, y, one_function(_i, x));
    bool inplace = strstr(python, "True") != NULL;
    ck_assert_int_eq(y == given, inplace || strcmp(python, "nn.Identity()") == 0);
    ck_assert_int_eq(t_data_version(given), inplace);
}
END_TEST

START_TEST(two_tensors) {
    const char *python = two_python[_i];
    void *module = two_module(_i);
    Tensor *a = input("Q(2,4)", 7), *b = input("Q(2,4)", 8);
    expect_repr(module, python);
    expect_same(python, nn_call(module, a, b), two_function(_i, a, b));
}
END_TEST

static Tensor *cosine_distance(Tensor *x1, Tensor *x2) {
    return t_sub(1, F_cosine_similarity(x1, x2));
}

START_TEST(three_tensors) {
    Tensor *a = input("Q(2,4)", 1), *b = input("Q(2,4)", 2), *c = input("Q(2,4)", 3), *sign = t_tensor("[1, -1]");
    nn_CosineEmbeddingLoss *cosine = nn_CosineEmbeddingLoss(0.25);
    nn_MarginRankingLoss *ranking = nn_MarginRankingLoss(.margin = 0.5, .reduction = "sum");
    nn_TripletMarginLoss *triplet = nn_TripletMarginLoss(0.75, .p = 1, .swap = true);
    nn_GaussianNLLLoss *gaussian = nn_GaussianNLLLoss(.full = true);
    expect_repr(cosine, "nn.CosineEmbeddingLoss()");
    expect_repr(ranking, "nn.MarginRankingLoss()");
    expect_repr(triplet, "nn.TripletMarginLoss()");
    expect_repr(gaussian, "nn.GaussianNLLLoss()");
    expect_same("cosine", nn_CosineEmbeddingLoss_call(cosine, a, b, sign), F_cosine_embedding_loss(a, b, sign, 0.25));
    expect_same("ranking", nn_MarginRankingLoss_call(ranking, a, b, t_ones(2, 4)),
                F_margin_ranking_loss(a, b, t_ones(2, 4), .margin = 0.5, .reduction = "sum"));
    expect_same("triplet", nn_TripletMarginLoss_call(triplet, a, b, c), F_triplet_margin_loss(a, b, c, 0.75, 1,
        .swap = true));
    expect_same("gaussian", nn_GaussianNLLLoss_call(gaussian, a, b, c), F_gaussian_nll_loss(a, b, c, .full = true));
    expect_same("a number for var", nn_GaussianNLLLoss_call(gaussian, a, b, 0.5), F_gaussian_nll_loss(a, b, 0.5, true));
    nn_TripletMarginWithDistanceLoss *pairwise = nn_TripletMarginWithDistanceLoss(.margin = 0.75, .swap = true),
                                     *other = nn_TripletMarginWithDistanceLoss(cosine_distance, .reduction = "none");
    expect_repr(pairwise, "nn.TripletMarginWithDistanceLoss()");
    expect_repr(other, "nn.TripletMarginWithDistanceLoss(distance_function=torch.dist)");
    expect_same("triplet with the default distance", nn_TripletMarginWithDistanceLoss_call(pairwise, a, b, c),
                F_triplet_margin_with_distance_loss(a, b, c, .margin = 0.75, .swap = true));
    expect_same("triplet with a distance", nn_TripletMarginWithDistanceLoss_call(nn_deepcopy(other), a, b, c),
                F_triplet_margin_with_distance_loss(a, b, c, cosine_distance, .reduction = "none"));
    expect_repr(nn_RReLU(), "nn.RReLU()");
    expect_repr(nn_RReLU(0.1, 0.3, true), "nn.RReLU(0.1, 0.3, True)");
    nn_RReLU *rrelu = nn_RReLU(.upper = 0.5);
    t_manual_seed(3);
    Tensor *drawn = nn_call(rrelu, c);
    t_manual_seed(3);
    expect_same("rrelu", drawn, F_rrelu(c, .upper = 0.5, .training = true));
    expect_same("rrelu in eval", nn_call(nn_eval(rrelu), t_neg(c)), t_mul(t_neg(c), (0.125 + 0.5) / 2));
    expect_repr(nn_Softmax2d(), "nn.Softmax2d()");
    Tensor *image = t_randn(1, 4, 4, 6), *indices;
    expect_same("softmax2d", nn_call(nn_Softmax2d(), image), F_softmax(image, 1));
    expect_repr(nn_ChannelShuffle(2), "nn.ChannelShuffle(2)");
    expect_same("channels", nn_call(nn_ChannelShuffle(2), image), F_channel_shuffle(image, .groups = 2));
    expect_repr(nn_FeatureAlphaDropout(), "nn.FeatureAlphaDropout()");
    expect_same("no dropout", nn_call(nn_eval(nn_FeatureAlphaDropout(0.2)), image), image);
    expect_repr(nn_LPPool1d(2, 3), "nn.LPPool1d(2, 3)");
    expect_repr(nn_LPPool2d(1.5, (3, 2), .stride = {2, 1}, .ceil_mode = true),
                "nn.LPPool2d(1.5, (3, 2), stride=(2, 1), ceil_mode=True)");
    expect_same("lp", nn_call(nn_LPPool2d(2, 2), image), F_lp_pool2d(image, .norm_type = 2, .kernel_size = 2));
    expect_repr(nn_MaxUnpool1d(2), "nn.MaxUnpool1d(2)");
    expect_repr(nn_MaxUnpool2d(3, .stride = {2, 1}, .padding = 1), "nn.MaxUnpool2d(3, stride=(2, 1), padding=1)");
    expect_repr(nn_MaxUnpool3d(2), "nn.MaxUnpool3d(2)");
    expect_repr(nn_MaxUnpool3d((1, 2, 2), 2, (0, 1, 1)), "nn.MaxUnpool3d((1, 2, 2), 2, (0, 1, 1))");
    expect_repr(nn_LPPool3d(1.5, (1, 2, 2), 2, true), "nn.LPPool3d(1.5, (1, 2, 2), 2, True)");
    Tensor *volume = t_reshape(t_arange(64.0), 1, 1, 4, 4, 4), *at;
    Tensor *largest = nn_MaxPool3d_call(nn_MaxPool3d(2), volume, &at);
    HOLDS(t_equal(largest, t_reshape(t_to(at, t_float32), 1, 1, 2, 2, 2)));
    Tensor *there = nn_call(nn_MaxUnpool3d(2), largest, at);
    HOLDS(t_equal(there, t_mul(volume, t_gt(there, 0))) && t_item(t_sum(there)) == t_item(t_sum(largest)));
    Tensor *pooled = nn_MaxPool2d_call(nn_MaxPool2d(2), image, &indices), *back;
    back = nn_call(nn_MaxUnpool2d(2), pooled, indices);
    expect_same("unpool", F_max_pool2d(t_relu(back), 2), t_relu(pooled));
    expect_same("unpool of a size", F_max_unpool2d(pooled, indices, 2, .output_size = t_tuple(4, 6)), back);
    Tensor *samples = t_rand(1, 1, 3);
    nn_FractionalMaxPool3d *fractional = nn_FractionalMaxPool3d(2, 2, ._random_samples = samples);
    expect_repr(fractional, "nn.FractionalMaxPool3d(2, 2)");
    Tensor *maxima = nn_FractionalMaxPool3d_call(fractional, volume, &at);
    HOLDS(t_equal(maxima, t_reshape(t_to(at, t_float32), 1, 1, 2, 2, 2)));
    expect_same("fractional", nn_call(fractional, volume),
                F_fractional_max_pool3d(volume, 2, (2, 2, 2), ._random_samples = samples));
    HOLDS(t_equal(t_dict_get(nn_state_dict(fractional), "_random_samples"), samples));
    HOLDS(t_dict_get(nn_state_dict(nn_FractionalMaxPool2d(2, 2)), "_random_samples") == NULL);
    t_clear_error();
    expect_same("area", F_interpolate(volume, (2, 3, 2), .mode = "area"), F_adaptive_avg_pool3d(volume, (2, 3, 2)));
    Tensor *bytes = t_tensor("[[[[1, 200], [3, 255]]]]", .dtype = t_uint8), *large = F_interpolate(bytes, 4);
    HOLDS(t_dtype(large) == t_uint8 && t_item(t_sum(large)) == 4 * 459);
    Tensor *line = t_select(image, 1, 0), *of_line = nn_MaxPool1d_call(nn_MaxPool1d(2), line, &indices);
    expect_same("unpool 1d", nn_call(nn_MaxUnpool1d(2), of_line, indices), F_max_unpool1d(of_line, indices, 2));
    ck_assert_ptr_nonnull(nn_MaxPool1d_call(nn_MaxPool1d(2), line, NULL));
    ck_assert_int_eq(t_numel(F_pdist(a)), 1);
    nn_NLLLoss *nll = nn_NLLLoss(t_full((4,), 2.0), 1, .reduction = "sum");
    Tensor *ids = t_tensor("[3, 1]");
    expect_repr(nll, "nn.NLLLoss()");
    expect_same("nll", nn_call(nll, a, ids), F_nll_loss(a, ids, t_full((4,), 2.0), .ignore_index = 1,
                                                        .reduction = "sum"));
    nn_MultiMarginLoss *multi = nn_MultiMarginLoss(2, 0.5, .weight = t_full((4,), 2.0), .reduction = "sum");
    expect_repr(multi, "nn.MultiMarginLoss()");
    expect_same("multi margin", nn_call(multi, a, ids), F_multi_margin_loss(a, ids, 2, .margin = 0.5,
        .weight = t_full((4,), 2.0), .reduction = "sum"));
    Tensor *labels = t_tensor("[[3, 0, -1, 1], [0, 1, 2, -1]]");
    nn_MultiLabelMarginLoss *multilabel = nn_MultiLabelMarginLoss("none");
    expect_repr(multilabel, "nn.MultiLabelMarginLoss()");
    expect_same("multilabel margin", nn_call(multilabel, a, labels), F_multilabel_margin_loss(a, labels, "none"));
}
END_TEST

/* ---- parameters and buffers ---- */

#define REFUSED(call, message) expect_refusal((call) == NULL, message)
START_TEST(fractional_pools_check_their_options) {
    REFUSED(nn_FractionalMaxPool2d(2),
            "FractionalMaxPool2d requires specifying either an output size, or a pooling ratio");
    REFUSED(nn_FractionalMaxPool2d(2, 3, 0.5), "only one of output_size and output_ratio may be specified");
    REFUSED(nn_FractionalMaxPool2d(2, .output_ratio = 1.5), "output_ratio must be between 0 and 1 (got 1.5)");
    REFUSED(nn_FractionalMaxPool2d(2, .output_ratio = {0.5, 1}),
            "output_ratio must be between 0 and 1 (got (0.5, 1.0))");
    REFUSED(nn_FractionalMaxPool3d(0, 2), "kernel_size must be greater than 0, but got 0");
    REFUSED(nn_FractionalMaxPool3d((2, 0, 1), 2), "kernel_size must be greater than 0, but got (2, 0, 1)");
    REFUSED(F_fractional_max_pool3d(t_rand(1, 4, 4, 4), (2, 1), 2),
            "fractional_max_pool3d: kernel_size must either be a single Int or tuple of three Ints");
    REFUSED(nn_FractionalMaxPool2d(.output_size = 2), "missing the argument kernel_size");
}
END_TEST

START_TEST(prelu_learns) {
    nn_PReLU *prelu = nn_PReLU(4, .dtype = t_float64);
    t_backward(t_sum(nn_call(prelu, t_full((2, 4), -3.0, .dtype = t_float64))));
    for_named (p, nn_named_parameters(prelu)) {
        ck_assert_str_eq(p->name, "weight");
        expect_printed(p->tensor,
                       "Parameter containing:\ntensor([0.2500, 0.2500, 0.2500, 0.2500], dtype=torch.float64,\n"
                                  "       requires_grad=True)");
        expect_printed(t_grad(p->tensor), "tensor([-6., -6., -6., -6.], dtype=torch.float64)");
    }
    ck_assert_int_eq(nn_parameters(prelu)->len, 1);
}
END_TEST

START_TEST(weights_are_buffers) {
    nn_BCEWithLogitsLoss *loss = nn_BCEWithLogitsLoss(t_ones(4), .pos_weight = t_full((4,), 2.0));
    nn_NamedList *buffers = nn_named_buffers(loss);
    ck_assert_int_eq(buffers->len, 2);
    ck_assert_str_eq(buffers->items[0].name, "weight");
    ck_assert_str_eq(buffers->items[1].name, "pos_weight");
    nn_to(loss, t_float64);
    ck_assert_int_eq(t_dtype(loss->pos_weight), t_float64);
    ck_assert_int_eq(nn_buffers(nn_BCELoss())->len, 0);
    ck_assert_int_eq(nn_buffers(nn_NLLLoss(t_ones(2)))->len, 1);
}
END_TEST

/* The gradients of a model whose activations write in place are those of one whose activations do not. */
START_TEST(inplace_trains_alike) {
    Tensor *grads[2];
    for (int inplace = 0; inplace < 2; inplace++) {
        t_manual_seed(1);
        nn_Sequential *model = nn_Sequential(nn_Linear(3, 4), nn_ReLU(inplace), nn_Linear(4, 4), nn_SiLU(inplace),
                                             nn_Linear(4, 4), nn_LeakyReLU(0.2, inplace), nn_ELU(1, inplace),
                                                 nn_Linear(4, 1));
        t_backward(t_sum(nn_call(model, input("R(5,3)", 3))));
        grads[inplace] = t_grad(nn_parameters(model)->items[0]);
    }
    expect_same("the first weight's gradient", grads[1], grads[0]);
}
END_TEST

/* ---- functions without a module ---- */

START_TEST(in_place_functions) {
    Tensor *x = input("S(2,4)", 7);
#define INPLACE(call, want) { Tensor *y = t_clone(x); ck_assert_ptr_eq((call), y); expect_same(#want, y, want); }
    INPLACE(t_relu_(y), t_relu(x))
    INPLACE(t_celu_(y, 0.5), t_celu(x, 0.5))
    INPLACE(t_selu_(y), t_selu(x))
    INPLACE(t_threshold_(y, 0.25, 2), t_threshold(x, 0.25, 2))
    INPLACE(F_relu_(y), F_relu(x))
    INPLACE(F_leaky_relu_(y), F_leaky_relu(x, 0.01))
    INPLACE(F_elu_(y, .alpha = 2), F_elu(x, 2))
    INPLACE(F_celu_(y), F_celu(x, 1))
    INPLACE(F_selu_(y), F_selu(x))
    INPLACE(F_hardtanh_(y, .max_val = 0.5), F_hardtanh(x, -1, 0.5))
    INPLACE(F_threshold_(y, 0.25, 2), F_threshold(x, 0.25, 2))
    INPLACE(F_silu(y, .inplace = true), F_silu(x))
#undef INPLACE
    expect_same("normalize", F_normalize(x), t_div(x, t_norm(x, 2, .dim = 1, .keepdim = true)));
    expect_same("normalize, p = 1", F_normalize(x, 1, .dim = 0), t_div(x, t_sum(t_abs(x), 0, .keepdim = true)));
    expect_same("huber with weights", F_huber_loss(x, t_mul(x, 2), .weight = t_full((2, 4), 2.0)),
                t_mul(F_huber_loss(x, t_mul(x, 2)), 2));
    expect_same("l1 with weights", F_l1_loss(x, t_mul(x, 2), .weight = t_full((2, 4), 2.0)), F_l1_loss(x, t_mul(x, 2)));
}
END_TEST

START_TEST(attention_keywords) {
    Tensor *q = input("R(2,3,4)", 1), *k = input("R(2,3,4)", 2), *v = input("R(2,3,4)", 3);
    Tensor *scores = t_matmul(q, t_transpose(k, -2, -1)), *causal = t_bool(t_tril(t_ones(3, 3)));
    Tensor *masked = t_masked_fill(scores, t_logical_not(causal), -1e30);
    expect_same("plain", F_scaled_dot_product_attention(q, k, v), t_matmul(t_softmax(t_div(scores, 2), -1), v));
    expect_same("scale", F_scaled_dot_product_attention(q, k, v, .scale = 1), t_matmul(t_softmax(scores, -1), v));
    expect_same("causal", F_scaled_dot_product_attention(q, k, v, .is_causal = true, .scale = 1),
                t_matmul(t_softmax(masked, -1), v));
    expect_same("mask", F_scaled_dot_product_attention(q, k, v, causal, 0, false, 1), t_matmul(t_softmax(masked, -1),
        v));
    expect_same("module's mask", F_scaled_dot_product_attention(q, k, v, t_bool(nn_keep_causal(3)), .scale = 1),
                t_matmul(t_softmax(masked, -1), v));
    t_manual_seed(5);
    Tensor *dropped = F_scaled_dot_product_attention(q, k, v, .dropout_p = 0.5);
    t_manual_seed(5);
    expect_same("dropout", dropped, t_matmul(F_dropout(t_softmax(t_div(scores, 2), -1), 0.5), v));
}
END_TEST

/* ---- refusals ---- */

static void refuse(void *made, const char *message) {
    ck_assert_ptr_null(made);
    ck_assert_ptr_nonnull(t_error_message());
    ck_assert_str_eq(t_error_message(), message);
    t_clear_error();
}

START_TEST(bad_options) {
    Tensor *x = t_ones(2, 3);
    refuse(nn_Hardtanh_new(2, 1, false), "max_val (1.0) must be greater than min_val (2.0)");
    refuse(nn_GELU_new("quick"), "approximate argument must be either none or tanh, not 'quick'");
    refuse(nn_L1Loss_new("avg"), "avg is not a valid value for reduction");
    refuse(nn_L1Loss_new("batchmean"), "batchmean is not a valid value for reduction");
    refuse(nn_BCELoss_new(NULL, "a word that is too long for it"),
           "a word that is too long for it is not a valid value for reduction");
    refuse(nn_PReLU_new(&(nn_PReLUOptions){.size = sizeof(nn_PReLUOptions), .num_parameters = -1}),
           "Trying to create tensor with negative dimension -1: [-1]");
    refuse((nn_call)(nn_Softmax(), x), "softmax(): missing the argument dim");
    refuse((nn_call)(nn_Softmin(), x), "softmin(): missing the argument dim");
    refuse((nn_call)(nn_Threshold(0, 1, .inplace = true), t_requires_grad_(t_ones(2), true)),
           "a leaf Variable that requires grad is being used in an in-place operation.");
    refuse((nn_TripletMarginLoss_call)(NULL, x, x, x), "argument 1 is NULL where a module is expected");
    refuse(nn_MultiMarginLoss_new(3, 1, NULL, NULL), "only p == 1 and p == 2 supported");
    refuse(nn_MultiMarginLoss_new(1, 1, x, NULL),
           "MultiMarginLoss: expected weight to be None or 1D tensor, got 2D instead");
    refuse(nn_TripletMarginWithDistanceLoss_new(NULL, -0.5, false, NULL),
           "TripletMarginWithDistanceLoss: expected margin to be greater than 0, got -0.5 instead");
    expect_repr(nn_Softmax(), "nn.Softmax()");
    expect_repr(nn_LogSoftmax(), "nn.LogSoftmax()");
}
END_TEST

Suite *activation_modules_suite(void);
Suite *activation_modules_suite(void) {
    Suite *suite = suite_create("activation_modules");
    TCase *tests = tcase_create("activation modules");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_loop_test(tests, one_tensor, 0, ONES);
    tcase_add_loop_test(tests, two_tensors, 0, TWOS);
    tcase_add_test(tests, three_tensors);
    tcase_add_test(tests, fractional_pools_check_their_options);
    tcase_add_test(tests, prelu_learns);
    tcase_add_test(tests, weights_are_buffers);
    tcase_add_test(tests, inplace_trains_alike);
    tcase_add_test(tests, in_place_functions);
    tcase_add_test(tests, attention_keywords);
    tcase_add_test(tests, bad_options);
    suite_add_tcase(suite, tests);
    return suite;
}
