/* Lesson 10: the encoder block of a Transformer, part by part: LayerNorm with its gradient rule, GELU, residual
 * sublayers with the norm before or after, and dropout. Three runs show what each part is for.
 *
 *     pre-norm:  x + f(norm(x))        post-norm:  norm(x + f(x))        f: attention, then an MLP
 *
 * The library's layer_norm, gelu, dropout and encoder layer are the answer key, so the holes may not call them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/core.h"
#include "core/plot/plot.h"
#include "nn/nn.h"
#include "optim/optim.h"

/* ---- LayerNorm ---- */

/* y = weight * xhat + bias, xhat = (x - mean) / sqrt(variance + eps): mean and variance over the last dim, the variance
 * divided by C. x (..., C), weight (C), bias (C). */
Tensor *layer_norm(Tensor *x, Tensor *weight, Tensor *bias, double eps) {
    // HOLE
    //| (void)weight, (void)bias, (void)eps; /* your code */
    //| return t_zeros_like(x);
    Tensor *centered = t_sub(x, t_mean(x, -1, .keepdim = true));
    Tensor *variance = t_mean(t_square(centered), -1, .keepdim = true);
    // WRONG unbiased 17: Tensor *variance = t_var(x, -1, .keepdim = true);
    Tensor *xhat = t_div(centered, t_sqrt(t_add(variance, eps)));
    return t_add(t_mul(weight, xhat), bias);
    // END
}

typedef struct LayerNormGradients {
    Tensor *dx, *dweight, *dbias;
} LayerNormGradients;

/* The gradients of y = layer_norm(x, weight, bias, eps) from dy, for x (N, C) and dy (N, C): dx (N, C), dweight (C),
 * dbias (C). Without t_backward. With dxhat = dy * weight, and means over the C features of a row:
 *
 *     dx = (dxhat - mean(dxhat) - xhat * mean(dxhat * xhat)) / sqrt(variance + eps) */
LayerNormGradients layer_norm_backward(Tensor *x, Tensor *weight, Tensor *dy, double eps) {
    // HOLE
    //| (void)dy, (void)eps; /* your code */
    //| return (LayerNormGradients){t_zeros_like(x), t_zeros_like(weight), t_zeros_like(weight)};
    Tensor *centered = t_sub(x, t_mean(x, -1, .keepdim = true));
    Tensor *sigma = t_sqrt(t_add(t_mean(t_square(centered), -1, .keepdim = true), eps));
    Tensor *xhat = t_div(centered, sigma);
    Tensor *dxhat = t_mul(dy, weight);
    // WRONG forgotten_weight 15: Tensor *dxhat = dy;
    Tensor *along_ones = t_mean(dxhat, -1, .keepdim = true);
    Tensor *along_xhat = t_mul(xhat, t_mean(t_mul(dxhat, xhat), -1, .keepdim = true));
    Tensor *dx = t_div(t_sub(t_sub(dxhat, along_ones), along_xhat), sigma);
    // WRONG constant_statistics 15: (void)along_ones, (void)along_xhat;
    // WRONG constant_statistics: Tensor *dx = t_div(dxhat, sigma);
    return (LayerNormGradients){dx, t_sum(t_mul(dy, xhat), 0), t_sum(dy, 0)};
    // END
}

/* ---- GELU ---- */

/* x Phi(x), with Phi(x) = (1 + erf(x / sqrt(2))) / 2, the normal distribution function. */
Tensor *gelu(Tensor *x) {
    // HOLE
    //| return t_zeros_like(x); /* your code */
    return t_mul(x, t_mul(0.5, t_add(1, t_erf(t_div(x, sqrt(2.0))))));
    // WRONG tanh_form 18: Tensor *inner = t_mul(0.7978845608, t_add(x, t_mul(0.044715, t_pow(x, 3))));
    // WRONG tanh_form: return t_mul(x, t_mul(0.5, t_add(1, t_tanh(inner))));
    // END
}

