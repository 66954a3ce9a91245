/* core/io/load.c: torch.save and torch.load: chooses the reader by a file's first bytes. */
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

/* A ZIP archive: torch.save's if it contains a data.pkl, .npz if it contains an .npy or is empty; else torch_read
 * reports it. */
static t_TensorDict *load_archive(const tg_Input *in) {
    tg_Zip zip;
    const bool ok = tg_zip_open(&zip, in);
    bool is_npz = ok && zip.count == 0;
    for (uint64_t i = 0; ok && i < zip.count; i++) is_npz = is_npz || tg_npy_is_name(zip.entries[i].name);
    if (ok && tg_torch_pickle(&zip)) is_npz = false;
    tg_zip_close(&zip);
    return !ok ? NULL : is_npz ? tg_npz_read(in) : tg_torch_read(in);
}

static t_TensorDict *load_array(const tg_Input *in) {
    Tensor *x = tg_npy_read(&(tg_Part){in, 0, in->size, in->name}, "the array");
    t_TensorDict *dict = x ? t_dict_new() : NULL;
    const bool ok = dict && t_dict_set(dict, "", x);
    if (x) t_release(tg_take_from_scope(x));
    if (ok || !dict) return dict;
    t_release(tg_take_from_scope(dict));
    return NULL;
}

t_TensorDict *tg_load(const tg_Input *in) {
    int is;
    if ((is = tg_zip_is(in)) != 0) return is > 0 ? load_archive(in) : NULL;
    if ((is = tg_npy_is(in)) != 0) return is > 0 ? load_array(in) : NULL;
    if ((is = tg_torch_is_legacy(in)) != 0) return is > 0 ? tg_torch_read(in) : NULL;
    uint8_t start = '{';
    if (in->size > 8 && !tg_input_read(in, 8, &start, 1)) return NULL;
    if (start && strchr("{ \t\r\n", start)) return tg_safetensors_read(in, false);
    return tg_fail("%s has no supported format: .safetensors (0x%02x at byte 8, where '{' is expected), "
                   "torch.save's, .npz or .npy", in->name, start);
}

t_TensorDict *t_load(const char *path) {
    tg_Input in;
    if (!tg_input_open(&in, path)) return NULL;
    t_TensorDict *dict = tg_load(&in);
    tg_input_close(&in);
    return dict;
}
