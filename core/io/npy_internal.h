/* core/io/npy_internal.h: what npy.c and npz.c know of each other (internal). */
#ifndef TAPEGRAD_CORE_IO_NPY_INTERNAL_H
#define TAPEGRAD_CORE_IO_NPY_INTERNAL_H

#include "core/ops/dict.h"
#include "core/io/zip.h"
#include "core/tensor/tensor.h"

/* A file within a file. */
typedef struct tg_Part {
    const tg_Input *in;
    uint64_t at, size;
    const char *what; /* for messages: "x.npy", or "'x.npy' in all.npz" */
} tg_Part;

bool tg_npy_is(const tg_Input *in); /* does it begin as one? */
bool tg_npy_begins(const tg_Input *in, uint64_t at, uint64_t size); /* does what is there? */
bool tg_npy_is_name(const char *name); /* "x.npy" */
Tensor *tg_npy_read(const tg_Part *part, const char *name);
t_TensorDict *tg_npz_read(const tg_Input *in);

enum { TG_NPY_HEADER = 384 }; /* room for any: 8 sizes of 19 digits */
Tensor *tg_npy_order(Tensor *x, bool *fortran); /* x, or a view whose elements in C's order are x's in Fortran's */
size_t tg_npy_header(const Tensor *x, bool fortran, uint8_t header[TG_NPY_HEADER]);

#endif
