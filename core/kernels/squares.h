/* The sum of squares, of raw memory without gaps. */
#ifndef TG_KERNELS_SQUARES_H
#define TG_KERNELS_SQUARES_H

#include <stdbool.h>
#include <stdint.h>

/* Summed in blocks of one size, and these in order, on any number of threads. room: tg_square_blocks(n) numbers. */
int64_t tg_square_blocks(int64_t n);
double tg_sum_of_squares(const void *x, int64_t n, bool f64, double *room);

#endif
