/* examples/lessons/11_gpt/grade.c: the parts by the library's functions, the model by nn_TransformerEncoderLayer. */
#include "grader.h"
#include SUBMISSION

static Tensor *draw_ids(int64_t B, int64_t T, int64_t vocabulary) { return t_randint(0, vocabulary, (B, T)); }

/* A model whose biases and norms are not at their start, so that leaving one out is seen. */
static GPT *draw_model(int64_t vocabulary, int64_t positions, int64_t C, int64_t heads) {
    GPT *model = gpt(vocabulary, positions, C, heads);
    with_no_grad() for_named (p, nn_named_parameters(model)) {
        if (t_dim(p->tensor) == 1) t_add_(p->tensor, t_mul(t_randn(t_size(p->tensor, 0)), 0.3));
    }
    return model;
}

/* The library's layer with the parameters of a block. */
static nn_TransformerEncoderLayer *library_layer(const Block *from, int64_t C) {
    nn_TransformerEncoderLayer *layer = nn_TransformerEncoderLayer(
        C, from->heads, 4 * C, .dropout = 0, .activation = "gelu", .batch_first = true, .norm_first = true);
    t_TensorDict *state = t_dict();
    t_dict_set(state, "self_attn.in_proj_weight", from->qkv->weight);
    t_dict_set(state, "self_attn.in_proj_bias", from->qkv->bias);
    t_dict_set(state, "self_attn.out_proj.weight", from->out->weight);
    t_dict_set(state, "self_attn.out_proj.bias", from->out->bias);
    t_dict_set(state, "linear1.weight", from->up->weight);
    t_dict_set(state, "linear1.bias", from->up->bias);
    t_dict_set(state, "linear2.weight", from->down->weight);
    t_dict_set(state, "linear2.bias", from->down->bias);
    t_dict_set(state, "norm1.weight", from->norm1->weight);
    t_dict_set(state, "norm1.bias", from->norm1->bias);
    t_dict_set(state, "norm2.weight", from->norm2->weight);
    t_dict_set(state, "norm2.bias", from->norm2->bias);
    nn_load_state_dict(layer, state);
    return layer;
}

static Tensor *library_logits(GPT *model, Tensor *ids, int64_t C) {
    int64_t T = t_size(ids, 1);
    Tensor *mask = nn_Transformer_generate_square_subsequent_mask(T);
    Tensor *x = t_add(F_embedding(ids, model->token->weight), t_at(model->position->weight, ":{}", T));
    for_module (each, model->blocks) x = nn_TransformerEncoderLayer_call(library_layer(each, C), x, .src_mask = mask);
    return nn_call(model->head, nn_call(model->norm, x));
}

static void check_mask(void) {
    for (int i = 0; i < 4; i++) {
        int T = i == 3 ? 1 : draw_integer(2, 5), S = i == 0 ? T : T + draw_integer(1, 4);
        Tensor *expected = t_le(t_arange(S), t_unsqueeze(t_arange(S - T, S), 1));
        in_case("T = %d, S = %d", T, S);
        Tensor *got = causal_mask(T, S);
        expect_true(got && t_dtype(got) == t_bool, "the mask is not of bool");
        expect_close("mask", got, expected);
    }
}

static void check_weights(void) {
    for (int i = 0; i < 3; i++) {
        int B = draw_integer(1, 2), H = draw_integer(2, 3), T = draw_integer(3, 4), S = draw_integer(5, 7);
        int d = draw_integer(8, 9);
        Tensor *q = draw_normal(B, H, T, d), *k = draw_normal(B, H, S, d), *visible = t_gt(draw_normal(T, S), 0);
        t_set(visible, ":, 0", t_ones(T, .dtype = t_bool)); /* each query sees something, */
        t_set(visible, ":, 1", t_zeros(T, .dtype = t_bool)); /* and none sees all */
        Tensor *expected = F_scaled_dot_product_attention(q, k, t_expand(t_eye(S), B, H, S, S), .attn_mask = visible);
        in_case("q (%d, %d, %d, %d), k (%d, %d, %d, %d)", B, H, T, d, B, H, S, d);
        expect_close("weights", attention_weights(q, k, visible), expected);
    }
}

static void check_append(void) {
    int B = draw_integer(1, 2), H = draw_integer(2, 3), d = draw_integer(4, 5), total = 0;
    Tensor *all = draw_normal(B, H, 12, d), *cached = NULL;
    for (int i = 0; i < 3; i++) {
        int T = draw_integer(1, 4);
        Tensor *got = append(&cached, t_at(all, ":, :, {}:{}", total, total + T));
        total += T;
        in_case("call %d, %d positions so far", i + 1, total);
        expect_close("result", got, t_at(all, ":, :, :{}", total));
        expect_close("*cached", cached, t_at(all, ":, :, :{}", total));
    }
}

static void check_block(void) {
    for (int i = 0; i < 2; i++) {
        int heads = draw_integer(2, 3), C = 4 * heads, T = draw_integer(3, 5);
        GPT *model = draw_model(5, 5, C, heads);
        Tensor *x = draw_normal(2, T, C);
        for_module (each, model->blocks) {
            Block *b = each;
            Tensor *y = t_add(x, self_attention(b, nn_call(b->norm1, x), NULL));
            y = t_add(y, nn_call(b->down, F_gelu(nn_call(b->up, nn_call(b->norm2, y)))));
            in_case("x of shape (2, %d, %d), %d heads", T, C, heads);
            expect_close("result", block_call(b, x, NULL), y);
        }
    }
}

