/* core/io/torch_internal.h: what torch_load.c and torch_tensor.c know of each other (internal). */
#ifndef TAPEGRAD_CORE_IO_TORCH_INTERNAL_H
#define TAPEGRAD_CORE_IO_TORCH_INTERNAL_H

#include "core/ops/dict.h"
#include "core/io/pickle.h"
#include "core/io/zip.h"

enum { TG_LONGEST_NAME = 4096, TG_DEEPEST = 100 };

typedef struct tg_Loader {
    tg_Zip zip;
    tg_Pickle pickle;
    void *bytes;         /* of the pickle */
    size_t size;
    char *what;          /* "archive/data.pkl in model.pt" */
    const char *folder;  /* the pickle's name, whose first `prefix` characters are "archive/" */
    int prefix;
    bool big_endian;
    Tensor **storages;   /* of each entry of the archive: one dim, NULL as long as nobody asked */
    uint8_t *kinds;      /* of those */
    Tensor **made;       /* of each value of the pickle that is a tensor */
    t_TensorDict *dict;
    uint64_t budget;     /* of bytes that items and names may still take, lest a small file have items without end */
    bool budget_is_largest;
    size_t used;         /* of name */
    char name[TG_LONGEST_NAME];
    char path[TG_LONGEST_NAME]; /* of the entry that was last asked for */
} tg_Loader;

void *tg_torch_fail(const tg_Loader *l, const tg_Value *x, const char *what);
tg_ZipEntry *tg_torch_entry(tg_Loader *l, const char *folder, const char *name, int length); /* "archive/folder" "name"; NULL without an error */
bool tg_torch_check(const tg_Loader *l, const tg_ZipEntry *entry);
/* The tensor of a call; the same one when it is asked for again. In the current scope. */
Tensor *tg_torch_tensor(tg_Loader *l, const tg_Value *call, int depth);

#endif
