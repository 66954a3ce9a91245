/* examples/gpt2/weights.c: the model from Hugging Face's files, or with random weights.
 *
 * GPT-2 has its own linear layer, Conv1D, whose weight is (in, out) where F_linear's is (out, in): the four matrices of
 * a block are transposed. Names may all have "transformer." in front. Not read: the masks that older files store as
 * h.0.attn.bias, and lm_head.weight, which is wte.weight again. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpt2.h"

static const char source[] = "https://huggingface.co/openai-community/gpt2/tree/main";

/* ---- config.json ---- */

static bool read_text(const char *path, char *text, size_t size) {
    FILE *file = fopen(path, "rb");
    if (!file)
        return t_fail("%s: %s; GPT-2's files are at %s (examples/gpt2/README.md)", path, strerror(errno), source);
    text[fread(text, 1, size - 1, file)] = '\0';
    fclose(file);
    return true;
}

/* The number after "name": of an object without others inside that have this name. */
static bool read_number(const char *path, const char *text, const char *name, double *to) {
    const char *at = strstr(text, t_format("\"%s\"", name));
    if (!at || sscanf(at + strlen(name) + 2, " : %lf", to) != 1) return t_fail("%s: there is no \"%s\"", path, name);
    return true;
}

static bool read_config(const char *path, GPT2Config *config) {
    char text[16384];
    double vocab_size, n_positions, n_embd, n_layer, n_head;
    if (!read_text(path, text, sizeof text) || !read_number(path, text, "vocab_size", &vocab_size) ||
        !read_number(path, text, "n_positions", &n_positions) || !read_number(path, text, "n_embd", &n_embd) ||
        !read_number(path, text, "n_layer", &n_layer) || !read_number(path, text, "n_head", &n_head) ||
        !read_number(path, text, "layer_norm_epsilon", &config->layer_norm_epsilon))
        return false;
    config->vocab_size = (int64_t)vocab_size, config->n_positions = (int64_t)n_positions;
    config->n_embd = (int64_t)n_embd, config->n_layer = (int64_t)n_layer, config->n_head = (int64_t)n_head;
    if (n_layer < 1 || n_layer > MOST_LAYERS || n_head < 1 || n_positions < 1 || config->n_embd % config->n_head)
        return t_fail("%s: %g layers, %g heads and %g features are no GPT-2", path, n_layer, n_head, n_embd);
    return true;
}

/* ---- the tensors ---- */

/* By its name, which must have rows x columns elements, or `rows` if columns is 0. */
static Tensor *take(t_TensorDict *weights, const char *name, int64_t rows, int64_t columns) {
    Tensor *x = t_dict_get(weights, name);
    if (!x) return t_fail("the weights have no %s", name);
    if (t_dim(x) != (columns ? 2 : 1) || t_size(x, 0) != rows || t_size(x, -1) != (columns ? columns : rows))
        return t_fail("%s is %s, but by config.json it has %lld rows and %lld columns", name, t_size_repr(x),
                      (long long)rows, (long long)(columns ? columns : 1));
    return t_detach(t_float(x)); /* of the caller's scope, with the same memory */
}

static Tensor *vector(t_TensorDict *weights, int64_t layer, const char *name, int64_t size) {
    return take(weights, t_format("h.%d.%s", (int)layer, name), size, 0);
}

static Tensor *matrix(t_TensorDict *weights, int64_t layer, const char *name, int64_t in, int64_t out) {
    return t_contiguous(t_t(take(weights, t_format("h.%d.%s", (int)layer, name), in, out)));
}

