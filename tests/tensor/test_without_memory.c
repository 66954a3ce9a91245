/* tests/tensor/test_without_memory.c: calls that are refused memory: nothing is half changed, the generator is as it
 * was, and the error is reported once. (For the ops, test_autograd_memory.c refuses each request of each row of the
 * tables.) */
#define _DEFAULT_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "core/data/data.h"
#include "core/distributions/distributions.h"
#include "core/ops/creation/random_internal.h"
#include "core/pandas/pandas.h"
#include "core/plot/plot.h"
#include "core/python/python.h"
#include "core/tensor/context.h"
#include "core/tensor/tensor.h"
#include "nn/nn.h"
#include "optim/optim.h"
#include "tests/support/files/file_support.h"
#include "tests/support/refusals.h"

/* ---- gradients ---- */

static Tensor *parameter_with_gradient(const char *gradient, t_DType dtype) {
    Tensor *p = t_ones(2, .dtype = dtype, .requires_grad = true);
    t_set_grad(p, t_tensor(gradient, .dtype = dtype));
    return p;
}

static bool clips_values(void *parameters) {
    return nn_utils_clip_grad_value_(parameters, 1);
}

static bool clips_norm(void *parameters) {
    return nn_utils_clip_grad_norm_(parameters, 1) != NULL;
}

static bool are_unclipped(void *parameters) {
    const t_TensorList *list = parameters;
    bool all = true;
    for (int64_t i = 0; i < list->len; i++) all = all && t_item(t_at(t_grad(list->items[i]), "1")) == -4;
    return all;
}

/* refuse_all looks once more after the call that gets by, when the gradients are clipped. */
static bool done;
static bool (*clip)(void *parameters);
static bool clips(void *parameters) {
    return done = clip(parameters);
}
static bool are_unclipped_or_done(void *parameters) {
    return done || are_unclipped(parameters);
}

static void refuse_clip(const char *what, bool (*how)(void *parameters), t_DType second) {
    done = false;
    clip = how;
    Tensor *p = parameter_with_gradient("[3., -4.]", t_float32), *q = parameter_with_gradient("[2., -4.]", second);
    t_TensorList *parameters = t_list(p, q);
    refuse_all(what, clips, are_unclipped_or_done, parameters);
    if (are_unclipped(parameters)) note("%s has clipped nothing", what);
}

static void refuse_clips(void) {
    refuse_clip("clip_grad_value_", clips_values, t_float32);
    refuse_clip("clip_grad_value_ of two dtypes", clips_values, t_float64);
    refuse_clip("clip_grad_norm_", clips_norm, t_float32);
    refuse_clip("clip_grad_norm_ of two dtypes", clips_norm, t_float64);
}

START_TEST(gradients_are_clipped_all_or_not_at_all) {
    refuse_clips();
    with_detect_anomaly() refuse_clips(); /* which looks at a value before it is written */
    report_notes();
}
END_TEST

/* Nor where one of them cannot be written to. */
START_TEST(a_gradient_that_overlaps_itself_stops_all) {
    Tensor *p = parameter_with_gradient("[3., -4.]", t_float32), *q = t_ones(2, .requires_grad = true);
    ck_assert((t_set_grad)(q, t_expand(t_tensor("[-4.]"), 2)));
    ck_assert(!nn_utils_clip_grad_value_(t_list(p, q), 1));
    ck_assert_ptr_nonnull(strstr(t_error_message(), "more than one element of the written-to tensor"));
    t_clear_error();
    HOLDS(are_unclipped(t_list(p, q)));
}
END_TEST

/* PyTorch's cross_entropy saves a copy of its own, so that zero_grad may come before the backward. */
START_TEST(zero_grad_leaves_graphs_alone) {
    Tensor *p = t_ones(3, .requires_grad = true);
    optim_Optimizer *optimizer = optim_SGD(t_list(p), .lr = 0.1);
    t_backward(t_sum(t_mul(p, t_mul(p, t_tensor("[1., 2, 3]")))), .create_graph = true);
    Tensor *loss = F_cross_entropy(t_grad(p), t_tensor(1));
    HOLDS(optim_zero_grad(optimizer, .set_to_none = false));
    t_backward(loss);
    ck_assert_msg(!t_error(), "%s", t_error());
    expect_printed(t_grad(p), "tensor([ 0.0318, -3.5308,  5.2009])");
    t_set_grad(p, NULL);
}
END_TEST

