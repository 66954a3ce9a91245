/* core/tensor/threads.h: torch.set_num_threads (public).
 *
 * Large operations are divided among that many threads, of which the caller is one; the results are the same bits for any
 * number. At first it is TAPEGRAD_NUM_THREADS in the environment, else the processors that the process may run on; more than
 * 256 are never used. The setting holds for all threads of the process. */
#ifndef TAPEGRAD_CORE_TENSOR_THREADS_H
#define TAPEGRAD_CORE_TENSOR_THREADS_H

#include "core/tensor/api.h"

T_BEGIN_DECLS

T_API bool t_set_num_threads(int64_t threads); /* torch.set_num_threads(threads). Error: below 1 */
T_API int64_t t_get_num_threads(void);         /* torch.get_num_threads() */

T_END_DECLS
#endif