static void check_model(void) {
    for (int i = 0; i < 2; i++) {
        int heads = draw_integer(2, 3), C = 4 * heads, T = draw_integer(3, 7), vocabulary = draw_integer(9, 11);
        GPT *model = draw_model(vocabulary, 8, C, heads);
        Tensor *ids = draw_ids(2, T, vocabulary);
        in_case("ids of shape (2, %d), C = %d, %d heads; expected by nn_TransformerEncoderLayer", T, C, heads);
        expect_close("logits", gpt_call(model, ids, NULL), library_logits(model, ids, C));
    }
}

static void check_cache(void) {
    int heads = draw_integer(2, 3), C = 4 * heads, vocabulary = draw_integer(9, 11);
    GPT *model = draw_model(vocabulary, 12, C, heads);
    Tensor *ids = draw_ids(2, 12, vocabulary), *expected = library_logits(model, ids, C);
    Cache cache = {0};
    with_no_grad() for (int past = 0; past < 12;) {
        int T = past == 0 ? draw_integer(2, 4) : draw_integer(1, 3); /* the prompt, then one to three at a time */
        T = T > 12 - past ? 12 - past : T;
        Tensor *got = gpt_call(model, t_at(ids, ":, {}:{}", past, past + T), &cache);
        in_case("%d tokens after %d in the cache", T, past);
        expect_close("logits", got, t_at(expected, ":, {}:{}", past, past + T));
        past += T;
        expect_integer("cache.length", cache.length, past);
    }
}

static void check_loss(void) {
    for (int i = 0; i < 2; i++) {
        int T = draw_integer(4, 7), vocabulary = draw_integer(9, 11);
        GPT *model = draw_model(vocabulary, 8, 8, 2);
        Tensor *ids = draw_ids(3, T, vocabulary), *logits = gpt_call(model, t_at(ids, ":, :-1"), NULL);
        Tensor *expected = F_cross_entropy(t_transpose(logits, 1, 2), t_at(ids, ":, 1:"));
        in_case("ids of shape (3, %d)", T);
        expect_close("loss", next_token_loss(model, ids), expected);
    }
}

static void check_train_step(void) {
    GPT *model = draw_model(9, 8, 8, 2);
    with_no_grad() t_mul_(model->head->weight, 40); /* gradients larger than 1 */
    GPT *reference = nn_deepcopy(model);
    optim_Optimizer *mine = optim_SGD(nn_parameters(model), .lr = 0.1);
    optim_Optimizer *other = optim_SGD(nn_parameters(reference), .lr = 0.1);
    for (int step = 1; step <= 3; step++) {
        Tensor *ids = draw_ids(4, 8, 9), *loss = next_token_loss(reference, ids);
        optim_zero_grad(other);
        t_backward(loss);
        nn_utils_clip_grad_norm_(nn_parameters(reference), 1);
        optim_step(other);
        in_case("step %d", step);
        double got = train_step(model, mine, ids), expected = t_item(loss);
        expect_true(fabs(got - expected) <= 1e-3 * fabs(expected), "the loss is %.5g, expected %.5g", got, expected);
        expect_close_within("head.bias", model->head->bias, reference->head->bias, 1e-3, 1e-4);
    }
}

static void check_top_k(void) {
    for (int i = 0; i < 3; i++) {
        int B = draw_integer(2, 3), V = draw_integer(6, 9), k = draw_integer(1, 4);
        Tensor *logits = draw_normal(B, V);
        if (i == 2) logits = t_floor(t_mul(logits, 2)); /* has equal ones */
        Tensor *kth = t_at(t_sort(logits, 1), ":, {}:{}", V - k, V - k + 1);
        Tensor *expected = t_where(t_ge(logits, kth), logits, t_full_like(logits, -INFINITY));
        in_case("logits of shape (%d, %d), k = %d%s", B, V, k, i == 2 ? ", some are equal" : "");
        expect_close("result", keep_top_k(logits, k), expected);
    }
}

/* With k = 1, or at a temperature near 0, the most likely token is certain. */
static void check_generate(void) {
    for (int i = 0; i < 4; i++) {
        int vocabulary = draw_integer(9, 11), T = draw_integer(2, 4), count = draw_integer(5, 7);
        bool use_cache = i % 2;
        GPT *model = draw_model(vocabulary, 12, 8, 2);
        Tensor *ids = draw_ids(1, T, vocabulary), *expected = ids, *next = ids;
        Cache cache = {0};
        with_no_grad() for (int j = 0; j < count; j++) {
            Tensor *logits = t_at(gpt_call(model, use_cache ? next : expected, use_cache ? &cache : NULL), ":, -1");
            next = t_argmax(logits, 1, .keepdim = true);
            expected = t_cat(t_list(expected, next), 1);
        }
        double temperature = i < 2 ? 1 : 1e-6;
        int k = i < 2 ? 1 : vocabulary;
        in_case("%d tokens after %d, temperature %g, k = %d, %s the cache", count, T, temperature, k,
                use_cache ? "with" : "without");
        expect_close("ids", generate(model, ids, count, temperature, k, use_cache), expected);
    }
}

#define LIBRARY "F_scaled* nn_Mult* nn_Transformer* F_multi*"
static const Check checks[] = {
    {"causal_mask", 2, check_mask, .forbidden = "nn_Transformer*"},
    {"attention_weights", 3, check_weights, .forbidden = LIBRARY},
    {"append", 2, check_append},
    {"block_call", 3, check_block, .forbidden = LIBRARY},
    {"gpt_call", 3, check_model, .forbidden = LIBRARY},
    {"gpt_call_with_cache", 4, check_cache, .function = "gpt_call", .forbidden = LIBRARY},
    {"next_token_loss", 2, check_loss},
    {"train_step", 2, check_train_step},
    {"keep_top_k", 2, check_top_k},
    {"generate", 2, check_generate},
};
GRADE("11 GPT", checks)
