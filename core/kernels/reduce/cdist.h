/* Distances of every row of one matrix to every row of another, and their gradients, on raw memory without gaps. */
#ifndef TG_KERNELS_DISTANCES_H
#define TG_KERNELS_DISTANCES_H

#include <stdbool.h>
#include <stdint.h>

/* `members` times: P rows of a, R rows of b, of M elements. */
typedef struct tg_Pairs {
    int64_t members, P, R, M;
    bool f64;
    double p;
    const void *a, *b;
    /* forward, for p = 1, 2 and infinity: b's columns are rows here */
    void *y;
    /* backward, for p > 0: da_i = sum over j of w_ij s(a_i - b_j), db likewise with the other sign; s(d) is d for p = 2, sign(d)
     * for p = 1 and, where |d| is the distance, for infinity, else sign(d) |d|^(p - 1), 0 for d = 0 */
    const void *w, *distance;
    void *da, *db;
} tg_Pairs;

void tg_pairs(tg_Pairs *job);
void tg_pairs_backward(tg_Pairs *job);

#endif
