/* core/io/npy.h: NumPy's .npy and .npz files (public).
 *
 *     np_save("x.npy", x);                              numpy.save("x.npy", x)
 *     Tensor *x = np_load("x.npy");                     x = numpy.load("x.npy")
 *     np_savez("all.npz", arrays);                      numpy.savez("all.npz", **arrays)
 *     np_savez_compressed("all.npz", arrays);           numpy.savez_compressed("all.npz", **arrays)
 *     t_TensorDict *arrays = np_load_npz("all.npz");    arrays = numpy.load("all.npz")
 *
 * Reading: versions 1.0 to 3.0, both byte orders, C and Fortran order (the tensor has Fortran strides then, as in
 * NumPy); each number in its own dtype, uint16, uint32 and uint64 as int64. Errors, which name the
 * reason: pickled objects, complex numbers, strings, dates, structures, a uint64 that does not fit int64, truncated
 * files. Bytes after an array are ignored, as in NumPy, and so are folders and files of an .npz whose name does not end
 * in .npy and that do not begin like an array (numpy.load returns the bytes of such a file). Writing: version 1.0, byte
 * for byte what NumPy writes (a compressed archive has the same arrays in other bytes); written to a temporary file
 * that is renamed. */
#ifndef TAPEGRAD_CORE_IO_NPY_H
#define TAPEGRAD_CORE_IO_NPY_H

#include "core/ops/dict.h"

T_BEGIN_DECLS

/* numpy.save(file, x); no suffix is added to file */
T_API bool np_save(const char *file, Tensor *x);
T_API Tensor *np_load(const char *file);                              /* numpy.load(file) of an .npy */
/* numpy.savez(file, **arrays). Errors: an item is a text; a name is not UTF-8. */
T_API bool np_savez(const char *file, const t_TensorDict *arrays);
T_API bool np_savez_compressed(const char *file, const t_TensorDict *arrays); /* the same, deflated (level 6) */
/* dict(numpy.load(file)) of an .npz: names without .npy */
T_API t_TensorDict *np_load_npz(const char *file);

/* The same with a file's bytes in memory, Python's io.BytesIO. Saving returns a block that is freed with free(); NULL
 * on error. */
T_API void *np_save_bytes(Tensor *x, size_t *size);
T_API Tensor *np_load_bytes(const void *bytes, size_t size);
T_API void *np_savez_bytes(const t_TensorDict *arrays, size_t *size);
T_API t_TensorDict *np_load_npz_bytes(const void *bytes, size_t size);

T_END_DECLS
#endif
