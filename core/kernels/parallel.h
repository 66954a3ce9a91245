/* Work on several threads, on raw memory (pthreads). */
#ifndef TG_KERNELS_PARALLEL_H
#define TG_KERNELS_PARALLEL_H

#include <stdint.h>

enum { TG_MOST_THREADS = 256 };

/* One stretch of the work: the items from .. to - 1. `from` is a multiple of the grain, and so is `to` unless it is the
 * end. It may run on any thread, so it sees raw memory only: no Tensor, no error, no scope. */
typedef void (*tg_Stretch)(int64_t from, int64_t to, void *context);

/* Runs stretch over 0 .. n - 1, cut at multiples of grain, on up to t_get_num_threads() threads, of which the caller is
 * one; returns when all is done. With one thread, with n <= grain, inside another stretch and while another thread has
 * the workers, it is one call of stretch(0, n, context).
 *
 * How the items are cut changes with the number of threads and from run to run, so no result may depend on it: a sum over
 * items is taken per grain (or per item), and those are added up in order afterwards. A grain should be worth 10 us or
 * more: some 16 K elements of a pass over memory, 500 K multiply-adds. */
void tg_parallel(int64_t n, int64_t grain, tg_Stretch stretch, void *context);

/* How many threads tg_parallel uses at most: what was set, else TAPEGRAD_NUM_THREADS, else the processors that this
 * process may run on. */
int tg_num_threads(void);
void tg_set_num_threads(int threads); /* 0: as at first */

/* Functions that are called once for all of some work, and divide it or put its pieces together: made small. */
#define TG_COLD __attribute__((cold, noinline))

#endif