/* ---- the generator ---- */

static tg_MT19937 engine_before;

static bool has_not_drawn(void *with) {
    return done || !with || memcmp(&engine_before, tg_engine(NULL), sizeof engine_before) == 0;
}

static bool splits(void *dataset) {
    data_Dataset *parts[2];
    return done = (data_random_split)(dataset, (const int64_t[]){3, 5}, 2, parts, NULL);
}

static bool gives_first(void *loader) {
    data_Batch batch;
    return done = (data_first)(loader, &batch);
}

static bool makes_layers(void *unused) {
    (void)unused;
    return done = nn_TransformerEncoderLayer(4, 2, .dim_feedforward = 6) && !t_error();
}

static bool draws_within(void *x) {
    return done = nn_init_trunc_normal_((Tensor *)x, 0, 1, -1, 1, NULL) != NULL;
}

static bool draws_far_out(void *x) {
    return done = nn_init_trunc_normal_((Tensor *)x, 0, 1, 1, 2, NULL) != NULL;
}

static bool draws_a_matrix(void *x) {
    return done = nn_init_orthogonal_(t_view((Tensor *)x, 4, 5), 2, NULL) != NULL;
}

static bool writes_dirac(void *x) {
    return done = nn_init_dirac_(t_view((Tensor *)x, 2, 2, 5), 1) != NULL;
}

static bool is_untouched(void *x) {
    return has_not_drawn(x) && (done || (t_item(t_sum((Tensor *)x)) == 20 && ((Tensor *)x)->storage->version == 0));
}

static bool extends(void *lists) {
    return done = nn_extend(((void **)lists)[0], ((void **)lists)[1]);
}

static bool has_one_module(void *lists) {
    return done || nn_len(((void **)lists)[0]) == 1;
}

static bool updates(void *dicts) {
    return done = nn_update(((void **)dicts)[0], ((void **)dicts)[1]);
}

static bool is_as_before_update(void *dicts) {
    void *dict = ((void **)dicts)[0];
    return done || (nn_len(dict) == 1 && nn_get_key(dict, "a") == ((void **)dicts)[2]);
}

static bool adds_a_group(void *with) {
    return done = (optim_add_param_group)(((void **)with)[0], ((void **)with)[1], NULL);
}

static bool has_one_group(void *with) {
    const optim_Optimizer *optimizer = ((void **)with)[0];
    return done || (optimizer->len == 1 && optimizer->capacity == 1);
}

static bool watches(void *tensors) {
    return done = (t_watch)((Tensor **)tensors, (const char *[]){"x", "y", "x"}, 3);
}

static bool watches_a_layer(void *layer) {
    return done = (nn_watch)(layer, "layer");
}

static bool no_parameter_is_watched(void *layer) {
    return done || (!((nn_Linear *)layer)->weight->watch && !((nn_Linear *)layer)->bias->watch);
}

static bool none_is_watched(void *tensors) {
    return done || (!((Tensor **)tensors)[0]->watch && !((Tensor **)tensors)[1]->watch);
}

static void refuse_draws(const char *what, Attempt *attempt, Attempt *unchanged, void *with) {
    done = false;
    engine_before = *tg_engine(NULL);
    refuse_all(what, attempt, unchanged, with);
}

