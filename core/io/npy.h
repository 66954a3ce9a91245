/* core/io/npy.h: NumPy's files of arrays (public).
 *
 *     np_save("x.npy", x);                              numpy.save("x.npy", x)
 *     Tensor *x = np_load("x.npy");                     x = numpy.load("x.npy")
 *     np_savez("all.npz", arrays);                      numpy.savez("all.npz", **arrays)
 *     t_TensorDict *arrays = np_load_npz("all.npz");    arrays = numpy.load("all.npz")
 *
 * Read: versions 1.0 to 3.0, either byte order, C and Fortran order (whose array then has Fortran's strides, as NumPy's has);
 * bool as bool, integers as int64, float16 and float32 as float32, float64 as float64. Refused, and named: pickled objects,
 * complex numbers, strings, dates, structures, a uint64 that int64 does not hold, files that end too early, and archives
 * of numpy.savez_compressed. What stands behind an array is passed over, as NumPy does, and so are folders and files of an .npz
 * that neither are called .npy nor begin as an array (numpy.load has a README's bytes for who asks for it by name).
 * Written: version 1.0, byte for byte what NumPy writes; a file takes its name when all of it is on the disk. */
#ifndef TAPEGRAD_CORE_IO_NPY_H
#define TAPEGRAD_CORE_IO_NPY_H

#include "core/ops/dict.h"

T_BEGIN_DECLS

T_API bool np_save(const char *file, Tensor *x);                      /* numpy.save(file, x); no suffix is added to file */
T_API Tensor *np_load(const char *file);                              /* numpy.load(file) of an .npy */
/* numpy.savez(file, **arrays). Errors: a text among the arrays; a name that is no UTF-8. */
T_API bool np_savez(const char *file, const t_TensorDict *arrays);
T_API t_TensorDict *np_load_npz(const char *file);                    /* dict(numpy.load(file)) of an .npz: names without .npy */

/* The same with a file's bytes in memory, Python's io.BytesIO. What is saved is a block for free(); NULL on error. */
T_API void *np_save_bytes(Tensor *x, size_t *size);
T_API Tensor *np_load_bytes(const void *bytes, size_t size);
T_API void *np_savez_bytes(const t_TensorDict *arrays, size_t *size);
T_API t_TensorDict *np_load_npz_bytes(const void *bytes, size_t size);

T_END_DECLS
#endif
