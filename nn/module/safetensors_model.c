/* nn/module/safetensors_model.c: save_model and load_model of safetensors.torch. */
#include "nn/module/safetensors_model.h"

#include <string.h>

#include "core/autograd/tape.h"
#include "core/io/safetensors.h"
#include "nn/module/module_internal.h"

/* The alphabetically first name of x in the dict among those that `known` has (NULL: all); NULL where it has none. */
static const char *first_name(const t_TensorDict *dict, const Tensor *x, const t_TensorDict *known) {
    const char *first = NULL;
    for (int64_t i = 0; i < dict->len; i++) {
        const t_DictItem *item = &dict->items[i];
        if (!item->tensor || !tg_is_alias(item->tensor, x) || (first && strcmp(item->name, first) > 0)) continue;
        const t_DictItem *found = known ? tg_dict_find(known, item->name) : item;
        if (found && found->tensor) first = item->name;
    }
    return first;
}

bool safetensors_save_model(const void *model, const char *filename) {
    if (!tg_check_module(model, 1)) return false;
    int depth = t_scope_open();
    const t_TensorDict *state = depth ? nn_state_dict(model, "") : NULL;
    t_TensorDict *file = state ? t_dict_new() : NULL;
    bool ok = file != NULL;
    for (int64_t i = 0; ok && i < state->len; i++) {
        const t_DictItem *item = &state->items[i];
        if (!item->tensor) continue;
        const char *name = first_name(state, item->tensor, NULL);
        ok = strcmp(name, item->name) == 0 ? t_dict_set(file, name, item->tensor)
                                           : t_dict_set_text(file, item->name, name);
    }
    ok = ok && safetensors_save_file(file, filename);
    t_scope_close(depth);
    return ok;
}

bool safetensors_load_model(void *model, const char *filename, bool strict, nn_IncompatibleKeys *keys) {
    if (!tg_check_module(model, 1)) return false;
    int depth = t_scope_open();
    t_TensorDict *file = depth ? safetensors_load_file(filename, NULL) : NULL;
    const t_TensorDict *state = file ? nn_state_dict(model, "") : NULL;
    bool ok = state != NULL;
    for (int64_t i = 0; ok && i < state->len; i++) { /* the other names of what the file has */
        const t_DictItem *item = &state->items[i];
        const t_DictItem *found = tg_dict_find(file, item->name);
        if (!item->tensor || (found && found->tensor)) continue;
        const char *name = first_name(state, item->tensor, file);
        if (name) ok = t_dict_set(file, item->name, t_dict_get(file, name));
    }
    nn_LoadStateDictOptions options = nn_LoadStateDictDefaults;
    options.strict = strict;
    options.keys = keys;
    ok = ok && nn_load_state_dict(model, file, &options);
    if (ok && keys) {
        t_keep_object(keys->missing_keys);
        t_keep_object(keys->unexpected_keys);
    }
    t_scope_close(depth);
    return ok;
}