START_TEST(a_refused_call_has_drawn_nothing) {
    t_manual_seed(4);
    data_Dataset *dataset = data_TensorDataset(t_list(t_arange(8)));
    data_DataLoader *loader = data_DataLoader(dataset, .batch_size = 2, .shuffle = true);
    refuse_draws("random_split", splits, has_not_drawn, dataset);
    refuse_draws("next(iter(loader))", gives_first, has_not_drawn, loader);
    refuse_draws("a layer", makes_layers, has_not_drawn, dataset);
    refuse_draws("trunc_normal_", draws_within, is_untouched, t_ones(20));
    refuse_draws("trunc_normal_ far out", draws_far_out, is_untouched, t_ones(20));
    refuse_draws("orthogonal_", draws_a_matrix, is_untouched, t_ones(20));
    refuse_draws("dirac_", writes_dirac, is_untouched, t_ones(20));
    void *lists[] = {nn_ModuleList(nn_ReLU()), nn_ModuleList(nn_Tanh(), nn_GELU())};
    refuse_draws("extend", extends, has_one_module, lists);
    report_notes();
}
END_TEST

/* Functions of bfloat16 that are computed in float32: the rounding of what was drawn, or the widening of an input, may
 * be refused. */
static Tensor *(*const dropouts[])(Tensor *x, double p, bool training, bool inplace) = {
    F_dropout, F_dropout1d, F_dropout2d, F_dropout3d, F_alpha_dropout, F_feature_alpha_dropout};
enum { DROPOUTS = sizeof dropouts / sizeof *dropouts };
static Tensor *half_gumbel_softmax(Tensor *x) {
    return (F_gumbel_softmax)(x, 1, false, -1);
}
static Tensor *half_poisson(Tensor *x) {
    return (t_poisson)(x, NULL);
}
static Tensor *half_index_add(Tensor *x) {
    Tensor *index = (t_arange)(0, 2, 1, &(t_TensorOptions){.size = sizeof(t_TensorOptions), .dtype = t_int64});
    return index ? (t_index_add)(x, 0, index, x, 1) : NULL;
}
static Tensor *half_attention(Tensor *x) {
    F_AttentionOptions options = F_AttentionDefaults;
    options.attn_mask = (t_ones_like)(x);
    options.dropout_p = 0.5;
    return options.attn_mask ? (F_scaled_dot_product_attention)(x, x, x, &options) : NULL;
}
static Tensor *half_max_pool(Tensor *x) {
    F_FractionalMaxPoolOptions options = F_FractionalMaxPoolDefaults;
    options.kernel_size[0] = options.output_size[0] = 2;
    options.kernel_size[1] = options.output_size[1] = F_BOTH;
    return (F_fractional_max_pool2d)(x, &options);
}
static Tensor *running_mean, *running_var;
static Tensor *half_batch_norm(Tensor *x) {
    return (F_batch_norm)(x, running_mean, running_var, NULL, NULL, true, 0.1, 1e-5);
}

static Tensor *(*const others[])(Tensor *x) = {half_gumbel_softmax, half_poisson,  half_index_add,
                                               half_attention,      half_max_pool, half_batch_norm};
enum { OTHERS = sizeof others / sizeof *others };

static int half_function; /* of the dropouts, then of the others */
static bool calls_function(void *x) {
    const int i = half_function;
    return done = (i < DROPOUTS ? dropouts[i](x, 0.5, true, false) : others[i - DROPOUTS](x)) != NULL;
}
static bool has_neither_drawn_nor_written(void *x) {
    return has_not_drawn(x) && (done || (running_mean->storage->version == 0 && t_item(t_sum(running_mean)) == 0 &&
                                         running_var->storage->version == 0 && t_item(t_sum(running_var)) == 2));
}

START_TEST(a_refused_call_of_half_precision_has_changed_nothing) {
    t_manual_seed(4);
    for (half_function = 0; half_function < DROPOUTS + OTHERS; half_function++) {
        Tensor *x = t_ones(2, 2, 4, 4, .dtype = t_bfloat16);
        if (half_function < DROPOUTS ? dropouts[half_function] == F_dropout1d
                                     : others[half_function - DROPOUTS] == half_attention)
            x = t_select(x, 0, 0);
        running_mean = t_zeros(2);
        running_var = t_ones(2);
        refuse_draws(t_format("function %d of bfloat16", half_function), calls_function, has_neither_drawn_nor_written,
                     x);
    }
    report_notes();
}
END_TEST

