/* cdist: the distances of every row of one matrix to every row of another, and their gradients; contiguous memory. */
#ifndef TG_KERNELS_CDIST_H
#define TG_KERNELS_CDIST_H

#include <stdbool.h>
#include <stdint.h>

/* a: (batch, P, M), b: (batch, R, M), y: (batch, P, R). */
typedef struct tg_Cdist {
    int64_t batch, P, R, M;
    bool f64;
    double p;
    const void *a, *b;
    /* forward, for p = 1, 2 and infinity; b is transposed: (batch, M, R) */
    void *y;
    /* backward, for p > 0: da_i = sum over j of w_ij s(a_i - b_j), db likewise with the other sign; s(d) is d for p =
     * 2, sign(d) for p = 1 and, where |d| is the distance, for infinity, else sign(d) |d|^(p - 1), 0 for d = 0 */
    const void *w, *distance;
    void *da, *db;
} tg_Cdist;

void tg_cdist(tg_Cdist *job);
void tg_cdist_backward(tg_Cdist *job);

#endif
