/* core/kernels/parallel.h: tg_parallel(): a parallel for loop on a pool of pthreads. */
#ifndef TAPEGRAD_CORE_KERNELS_PARALLEL_H
#define TAPEGRAD_CORE_KERNELS_PARALLEL_H

#include <stdint.h>

enum { TG_MAX_THREADS = 256 };

/* The loop body for the items from .. to - 1. `from` is a multiple of the grain, and so is `to` unless it is n. It may
 * run on any thread, so it works on raw memory only: no Tensor, no error, no scope. */
typedef void (*tg_ParallelBody)(int64_t from, int64_t to, void *context);

/* Runs body over 0 .. n - 1, split at multiples of grain, on up to t_get_num_threads() threads including the caller;
 * returns when all items are done. With one thread, with n <= grain, inside another tg_parallel and while another
 * thread uses the pool, it is one call of body(0, n, context).
 *
 * The split depends on the number of threads and changes from run to run, so no result may depend on it: a sum over
 * items is computed per grain (or per item), and these partial sums are added in order afterwards. A grain should take
 * 10 us or more: some 16 K elements of a memory-bound loop, 500 K multiply-adds. */
void tg_parallel(int64_t n, int64_t grain, tg_ParallelBody body, void *context);

/* From now on each tg_parallel of the calling thread is one call of its body, on that thread alone. */
void tg_parallel_on_this_thread(void);

/* The maximum number of threads of tg_parallel: the value that was set, else TAPEGRAD_NUM_THREADS, else the number of
 * processors that this process may run on. */
int tg_num_threads(void);
void tg_set_num_threads(int threads); /* 0: back to the default */

#endif