START_TEST(a_refused_call_has_added_nothing) {
    void *relu = nn_ReLU();
    void *dicts[] = {nn_ModuleDict({"a", relu}), nn_ModuleDict({"b", nn_Tanh()}, {"a", nn_GELU()}, {"c", nn_ReLU()}),
                     relu};
    refuse_draws("update", updates, is_as_before_update, dicts);
    Tensor *x = t_ones(2, .requires_grad = true), *y = t_mul(x, 2);
    void *groups[] = {optim_SGD(t_list(x), .lr = 0.1), t_list(t_ones(3, .requires_grad = true))};
    refuse_draws("add_param_group", adds_a_group, has_one_group, groups);
    refuse_draws("watch", watches, none_is_watched, (Tensor *[]){x, y, x});
    refuse_draws("watch a module", watches_a_layer, no_parameter_is_watched, nn_Linear(2, 2));
    ck_assert_ptr_nonnull(x->watch);
    t_unwatch();
    report_notes();
}
END_TEST

/* Options that are refused, too. */
START_TEST(wrong_options_draw_nothing) {
    t_manual_seed(4);
    engine_before = *tg_engine(NULL);
    const t_TensorOptions without_size = {.dtype = t_float32};
    ck_assert_ptr_null((t_rand)(SHAPE(3), &without_size));
    expect_error("the options' first field, size, is not set");
    ck_assert_ptr_null(t_randint(0, 5, 3, .requires_grad = true));
    expect_error("only Tensors of floating point dtype can require gradients");
    ck_assert_ptr_null(t_randperm(5, .requires_grad = true));
    expect_error("only Tensors of floating point dtype can require gradients");
    ck_assert_int_eq(memcmp(&engine_before, tg_engine(NULL), sizeof engine_before), 0);
    Tensor *x = t_randn(2, .requires_grad = true);
    ck_assert(t_requires_grad(x) && t_is_leaf(x));
}
END_TEST

/* ---- strings and files ---- */

START_TEST(a_model_is_printed_completely_or_not_at_all) {
    nn_ModuleList *layers = nn_ModuleList(nn_Linear(3, 3), nn_Linear(3, 3), nn_ReLU());
    nn_Sequential *model = nn_Sequential(nn_Linear(2, 3), layers, nn_ReLU());
    char *complete = nn_repr(model);
    ck_assert_ptr_nonnull(complete);
    int n = 1;
    for (char *text = NULL; !text; n++) {
        set_faults((Faults){.fail_at = n, .reason = ENOMEM});
        text = nn_repr(model);
        tg_file_calls.realloc = realloc;
        ck_assert_msg(!text == (t_error() != NULL), "request %d: %s, the error is %s", n, text, t_error());
        if (text) ck_assert_str_eq(text, complete);
        t_clear_error();
        free(text);
        if (text) break;
    }
    ck_assert_int_gt(n, 5);
    free(complete);
}
END_TEST

START_TEST(an_old_picture_stays_until_the_new_one_is_complete) {
    char path[200];
    in_folder(path, "picture.svg");
    put_file(path, "old");
    plt_plot(t_arange(5000.0));
    plt_title("A title");
    bool written = false;
    int n = 1;
    for (; !written; n++) {
        set_faults((Faults){.fail_at = n, .reason = ENOSPC});
        written = plt_savefig(path);
        ck_assert_int_eq(written, !fault_reported(path));
        if (!written) expect_file(path, "old");
        ck_assert_int_eq(files_but("picture.svg"), 0);
    }
    plt_close("all");
    ck_assert_int_ge(n, 5);
}
END_TEST

