/* core/io/load.c: torch.save and torch.load: which reader a file is for. */
#include "core/io/load.h"

#include <string.h>

#include "core/io/file.h"
#include "core/io/load_internal.h"
#include "core/io/npy_internal.h"
#include "core/io/safetensors_internal.h"
#include "core/io/torch_load.h"

bool t_save(const t_TensorDict *dict, const char *path) {
    return safetensors_save_file(dict, path);
}

/* A ZIP archive: of arrays, if the first entry is one; else torch.save's, or nothing that is known. */
static t_TensorDict *load_archive(const tg_Input *in) {
    tg_Zip zip;
    const bool ok = tg_zip_open(&zip, in);
    const char *first = ok && zip.count ? zip.entries[0].name : "", *suffix = strrchr(first, '.');
    const bool is_npz = !*first || (suffix && strcmp(suffix, ".npy") == 0);
    tg_zip_close(&zip);
    return !ok ? NULL : is_npz ? tg_npz_read(in) : tg_torch_read(in);
}

static t_TensorDict *load_array(const tg_Input *in) {
    Tensor *x = tg_npy_read(&(tg_Part){in, 0, in->size, in->name}, "the array");
    t_TensorDict *dict = x ? t_dict_new() : NULL;
    const bool ok = dict && t_dict_set(dict, "", x);
    if (x) t_release(tg_take(x));
    if (ok || !dict) return dict;
    t_release(tg_take(dict));
    return NULL;
}

t_TensorDict *tg_load(const tg_Input *in) {
    if (tg_zip_is(in)) return load_archive(in);
    if (tg_npy_is(in)) return load_array(in);
    return tg_torch_is_old(in) ? tg_torch_read(in) : tg_safetensors_read(in, false);
}

t_TensorDict *t_load(const char *path) {
    tg_Input in;
    if (!tg_input_open(&in, path)) return NULL;
    t_TensorDict *dict = tg_load(&in);
    tg_input_close(&in);
    return dict;
}
