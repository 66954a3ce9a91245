/* Convolutions in which each channel of y sees one channel of x, and their gradients, on raw memory. */
#ifndef TG_KERNELS_DEPTHWISE_H
#define TG_KERNELS_DEPTHWISE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* y[n, o, p] and x[n, c, p stride - padding + k dilation] meet at w[o, k], where channel c has the O / C outputs from
 * c O / C on. w and y are without gaps; x's steps go over samples, channels, rows and columns, all in elements. */
typedef struct tg_Depthwise {
    bool f64;
    int64_t N, C, O, in[2], out[2], kernel[2], stride[2], padding[2], dilation[2];
    void *x, *w, *y;
    const void *bias; /* NULL, or what is added to each channel of the x or y that is made */
    int64_t x_steps[4];
    char *room; /* tg_depthwise_workspace() bytes */

    /* the kernels' own: how many padded planes there are at a time, their size, their phases (depthwise.inc) and the columns of one,
     * the length of y's rows beside them if there are any, where the numbers of w meet it, and which parts of the room are in use */
    int64_t planes, size[2], phases, phase_size, wide;
    const int64_t *offset;
    int rooms;
    atomic_flag *taken;
} tg_Depthwise;

enum { TG_WINDOW = 128, TG_OUTPUTS = 8 }; /* elements of a window and outputs of a channel, at most */
enum { TG_OUTPUT, TG_INPUT, TG_WEIGHT }; /* which is made of the other two: y, x or w */
int64_t tg_depthwise_workspace(tg_Depthwise *job, int which);
void tg_depthwise(tg_Depthwise *job, int which);

#endif
