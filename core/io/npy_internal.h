/* core/io/npy_internal.h: reading and writing one array, for npy.c, npz.c and load.c (internal). */
#ifndef TAPEGRAD_CORE_IO_NPY_INTERNAL_H
#define TAPEGRAD_CORE_IO_NPY_INTERNAL_H

#include "core/io/zip.h"
#include "core/ops/dict.h"
#include "core/tensor/tensor.h"

/* A file within a file. */
typedef struct tg_Part {
    const tg_Input *in;
    uint64_t at, size;
    const char *what; /* for messages: "x.npy", or "'x.npy' in all.npz" */
} tg_Part;

/* Whether it begins with NumPy's magic bytes: 1, 0, or -1 if it cannot be read; the same for a part of it. */
int tg_npy_is(const tg_Input *in);
int tg_npy_begins(const tg_Input *in, uint64_t at, uint64_t size);
bool tg_npy_is_name(const char *name); /* "x.npy" */
Tensor *tg_npy_read(const tg_Part *part, const char *name);
t_TensorDict *tg_npz_read(const tg_Input *in);

enum { TG_NPY_HEADER = 384 }; /* large enough for 8 sizes of 19 digits */
Tensor *tg_npy_order(Tensor *x, bool *fortran); /* x, or its transpose if x is contiguous in Fortran order */
/* Whether x, argument 2, has a dtype that NumPy has. */
bool tg_npy_check(const Tensor *x);
size_t tg_npy_header(const Tensor *x, bool fortran, uint8_t header[TG_NPY_HEADER]);

#endif
