/* Lesson 05: a network of two layers, forward and backward by hand, without t_backward.
 *
 *     h = tanh(x w1 + b1)        x (N, D), w1 (D, H), b1 (H)
 *     z = h w2 + b2              w2 (H, C), b2 (C): the logits
 *     loss = mean over the rows of -log softmax(z)[label]
 *
 * Tensors are values here: no function may use t_backward, F_linear, F_cross_entropy or a module of nn. */
#include <math.h>
#include <stdio.h>

#include "core/core.h"
#include "core/plot/plot.h"
#include "nn/nn.h"

/* y = x w + b: (N, D) times (D, H), plus b in each row. */
Tensor *linear(Tensor *x, Tensor *w, Tensor *b) {
    // HOLE
    //| (void)b; /* your code */
    //| return t_zeros(t_size(x, 0), t_size(w, 1));
    return t_add(t_matmul(x, w), b);
    // END
}

typedef struct LinearGradients {
    Tensor *dx, *dw, *db;
} LinearGradients;

/* The gradients of y = x w + b from dy (N, H): dx (N, D), dw (D, H), db (H). b is added to each of the N rows. */
LinearGradients linear_backward(Tensor *x, Tensor *w, Tensor *dy) {
    // HOLE
    //| (void)dy; /* your code */
    //| return (LinearGradients){t_zeros_like(x), t_zeros_like(w), t_zeros(t_size(w, 1))};
    Tensor *dx = t_matmul(dy, t_transpose(w, 0, 1));
    Tensor *dw = t_matmul(t_transpose(x, 0, 1), dy);
    Tensor *db = t_sum(dy, 0);
    // WRONG mean_bias 10: Tensor *db = t_mean(dy, 0);
    // WRONG sum_of_all 10: Tensor *db = t_sum(dy);
    return (LinearGradients){dx, dw, db};
    // END
}

/* The gradient of y = tanh(x) from y and dy. */
Tensor *tanh_backward(Tensor *y, Tensor *dy) {
    // HOLE
    //| (void)y; /* your code */
    //| return t_zeros_like(dy);
    return t_mul(dy, t_sub(1, t_square(y)));
    // WRONG not_squared 12: return t_mul(dy, t_sub(1, y));
    // WRONG applied_twice 12: return t_mul(dy, t_sub(1, t_square(t_tanh(y))));
    // END
}

/* The mean over the rows of log(sum of exp(z)) - z[label]: z (N, C), labels (N). It must not overflow. */
Tensor *cross_entropy(Tensor *z, Tensor *labels) {
    // HOLE
    //| (void)z, (void)labels; /* your code */
    //| return t_zeros();
    Tensor *largest = t_amax(z, 1, .keepdim = true);
    // WRONG overflow 16: Tensor *largest = t_zeros(t_size(z, 0), 1);
    Tensor *log_sum = t_add(t_log(t_sum(t_exp(t_sub(z, largest)), 1)), t_squeeze(largest, 1));
    Tensor *of_label = t_squeeze(t_gather(z, 1, t_unsqueeze(labels, 1)), 1);
    return t_mean(t_sub(log_sum, of_label));
    // WRONG not_mean 14: return t_sum(t_sub(log_sum, of_label));
    // END
}

/* Its gradient with respect to z: (softmax(z) - one_hot(labels)) / N. t_softmax and F_one_hot may be used. */
Tensor *cross_entropy_backward(Tensor *z, Tensor *labels) {
    // HOLE
    //| (void)labels; /* your code */
    //| return t_zeros_like(z);
    Tensor *difference = t_sub(t_softmax(z, 1), F_one_hot(labels, t_size(z, 1)));
    return t_div(difference, t_size(z, 0));
    // WRONG no_mean 9: return difference;
    // WRONG sign 9: return t_div(t_neg(difference), t_size(z, 0));
    // END
}

typedef struct MLP {
    Tensor *w1, *b1, *w2, *b2;
} MLP;

MLP mlp(int in, int hidden, int classes) {
    MLP net;
    net.w1 = t_div(t_randn(in, hidden), sqrt(in));
    net.b1 = t_zeros(hidden);
    net.w2 = t_div(t_randn(hidden, classes), sqrt(hidden));
    net.b2 = t_zeros(classes);
    return net;
}