/* The gradient of gelu: dy * (Phi(x) + x phi(x)), with phi(x) = exp(-x^2 / 2) / sqrt(2 pi), the derivative of Phi. */
Tensor *gelu_backward(Tensor *x, Tensor *dy) {
    // HOLE
    //| (void)dy; /* your code */
    //| return t_zeros_like(x);
    Tensor *distribution = t_mul(0.5, t_add(1, t_erf(t_div(x, sqrt(2.0)))));
    Tensor *density = t_div(t_exp(t_mul(-0.5, t_square(x))), sqrt(2 * 3.141592653589793));
    return t_mul(dy, t_add(distribution, t_mul(x, density)));
    // WRONG no_product_rule 17: (void)density;
    // WRONG no_product_rule: return t_mul(dy, distribution);
    // END
}

/* ---- dropout ---- */

/* In training: each element is 0 with probability p, else x / (1 - p), so that the mean stays. Otherwise x itself. */
Tensor *dropout(Tensor *x, double p, bool training) {
    // HOLE
    //| (void)p, (void)training; /* your code */
    //| return t_zeros_like(x);
    if (!training) return x;
    // WRONG left_on 18: (void)training;
    Tensor *kept = t_float(t_ge(t_rand_like(x), p));
    return t_mul(x, t_div(kept, 1 - p));
    // WRONG not_scaled 17: return t_mul(x, kept);
    // END
}

/* ---- the block ---- */

typedef struct Block {
    nn_Module base;
    int64_t heads;
    nn_LayerNorm *norm1, *norm2;
    nn_Linear *qkv, *out, *up, *down;
} Block;

Block *block(int64_t C, int64_t heads) {
    Block *self = nn_module(Block, NULL);
    self->heads = heads;
    nn_set(self, norm1, nn_LayerNorm(C));
    nn_set(self, qkv, nn_Linear(C, 3 * C)); /* queries, keys and values of all heads */
    nn_set(self, out, nn_Linear(C, C));
    nn_set(self, norm2, nn_LayerNorm(C));
    nn_set(self, up, nn_Linear(C, 4 * C));
    nn_set(self, down, nn_Linear(4 * C, C));
    return self;
}

/* What is between norm and residual: attention or the MLP. (B, T, C) -> (B, T, C) */
typedef Tensor *(*Sublayer)(Block *self, Tensor *x);

/* Self-attention, lesson 09: each position sees all. */
Tensor *attention(Block *self, Tensor *x) {
    t_TensorList *qkv = t_chunk(nn_call(self->qkv, x), 3, -1);
    Tensor *heads[3];
    for (int i = 0; i < 3; i++) {
        Tensor *part = t_list_get(qkv, i);
        heads[i] = t_transpose(t_view(part, t_size(x, 0), t_size(x, 1), self->heads, -1), 1, 2);
    }
    Tensor *y = F_scaled_dot_product_attention(heads[0], heads[1], heads[2]);
    return nn_call(self->out, t_flatten(t_transpose(y, 1, 2), 2));
}

/* Each position on its own. */
Tensor *mlp(Block *self, Tensor *x) { return nn_call(self->down, F_gelu(nn_call(self->up, x))); }

/* x + f(norm(x)). Call f as f(self, ...). */
Tensor *pre_norm(Block *self, Sublayer f, nn_LayerNorm *norm, Tensor *x) {
    // HOLE
    //| (void)self, (void)f, (void)norm; /* your code */
    //| return t_mul(x, 0);
    return t_add(x, f(self, nn_call(norm, x)));
    // WRONG norm_on_stream 14: x = nn_call(norm, x);
    // WRONG norm_on_stream: return t_add(x, f(self, x));
    // END
}

/* norm(x + f(x)) */
Tensor *post_norm(Block *self, Sublayer f, nn_LayerNorm *norm, Tensor *x) {
    // HOLE
    //| (void)self, (void)f, (void)norm; /* your code */
    //| return t_mul(x, 0);
    return nn_call(norm, t_add(x, f(self, x)));
    // WRONG norm_on_branch 14: return t_add(x, nn_call(norm, f(self, x)));
    // END
}