START_TEST(a_report_is_complete_or_absent) {
    nn_Linear *model = nn_Linear(2, 3);
    t_TensorDict *dict = t_dict();
    t_dict_set(dict, "weight", t_ones(4, 4));
    for (int n = 1;; n++) {
        set_faults((Faults){.fail_at = n, .reason = ENOMEM});
        ck_assert(!nn_load_state_dict(model, dict));
        tg_file_calls.realloc = realloc;
        if (strncmp(t_error_message(), "out of memory", 13) != 0) break;
        t_clear_error();
        ck_assert_int_lt(n, 20);
    }
    expect_error(
        "Error(s) in loading state_dict for Linear:\n\tMissing key(s) in state_dict: \"bias\". \n\tsize "
        "mismatch for weight: copying a param with shape torch.Size([4, 4]) from checkpoint, the shape in current "
        "model is torch.Size([3, 2]).");
}
END_TEST

/* ---- reported once ---- */

START_TEST(out_of_memory_is_reported_once) {
    tg_alloc_fail(1, true);
    nn_Sequential *model = nn_Sequential(nn_Linear(2, 8), nn_Tanh(), nn_Linear(8, 2), nn_ReLU());
    tg_alloc_fail(0, false);
    ck_assert_ptr_null(model);
    ck_assert_int_eq(error_count(), 1);
    ck_assert_ptr_nonnull(strstr(last_error_text(), ": nn_Linear(2, 8): out of memory"));
    t_view(t_ones(3), 7); /* another error is another matter */
    ck_assert_int_eq(error_count(), 2);
    t_clear_error();
    for (int i = 0; i < 2; i++) { /* and so is memory that runs out after that */
        tg_alloc_fail(1, true);
        t_ones(3);
        t_ones(4);
        tg_alloc_fail(0, false);
        ck_assert_int_eq(error_count(), 3 + i);
        t_clear_error();
    }
}
END_TEST

/* ---- answers ---- No call may answer true, or find another fault, while it reports that it had no memory. */

static Tensor *two;
static bool is_equal(void *x) {
    return (t_equal)(x, two);
}
static bool is_close(void *x) {
    return (t_allclose)(x, two, 1e-5, 1e-8, false);
}
static bool is_a_distribution(void *x) {
    return (distributions_Normal_new)(x, two, 1) != NULL;
}
static bool is_wishart(void *eye) {
    return (distributions_Wishart_new)(two, NULL, NULL, eye, 1) != NULL;
}
static bool has_a_density(void *normal) {
    return distributions_log_prob(normal, two) != NULL;
}
static bool has_a_norm(void *list) {
    return nn_utils_get_total_norm(list, 2, true) != NULL;
}
static bool has_help(void *parser) {
    char *text = argparse_format_help(parser);
    free(text);
    return text != NULL;
}
static bool has_rows(void *frame) {
    return pd_DataFrame_iloc(frame, "1:, 0:1") != NULL;
}

/* Anomaly mode looks at a copy of bfloat16 values in float32. */
static bool is_checked(void *x) {
    return (t_exp)(x) != NULL;
}

static bool has_a_product(void *A) {
    Tensor *tau = (t_zeros)((const int64_t[]){0}, 1, NULL);
    return tau && (linalg_householder_product)(A, tau) != NULL;
}

/* The length of a dataset, which the user's function may have no memory for, is in the state. */
static int64_t counts(void *context) {
    Tensor *count = context ? (t_ones)((const int64_t[]){3}, 1, NULL) : NULL;
    return count ? (t_numel)(count) : -1;
}
static void *begins(void *context) {
    return context;
}
static bool ends(void *iterator, Tensor **x, Tensor **y) {
    (void)iterator, (void)x, (void)y;
    return false;
}
static bool has_a_state(void *loader) {
    t_TensorDict *state = (data_state_dict)(loader);
    return state && (data_load_state_dict)(loader, state);
}

/* The text of the error needs memory, too. */
static bool is_refused_for_its_target(void *model) {
    Tensor *input = (t_ones)((const int64_t[]){2, 8}, 2, NULL), *target = t_tensor_from_text("[1, 12]", NULL), *loss;
    if (!input || !target || (nn_AdaptiveLogSoftmaxWithLoss_call)(model, input, target, &loss)) return false;
    if (!strstr(t_error_message(), "Target values should be in [0, 11], but values in range [1, 12]")) return false;
    t_clear_error();
    return true;
}

