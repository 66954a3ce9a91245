/* What stands behind a linear layer: an activation and dropout, and their gradient with the sums that the bias gets. */
#ifndef TG_KERNELS_FEED_H
#define TG_KERNELS_FEED_H

#include "core/kernels/gemm/gemm.h"

typedef enum tg_Activation { TG_NO_ACTIVATION, TG_RELU, TG_GELU, TG_GELU_TANH } tg_Activation;

/* y = activation(z) * mask, of rows of n numbers that lie one behind the other. */
typedef struct tg_Feed {
    bool f64;
    tg_Activation activation;
    int64_t rows, n;
    void *z, *y;          /* relu's gradient wants y, the others z; z may be NULL forward */
    const uint64_t *keep; /* the bits of tg_draw_keep and one word more, or NULL: no dropout (relu's gradient needs none) */
    double scale;         /* of what is kept; 1 without dropout */

    /* the gradient */
    const void *dy;
    void *dz;             /* may be NULL; may be dy. Without an activation it is dy, and not written */
    bool again;           /* y is made anew where z stands */
    void *db;             /* n numbers: the sums of dz over the rows */
    void *room;           /* tg_feed_room numbers, NULL for 0 of them */
    int64_t block;        /* set by tg_feed_backward */
} tg_Feed;

/* Makes p->c = y: z = p->a p->b + p->plus goes no further than it must. */
void tg_feed(tg_Product *p, tg_Feed *f);
/* dz = dy * mask * activation'(z), and its sums over the rows, in blocks that are chosen by size only; and y, if it is asked for. */
void tg_feed_backward(tg_Feed *f);
int64_t tg_feed_room(const tg_Feed *f);

#endif