/* The whole block: attention with norm1, then the MLP with norm2, both by pre_norm or both by post_norm. */
Tensor *encoder_block(Block *self, Tensor *x, bool norm_first) {
    // HOLE
    //| (void)self, (void)norm_first; /* your code */
    //| return t_mul(x, 0);
    if (norm_first) {
        x = pre_norm(self, attention, self->norm1, x);
        return pre_norm(self, mlp, self->norm2, x);
        // WRONG same_norm 16: return pre_norm(self, mlp, self->norm1, x);
    }
    x = post_norm(self, attention, self->norm1, x);
    return post_norm(self, mlp, self->norm2, x);
    // END
}

/* ---- run 1: the gradient by depth ---- */

enum { DEPTH = 12, KINDS = 5 };
typedef enum Kind { PLAIN, NORM, RESIDUAL, POST_NORM, PRE_NORM } Kind;
static const char *const kind_names[KINDS] = {"f(x)", "f(norm(x))", "x + f(x)", "norm(x + f(x))", "x + f(norm(x))"};

static Tensor *block_of_kind(Block *self, Tensor *x, Kind kind) {
    if (kind == PRE_NORM || kind == POST_NORM) return encoder_block(self, x, kind == PRE_NORM);
    for (int i = 0; i < 2; i++) {
        Tensor *y = kind == NORM ? nn_call(i == 0 ? self->norm1 : self->norm2, x) : x;
        y = i == 0 ? attention(self, y) : mlp(self, y);
        x = kind == RESIDUAL ? t_add(x, y) : y;
    }
    return x;
}

/* log10 of the norm of the gradient at the input of each block, and at the output of the last: (DEPTH + 1). The
 * gradient at the output has the norm 1. */
static Tensor *gradient_by_depth(Block **blocks, Tensor *input, Tensor *dy, Kind kind) {
    Tensor *h[DEPTH + 1] = {t_requires_grad_(t_clone(input), true)}, *result = t_zeros(DEPTH + 1);
    for (int i = 0; i < DEPTH; i++) {
        h[i + 1] = block_of_kind(blocks[i], h[i], kind);
        t_retain_grad(h[i + 1]);
    }
    t_backward(h[DEPTH], dy);
    for (int i = 0; i <= DEPTH; i++) t_set(result, "{}", i, log10(t_item(t_norm(t_grad(h[i]))) + 1e-30));
    return result;
}

/* Writes the figure to folder/name.svg if there is a folder. */
static void save_figure(const char *folder, const char *name) {
    if (folder) plt_savefig(t_format("%s/%s.svg", folder, name));
}

/* The table and the figure of blocks whose weights are `scale` times as large as the library draws them. */
static void show_depth(const char *folder, double scale) {
    Block *blocks[DEPTH];
    for (int i = 0; i < DEPTH; i++) {
        blocks[i] = block(32, 4);
        nn_Linear *layers[] = {blocks[i]->qkv, blocks[i]->out, blocks[i]->up, blocks[i]->down};
        with_no_grad() for (int j = 0; j < 4; j++) t_mul_(layers[j]->weight, scale);
    }
    Tensor *x = t_randn(4, 16, 32), *dy = t_randn(4, 16, 32), *logs[KINDS];
    dy = t_div(dy, t_norm(dy));
    plt_figure(.figsize = {6, 2.6});
    printf("log10 of the norm of the gradient at the input of block i, weights times %g\n   ", scale);
    for (int kind = 0; kind < KINDS; kind++) {
        logs[kind] = gradient_by_depth(blocks, x, dy, (Kind)kind);
        plt_plot(logs[kind], .label = kind_names[kind]);
        printf(" %15s", kind_names[kind]);
    }
    for (int i = DEPTH; i >= 0; i -= 3) {
        printf("\n%3d", i);
        for (int kind = 0; kind < KINDS; kind++) printf(" %15.1f", t_item(t_at(logs[kind], "{}", i)) + 1e-4);
    }
    printf("\n");
    plt_title(t_format("log10 of the gradient's norm by depth, weights times %g", scale));
    plt_legend();
    save_figure(folder, t_format("depth%g", scale));
    if (scale > 1) plt_show();
    else plt_close();
}

/* ---- run 2: GELU beside ReLU ---- */