START_TEST(without_memory_there_is_no_answer) {
    const char *table = "a,b\n1,2\n3,4\n5,6\n";
    two = t_tensor("[2., 2.]");
    refuse_all("t_equal", is_equal, NULL, t_tensor("[2., 2.]"));
    refuse_all("t_allclose", is_close, NULL, t_tensor("[2., 2.]"));
    refuse_all("Normal", is_a_distribution, NULL, t_tensor("[0., 1.]"));
    refuse_all("Normal.log_prob", has_a_density, NULL, distributions_Normal(0, 1));
    refuse_all("Wishart", is_wishart, NULL, t_eye(2));
    refuse_all("iloc", has_rows, NULL, pd_read_csv_bytes(table, strlen(table)));
    refuse_all("get_total_norm", has_a_norm, NULL, t_list(two));
    refuse_all("format_help", has_help, NULL, argparse_ArgumentParser(.description = "Trains."));
    refuse_all("householder_product", has_a_product, NULL, t_ones(2, 2, .requires_grad = true));
    refuse_all("AdaptiveLogSoftmaxWithLoss", is_refused_for_its_target, NULL,
               nn_AdaptiveLogSoftmaxWithLoss(8, 12, (4, 7)));
    refuse_all("the state of a stream", has_a_state, NULL,
               data_DataLoader(data_IterableDataset(begins, ends, .len = counts, .context = &two), 3));
    with_detect_anomaly()
        refuse_all("exp", is_checked, NULL, t_requires_grad_(t_zeros(100, .dtype = t_bfloat16), true));
    report_notes();
}
END_TEST

/* A list of a sampler's indices that fails has not drawn any. */
static tg_MT19937 before_list;
static bool batches_drawn;
static bool lists_batches(void *sampler) {
    return batches_drawn = data_sampler_batches(sampler) != NULL;
}
static bool lists_indices(void *sampler) {
    return batches_drawn = data_sampler_list(sampler) != NULL;
}
static bool is_drawn_or_not(void *sampler) {
    (void)sampler;
    return batches_drawn || memcmp(&before_list, tg_engine(NULL), sizeof before_list) == 0;
}

START_TEST(a_list_of_indices_is_drawn_all_or_not_at_all) {
    data_Sampler *random = data_RandomSampler(data_TensorDataset(t_list(t_arange(10))));
    t_manual_seed(3);
    before_list = *tg_engine(NULL);
    refuse_all("batches", lists_batches, is_drawn_or_not, data_BatchSampler(random, 3, false));
    before_list = *tg_engine(NULL);
    refuse_all("indices", lists_indices, is_drawn_or_not, random);
    report_notes();
}
END_TEST

Suite *without_memory_suite(void);
Suite *without_memory_suite(void) {
    Suite *suite = suite_create("without_memory");
    TCase *tests = tcase_create("without_memory");
    tcase_add_checked_fixture(tests, folder_setup, folder_teardown);
    tcase_add_test(tests, gradients_are_clipped_all_or_not_at_all);
    tcase_add_test(tests, a_gradient_that_overlaps_itself_stops_all);
    tcase_add_test(tests, zero_grad_leaves_graphs_alone);
    tcase_add_test(tests, a_refused_call_has_drawn_nothing);
    tcase_add_test(tests, a_refused_call_of_half_precision_has_changed_nothing);
    tcase_add_test(tests, a_refused_call_has_added_nothing);
    tcase_add_test(tests, wrong_options_draw_nothing);
    tcase_add_test(tests, a_model_is_printed_completely_or_not_at_all);
    tcase_add_test(tests, an_old_picture_stays_until_the_new_one_is_complete);
    tcase_add_test(tests, a_report_is_complete_or_absent);
    tcase_add_test(tests, out_of_memory_is_reported_once);
    tcase_add_test(tests, without_memory_there_is_no_answer);
    tcase_add_test(tests, a_list_of_indices_is_drawn_all_or_not_at_all);
    suite_add_tcase(suite, tests);
    return suite;
}
