/* examples/pytorch/synthetic_digits.h: the data of the ports that read digits, in place of MNIST, which would have to
 * be downloaded: the ten digits of 5x7 pixels, enlarged, rotated, scaled and shifted at random, under noise. */
#ifndef EXAMPLES_PYTORCH_SYNTHETIC_DIGITS_H
#define EXAMPLES_PYTORCH_SYNTHETIC_DIGITS_H

#include "core/core.h"
#include "nn/nn.h"

/* n images of (1, 28, 28) with values from 0 to 1, and their labels. */
static inline void synthetic_digits(int64_t n, double noise, Tensor **images, Tensor **labels) {
    static const char *const GLYPHS[10] = {
        "01110 10001 10011 10101 11001 10001 01110", "00100 01100 00100 00100 00100 00100 01110",
        "01110 10001 00001 00110 01000 10000 11111", "01110 10001 00001 00110 00001 10001 01110",
        "00010 00110 01010 10010 11111 00010 00010", "11111 10000 11110 00001 00001 10001 01110",
        "00110 01000 10000 11110 10001 10001 01110", "11111 00001 00010 00100 01000 01000 01000",
        "01110 10001 10001 01110 10001 10001 01110", "01110 10001 10001 01111 00001 00010 01100",
    };
    float pixels[10 * 35];
    int at = 0;
    for (int digit = 0; digit < 10; digit++)
        for (const char *c = GLYPHS[digit]; *c; c++)
            if (*c != ' ') pixels[at++] = (float)(*c - '0');
    Tensor *glyphs = t_view(t_tensor(pixels), 10, 1, 7, 5);
    glyphs = F_pad(F_interpolate(glyphs, .scale_factor = {3}), (6, 7, 3, 4));

    *labels = t_randint(0, 10, n);
    Tensor *angle = t_sub(t_rand(n), 0.5);
    Tensor *scale = t_add(0.9, t_mul(0.4, t_rand(n)));
    Tensor *shift = t_sub(t_mul(0.4, t_rand(2, n)), 0.2);
    Tensor *cosine = t_mul(scale, t_cos(angle)), *sine = t_mul(scale, t_sin(angle));
    t_TensorList *rows = t_list(cosine, t_neg(sine), t_at(shift, "0"), sine, cosine, t_at(shift, "1"));
    Tensor *grid = F_affine_grid(t_view(t_stack(rows, 1), n, 2, 3), (n, 1, 28, 28), .align_corners = false);
    Tensor *clean = F_grid_sample(t_at(glyphs, "{}", *labels), grid, .align_corners = false);
    *images = t_add(t_mul(1 - noise, clean), t_mul(noise, t_rand(n, 1, 28, 28)));
}

#endif