static void show_gelu(const char *folder) {
    Tensor *x = t_linspace(-3, 3, 61), *one = t_ones(61), *y = gelu(x), *slope = gelu_backward(x, one);
    printf("\n    x   relu  slope   gelu  slope\n");
    for (int i = 0; i <= 60; i += 10) {
        double at = -3 + i * 0.1;
        printf("%5.1f  %5.2f  %5.2f  %5.2f  %5.2f\n", at, at > 0 ? at : 0, at > 0 ? 1.0 : 0.0,
               t_item(t_at(y, "{}", i)), t_item(t_at(slope, "{}", i)));
    }
    plt_figure(.figsize = {6, 2.6});
    plt_plot(x, F_relu(x), .label = "relu");
    plt_plot(x, y, .label = "gelu");
    plt_plot(x, slope, .label = "slope of gelu");
    plt_legend();
    save_figure(folder, "gelu");
    plt_show();
}

/* ---- run 3: dropout against overfitting ---- */

enum { FEATURES = 20, HIDDEN = 128, STEPS = 200 };

/* The label is the sign of the sum of two features, but every fifth label is drawn at random. */
static Tensor *draw_data(int n, Tensor **labels) {
    Tensor *x = t_randn(n, FEATURES), *sign = t_gt(t_sum(t_at(x, ":, :2"), 1), 0);
    *labels = t_where(t_lt(t_rand(n), 0.2), t_randint(0, 2, n), t_long(sign));
    return x;
}

static Tensor *logits(nn_Linear **layers, Tensor *x, double p, bool training) {
    x = dropout(x, p / 2, training);
    for (int i = 0; i < 2; i++) x = dropout(F_relu(nn_call(layers[i], x)), p, training);
    return nn_call(layers[2], x);
}

static void show_dropout(const char *folder) {
    Tensor *labels, *x = draw_data(100, &labels), *other_labels, *other = draw_data(1000, &other_labels);
    printf("\n        without dropout       dropout of 0.5\nstep  training validation  training validation\n");
    Tensor *curves[4];
    for (int run = 0; run < 2; run++) {
        double p = run ? 0.5 : 0;
        nn_Linear *layers[3] = {nn_Linear(FEATURES, HIDDEN), nn_Linear(HIDDEN, HIDDEN), nn_Linear(HIDDEN, 2)};
        nn_Sequential *all = nn_Sequential(layers[0], layers[1], layers[2]); /* for its parameters */
        optim_Optimizer *optimizer = optim_Adam(nn_parameters(all), .lr = 0.002);
        Tensor *training = curves[2 * run] = t_zeros(STEPS + 1), *validation = curves[2 * run + 1] = t_zeros(STEPS + 1);
        for_range (step, 0, STEPS + 1) {
            with_no_grad() {
                t_set(training, "{}", step, t_item(F_cross_entropy(logits(layers, x, p, false), labels)));
                t_set(validation, "{}", step, t_item(F_cross_entropy(logits(layers, other, p, false), other_labels)));
            }
            optim_zero_grad(optimizer);
            t_backward(F_cross_entropy(logits(layers, x, p, true), labels));
            optim_step(optimizer);
        }
    }
    static const char *const names[] = {"training", "validation", "training, dropout", "validation, dropout"};
    for (int step = 0; step <= STEPS; step += 40) {
        printf("%4d", step);
        for (int i = 0; i < 4; i++) printf("  %9.1f", t_item(t_at(curves[i], "{}", step)));
        printf("\n");
    }
    plt_figure(.figsize = {6, 2.6});
    for (int i = 0; i < 4; i++) plt_plot(curves[i], .label = names[i]);
    plt_title("loss with and without dropout");
    plt_legend();
    save_figure(folder, "dropout");
    plt_show();
}

/* encoder_block [--plots DIR] */
int main(int argc, char **argv) {
    const char *folder = argc == 3 && strcmp(argv[1], "--plots") == 0 ? argv[2] : NULL;
    t_manual_seed(0);
    show_depth(folder, 1);
    show_depth(folder, 1.5);
    show_gelu(folder);
    show_dropout(folder);
    return 0;
}
