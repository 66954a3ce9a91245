/* core/tensor/threads.h: torch.set_num_threads (public).
 *
 * Large operations are divided among that many threads, including the caller; results are bitwise the same for any
 * number. The default is TAPEGRAD_NUM_THREADS in the environment, else the number of processors that the process may
 * run on; the maximum is 256. The setting applies to all threads of the process. */
#ifndef TAPEGRAD_CORE_TENSOR_THREADS_H
#define TAPEGRAD_CORE_TENSOR_THREADS_H

#include "core/tensor/api.h"

T_BEGIN_DECLS

T_API bool t_set_num_threads(int64_t threads); /* torch.set_num_threads(threads). Error: below 1 */
T_API int64_t t_get_num_threads(void);         /* torch.get_num_threads() */

T_END_DECLS
#endif
