/* tests/support/main.c: runs every suite, the suites named on the command line, or a share of those that are not op
 * tables (these are as large as the rest together): "2/3" is every third one, starting with the second.
 *
 * The tests run from the root of the tree (they read tests/golden and the headers). CK_FORK=no, CK_VERBOSITY and the
 * other variables of Check work as usual. */
#define _POSIX_C_SOURCE 200809L
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/support.h"

/* A new suite is one line here, after the op tables, which have thousands of short tests. */
enum { TABLES = 2 };
#define SUITES(X) \
    X(ops) \
    X(functional_each) \
    X(narrow_dtypes) \
    X(autocast) \
    X(gemm) X(gemm_bfloat16) \
    X(feed_forward) \
    X(pointwise) \
    X(sample_inputs) \
    X(hostile_arguments) \
    X(elementwise) X(cdist) \
    X(einsum) \
    X(linalg_solve) \
    X(linalg_decompositions) \
    X(lobpcg) \
    X(tutorial_lines) \
    X(call_forms) \
    X(c_arrays) \
    X(tensor_info) \
    X(dtypes) \
    X(autograd) \
    X(grad) \
    X(hooks) \
    X(saved_writes) \
    X(function) \
    X(function_outputs) \
    X(func) \
    X(checkpoint) \
    X(functional_call) \
    X(state_dict_hooks) \
    X(inspection) \
    X(watch) \
    X(teach) \
    X(tape_html) \
    X(profiler) X(profiler_tables) \
    X(gradcheck) \
    X(double_backward) \
    X(scope) \
    X(error) \
    X(callbacks) \
    X(python) \
    X(image_transforms) X(transforms_errors) X(image_datasets) X(image_folder) X(jpeg) X(gif) \
    X(argparse) \
    X(common_errors) \
    X(regressions) \
    X(reductions) \
    X(small_reductions) \
    X(limits) \
    X(sizes) \
    X(arguments) \
    X(threads) \
    X(memory) \
    X(vmath) \
    X(rowwise) \
    X(norms) \
    X(copy) \
    X(index) \
    X(index_tensors) \
    X(index_cases) \
    X(tensor_literal) \
    X(print) \
    X(print_options) \
    X(default_dtype) \
    X(special) \
    X(apply) \
    X(safetensors_model) \
    X(module) \
    X(containers) \
    X(submodule) \
    X(module_path) \
    X(module_hooks) \
    X(state_dict) \
    X(state_dict_copies) \
    X(functional) X(keyword_arguments) \
    X(losses) \
    X(activation_modules) \
    X(transformer) \
    X(masks) \
    X(attention) \
    X(dropout) \
    X(decoder) \
    X(torch_transformer) \
    X(torch_transformer_errors) \
    X(torch_calls) \
    X(deepcopy) \
    X(conv_modules) \
    X(recurrent) \
    X(packed_sequences) \
    X(large_vocabulary) \
    X(prune) \
    X(lazy) X(nn_refusals) \
    X(models) \
    X(onnx) \
    X(parametrize) \
    X(subclass) \
    X(init) \
    X(sequences) \
    X(training) \
    X(optim) \
    X(optimizers) \
    X(lbfgs) \
    X(grad_scaler) \
    X(optim_state) \
    X(custom_optimizer) \
    X(scheduler_state) \
    X(schedulers) \
    X(clip_grad) \
    X(without_memory) \
    X(collate) \
    X(swa_utils) \
    X(data) \
    X(datasets) \
    X(sampler) \
    X(distributions) X(constraints) \
    X(kl) \
    X(transforms) \
    X(workers) \
    X(dict) \
    X(files) \
    X(file_writers) \
    X(convert) \
    X(safetensors) \
    X(safetensors_read) \
    X(safetensors_bad) \
    X(rng_state) \
    X(resume) \
    X(npy) \
    X(text) \
    X(zip) X(zlib) \
    X(png) X(pnm) X(vision_utils) \
    X(zip_write) \
    X(protobuf) \
    X(tokenizers) \
    X(tokenizer_files) \
    X(summary_writer) \
    X(event_reader) X(graph) \
    X(torchtext) \
    X(tqdm) X(csv_logger) \
    X(torch_load) \
    X(pickle) \
    X(pandas) X(frame) X(pandas_missing) X(merge) X(datetime) X(groupby) X(category) X(window) X(genfromtxt_names) \
    X(sklearn) X(sklearn_metrics) \
    X(plot_facts) \
    X(plot) \
    X(plot_files) \
    X(plot_errors) \
    X(plot_png) X(plot_memory) \
    X(plot_image) \
    X(plot_layout) \
    X(plot_terminal)

#define DECLARE(name) Suite *name##_suite(void);
SUITES(DECLARE)

typedef struct Entry {
    const char *name;
    Suite *(*make)(void);
} Entry;
#define ENTRY(name) {#name, name##_suite},
static const Entry entries[] = {SUITES(ENTRY)};
enum { ENTRIES = sizeof entries / sizeof *entries };

static bool is_meant(const char *word, int entry) {
    int share, shares;
    if (sscanf(word, "%d/%d", &share, &shares) == 2 && shares > 0)
        return entry >= TABLES && entry % shares == share - 1;
    return strcmp(word, entries[entry].name) == 0;
}

int main(int argc, char **argv) {
    setenv("TAPEGRAD_WARNINGS", "off", 1); /* the suite that tests warnings turns them on */
    setenv("CK_DEFAULT_TIMEOUT", "120", 0); /* seconds; Check's 4 are too few under a sanitizer */
    SRunner *runner = srunner_create(NULL);
    int chosen = 0;
    for (int i = 0; i < ENTRIES; i++) {
        bool meant = argc < 2;
        for (int w = 1; w < argc && !meant; w++) meant = is_meant(argv[w], i);
        if (meant) srunner_add_suite(runner, entries[i].make());
        chosen += meant;
    }
    if (chosen == 0) {
        fprintf(stderr, "there is no suite %s; these are the suites:", argv[1]);
        for (int i = 0; i < ENTRIES; i++) fprintf(stderr, " %s", entries[i].name);
        fputc('\n', stderr);
        return EXIT_FAILURE;
    }
    return run_suites(runner);
}
