/* core/io/load.c: torch.save and torch.load: which reader a file is for. */
#include "core/io/load.h"

#include <string.h>

#include "core/io/file.h"
#include "core/io/load_internal.h"
#include "core/io/safetensors_internal.h"

bool t_save(const t_TensorDict *dict, const char *path) {
    return safetensors_save_file(dict, path);
}

t_TensorDict *tg_load(const tg_Input *in) {
    return tg_safetensors_read(in, false);
}

t_TensorDict *t_load(const char *path) {
    tg_Input in;
    if (!tg_input_open(&in, path)) return NULL;
    t_TensorDict *dict = tg_load(&in);
    tg_input_close(&in);
    return dict;
}