/* The logits. */
Tensor *mlp_forward(const MLP *net, Tensor *x) {
    return linear(t_tanh(linear(x, net->w1, net->b1)), net->w2, net->b2);
}

/* The gradients of the loss with respect to the four parameters: the forward again, then the rules from the last to the
 * first. */
MLP mlp_backward(const MLP *net, Tensor *x, Tensor *labels) {
    // HOLE
    //| (void)x, (void)labels; /* your code */
    //| return (MLP){t_zeros_like(net->w1), t_zeros_like(net->b1), t_zeros_like(net->w2), t_zeros_like(net->b2)};
    Tensor *h = t_tanh(linear(x, net->w1, net->b1));
    Tensor *z = linear(h, net->w2, net->b2);
    LinearGradients second = linear_backward(h, net->w2, cross_entropy_backward(z, labels));
    LinearGradients first = linear_backward(x, net->w1, tanh_backward(h, second.dx));
    // WRONG without_tanh 13: LinearGradients first = linear_backward(x, net->w1, second.dx);
    return (MLP){first.dw, first.db, second.dw, second.db};
    // END
}

/* A step of gradient descent, in place: each parameter minus learning_rate times its gradient. */
void descend(MLP *net, const MLP *gradient, double learning_rate) {
    // HOLE
    //| (void)net, (void)gradient, (void)learning_rate; /* your code */
    t_sub_(net->w1, t_mul(learning_rate, gradient->w1));
    t_sub_(net->b1, t_mul(learning_rate, gradient->b1));
    t_sub_(net->w2, t_mul(learning_rate, gradient->w2));
    t_sub_(net->b2, t_mul(learning_rate, gradient->b2));
    // WRONG forgotten 16:
    // END
}

/* Two half circles that interlock. */
static Tensor *two_moons(int n, Tensor **labels) {
    Tensor *angle = t_mul(t_rand(n), 3.141592653589793), *y = t_float(t_randint(0, 2, n)),
           *sign = t_sub(1, t_mul(y, 2));
    Tensor *x0 = t_add(t_mul(t_cos(angle), sign), y), *x1 = t_add(t_mul(t_sin(angle), sign), t_mul(y, 0.5));
    *labels = t_long(y);
    return t_add(t_stack(t_list(x0, x1), 1), t_mul(t_randn(n, 2), 0.1));
}

/* The probability of class 1 on a grid, row by row from the top: an image of the decision boundary. */
static void draw_boundary(const MLP *net, const char *folder) {
    int rows = 15, columns = 30;
    Tensor *points = t_zeros(rows * columns, 2);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) {
            t_set(points, "{}, 0", i * columns + j, -1.5 + 4.0 * j / (columns - 1));
            t_set(points, "{}, 1", i * columns + j, 1.5 - 2.5 * i / (rows - 1));
        }
    Tensor *p = t_at(t_softmax(mlp_forward(net, points), 1), ":, 1");
    plt_imshow(t_view(p, rows, columns), .vmin = 0, .vmax = 1);
    plt_title("probability of class 1");
    if (folder) plt_savefig(t_format("%s/boundary.svg", folder));
    plt_show();
}

/* mlp_by_hand [--plots DIR] */
int main(int argc, char **argv) {
    const char *folder = argc == 3 ? argv[2] : NULL;
    t_manual_seed(0);
    Tensor *labels, *x = two_moons(200, &labels);
    MLP net = mlp(2, 16, 2);
    for_range (step, 0, 301) {
        if (step % 100 == 0) {
            Tensor *z = mlp_forward(&net, x), *right = t_eq(t_argmax(z, 1), labels);
            printf("step %3d  loss %.4f  accuracy %.3f\n", (int)step, t_item(cross_entropy(z, labels)),
                   t_item(t_mean(t_float(right))));
        }
        MLP gradient = mlp_backward(&net, x, labels);
        descend(&net, &gradient, 1.0);
    }
    draw_boundary(&net, folder);
    return 0;
}
