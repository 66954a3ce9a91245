/* core/io/torch_internal.h: the loader of torch.save files, for torch_load.c and torch_tensor.c (internal). */
#ifndef TAPEGRAD_CORE_IO_TORCH_INTERNAL_H
#define TAPEGRAD_CORE_IO_TORCH_INTERNAL_H

#include "core/io/pickle.h"
#include "core/io/zip.h"
#include "core/ops/dict.h"

enum { TG_LONGEST_NAME = 4096, TG_DEEPEST = 100 };

/* A storage in a file of the format before PyTorch 1.6. */
typedef struct tg_LegacyStorage {
    const tg_Value *key;
    const tg_Value *id; /* the first one with that key, whose type says the element's size */
    uint64_t at, bytes;
} tg_LegacyStorage;

typedef struct tg_Loader {
    const tg_Input *in;
    tg_Zip zip;              /* without entries in that format */
    tg_LegacyStorage *legacy; /* sorted by key */
    tg_Pickle keys;           /* their list */
    tg_Pickle pickle;
    void *bytes;         /* of the pickle */
    size_t size;
    char *what;          /* "archive/data.pkl in model.pt" */
    const char *folder;  /* the pickle's name, whose first `prefix` characters are "archive/" */
    int prefix;
    bool big_endian;
    uint64_t count;      /* of storages: legacy ones, or the archive's entries */
    Tensor **storages;   /* the elements of each as a 1-D tensor; NULL until it is used */
    uint8_t *kinds;      /* of those */
    Tensor **made;       /* for each value of the pickle that is a tensor */
    t_TensorDict *dict;
    /* bytes that items and names may still use: bounds the output of a small file with shared values */
    uint64_t budget;
    bool budget_is_largest;
    size_t used;         /* of name */
    char name[TG_LONGEST_NAME];
    char path[TG_LONGEST_NAME]; /* of the entry that was looked up last */
} tg_Loader;

void *tg_torch_fail(const tg_Loader *l, const tg_Value *x, const char *what);
/* The entry "archive/" folder name; NULL without an error if there is none. */
tg_ZipEntry *tg_torch_entry(tg_Loader *l, const char *folder, const char *name, int length);
bool tg_torch_open(tg_ZipContents *contents, const tg_Loader *l, const tg_ZipEntry *entry);
/* torch_legacy.c: reads all but the storages' elements; finds the storage of a persistent id, NULL on an error. */
bool tg_torch_read_legacy(tg_Loader *l);
const tg_LegacyStorage *tg_torch_legacy_storage(tg_Loader *l, const tg_Value *id);
/* The tensor of a call, owned by the current scope; the same one for repeated requests. */
Tensor *tg_torch_tensor(tg_Loader *l, const tg_Value *call, int depth);

#endif
