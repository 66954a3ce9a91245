/* examples/pytorch/synthetic_images.h: the data of the ports that classify images: ten classes of waves under noise, in
 * place of Fashion-MNIST, MNIST and CIFAR-10, which would have to be downloaded. */
#ifndef EXAMPLES_PYTORCH_SYNTHETIC_IMAGES_H
#define EXAMPLES_PYTORCH_SYNTHETIC_IMAGES_H

#include "core/core.h"

/* n images of (channels, size, size) with values from 0 to 1, and their labels: class k has k + 1 half waves from top
 * to bottom and 10 - k from left to right, a phase for each channel, and noise of the given part. */
static inline void synthetic_images(int64_t n, int64_t channels, int64_t size, double noise, Tensor **images,
                                    Tensor **labels) {
    *labels = t_randint(0, 10, n);
    Tensor *k = t_float(t_view(*labels, -1, 1, 1, 1));
    Tensor *at = t_div(t_arange(size), (double)size / 3.14159);
    Tensor *phase = t_view(t_arange(channels), -1, 1, 1);
    Tensor *rows = t_sin(t_add(t_mul(t_view(at, -1, 1), t_add(k, 1)), phase));
    Tensor *columns = t_cos(t_mul(at, t_sub(10, k)));
    Tensor *waves = t_add(0.5, t_mul(t_mul(0.5, rows), columns));
    *images = t_add(t_mul(1 - noise, waves), t_mul(noise, t_rand(n, channels, size, size)));
}

#endif
