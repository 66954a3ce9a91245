/* core/tensor/threads.c: torch.set_num_threads and get_num_threads. */
#include "core/tensor/threads.h"

#include "core/kernels/parallel.h"
#include "core/tensor/context.h"

bool t_set_num_threads(int64_t threads) {
    if (threads < 1) return tg_fail("set_num_threads expects a positive integer");
    tg_set_num_threads(threads > TG_MAX_THREADS ? TG_MAX_THREADS : (int)threads);
    return true;
}

int64_t t_get_num_threads(void) {
    return tg_num_threads();
}