static bool fill(GPT2 *self, t_TensorDict *weights) {
    int64_t C = self->config.n_embd;
    self->wte = t_keep(take(weights, "wte.weight", self->config.vocab_size, C));
    self->wpe = t_keep(take(weights, "wpe.weight", self->config.n_positions, C));
    if (!self->wte || !self->wpe) return false;
    for (int64_t i = 0; i < self->config.n_layer; i++)
        self->h[i] = (Block){t_keep(vector(weights, i, "ln_1.weight", C)),
                             t_keep(vector(weights, i, "ln_1.bias", C)),
                             t_keep(matrix(weights, i, "attn.c_attn.weight", C, 3 * C)),
                             t_keep(vector(weights, i, "attn.c_attn.bias", 3 * C)),
                             t_keep(matrix(weights, i, "attn.c_proj.weight", C, C)),
                             t_keep(vector(weights, i, "attn.c_proj.bias", C)),
                             t_keep(vector(weights, i, "ln_2.weight", C)),
                             t_keep(vector(weights, i, "ln_2.bias", C)),
                             t_keep(matrix(weights, i, "mlp.c_fc.weight", C, 4 * C)),
                             t_keep(vector(weights, i, "mlp.c_fc.bias", 4 * C)),
                             t_keep(matrix(weights, i, "mlp.c_proj.weight", 4 * C, C)),
                             t_keep(vector(weights, i, "mlp.c_proj.bias", C))};
    self->ln_f_weight = t_keep(take(weights, "ln_f.weight", C, 0));
    self->ln_f_bias = t_keep(take(weights, "ln_f.bias", C, 0));
    self->bytes_per_token = 4 * (self->config.vocab_size * C + self->config.n_layer * (12 * C * C + 13 * C) + 2 * C);
    return !t_error();
}

static bool exists(const char *path) {
    FILE *file = fopen(path, "rb");
    if (file) fclose(file);
    return file != NULL;
}

bool gpt2_from_pretrained(GPT2 *self, const char *folder) {
    bool ok = false;
    with_scope () {
        const char *path = t_format("%s/model.safetensors", folder), *older = t_format("%s/pytorch_model.bin", folder);
        if (!read_config(t_format("%s/config.json", folder), &self->config)) return false;
        if (!exists(path) && exists(older))
            path = older;
        else if (!exists(path))
            return t_fail("%s is missing; GPT-2's files are at %s (examples/gpt2/README.md)", path, source);
        t_TensorDict *weights = t_load(path);
        if (t_dict_has(weights, "transformer")) weights = t_dict_get_dict(weights, "transformer");
        ok = fill(self, weights);
    }
    return ok;
}

/* ---- random ones ---- */

bool gpt2_random(GPT2 *self, const char *size) {
    static const struct {
        const char *name;
        int64_t n_embd, n_layer, n_head;
    } sizes[] = {{"124M", 768, 12, 12}, {"355M", 1024, 24, 16}, {"774M", 1280, 36, 20}, {"1558M", 1600, 48, 25}};
    size_t i = 0;
    while (i < 4 && strcmp(sizes[i].name, size) != 0) i++;
    if (i == 4) return t_fail("there are the sizes 124M, 355M, 774M and 1558M, not %s", size);
    int64_t C = sizes[i].n_embd;
    self->config = (GPT2Config){50257, 1024, C, sizes[i].n_layer, sizes[i].n_head, 1e-5};
    bool ok = false;
    with_scope () {
        t_TensorDict *weights = t_dict();
        static const struct {
            const char *name;
            int in, out; /* times C; out 0: a vector */
        } parts[] = {{"ln_1.weight", 1, 0},      {"ln_1.bias", 1, 0},          {"attn.c_attn.weight", 1, 3},
                     {"attn.c_attn.bias", 3, 0}, {"attn.c_proj.weight", 1, 1}, {"attn.c_proj.bias", 1, 0},
                     {"ln_2.weight", 1, 0},      {"ln_2.bias", 1, 0},          {"mlp.c_fc.weight", 1, 4},
                     {"mlp.c_fc.bias", 4, 0},    {"mlp.c_proj.weight", 4, 1},  {"mlp.c_proj.bias", 1, 0}};
        t_dict_set(weights, "wte.weight", t_mul(t_randn(50257, C), 0.02));
        t_dict_set(weights, "wpe.weight", t_mul(t_randn(1024, C), 0.02));
        t_dict_set(weights, "ln_f.weight", t_ones(C));
        t_dict_set(weights, "ln_f.bias", t_zeros(C));
        for (int64_t layer = 0; layer < sizes[i].n_layer; layer++)
            for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
                int64_t in = parts[p].in * C, out = parts[p].out * C;
                t_dict_set(weights, t_format("h.%d.%s", (int)layer, parts[p].name),
                           out                             ? t_mul(t_randn(in, out), 0.02)
                           : strstr(parts[p].name, "bias") ? t_zeros(in)
                                                           : t_ones(in));
            }
        ok = fill(self, weights);
    }
    return ok;
}
