/* tests/support/files/recorded_dict.c: reads state dicts from golden/checkpoints.txt: a line "names ...", then an
 * array or "name text word" for each. */
#include "tests/support/files/recorded_dict.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/tensor/tensor.h"

const char *recorded_section(const char *key) {
    const char *section = golden_case(golden_file("checkpoints.txt"), key);
    ck_assert_msg(section && strncmp(section, "names", 5) == 0,
                  "%s is not recorded; run tests/golden/record_checkpoints.py", key);
    return section;
}

static const char *text_of(const char *section, const char *name) {
    static char word[64];
    char start[256];
    snprintf(start, sizeof start, "\n%s text ", name);
    const char *at = strstr(section, start), *end = strstr(section, "\n= ");
    if (!at || (end && at > end)) return NULL;
    snprintf(word, sizeof word, "%.*s", (int)strcspn(at + strlen(start), "\n"), at + strlen(start));
    return word;
}

t_TensorDict *recorded_dict(const char *key) {
    const char *section = recorded_section(key), *end = section + strcspn(section, "\n");
    t_TensorDict *dict = t_dict_new();
    for (const char *at = section + 5; at < end;) {
        char name[256];
        int length = (int)strcspn(++at, " \n");
        snprintf(name, sizeof name, "%.*s", length, at);
        at += length;
        GoldenArray array;
        const char *text = text_of(section, name);
        if (text) {
            ck_assert(t_dict_set_text(dict, name, text));
            continue;
        }
        ck_assert_msg(golden_array(section, name, &array), "%s of %s is not recorded", name, key);
        Tensor *x = tg_empty(array.shape, array.ndim, t_float64);
        memcpy(tg_data(x), array.values, (size_t)array.count * sizeof(double));
        free(array.values);
        ck_assert(t_dict_set(dict, name, x));
    }
    return dict;
}

void compare_with_recorded(const char *key, const t_TensorDict *dict) {
    const t_TensorDict *want = recorded_dict(key);
    if (dict->len != want->len)
        note("%s: %lld names, PyTorch has %lld", key, (long long)dict->len, (long long)want->len);
    for (int64_t i = 0; i < want->len; i++) {
        const t_DictItem *item = &want->items[i], *ours = tg_dict_find(dict, item->name);
        if (!ours) note("%s: there is no %s", key, item->name);
        else if (item->text && (!ours->text || strcmp(item->text, ours->text) != 0))
            note("%s: %s is not '%s'", key, item->name, item->text);
        else if (item->tensor && ours->tensor) compare_tensors(item->name, t_double(ours->tensor), item->tensor, VALUE);
    }
}

t_TensorDict *changed_dict(const t_TensorDict *dict, const char *name, Tensor *value) {
    t_TensorDict *holder = t_dict_new();
    ck_assert(t_dict_set_dict(holder, "x", dict));
    t_TensorDict *copy = t_dict_get_dict(holder, "x");
    ck_assert(value ? t_dict_set(copy, name, value) : t_dict_delete(copy, name));
    return copy;
}

bool same_dicts(const t_TensorDict *a, const t_TensorDict *b) {
    bool same = a->len == b->len;
    for (int64_t i = 0; same && i < a->len; i++) {
        const t_DictItem *x = &a->items[i], *y = tg_dict_find(b, x->name);
        same = y && !x->text == !y->text;
        if (same && x->text) same = strcmp(x->text, y->text) == 0;
        else if (same)
            same = x->tensor->dtype == y->tensor->dtype && tg_same_shape(x->tensor, y->tensor) &&
                   x->tensor->ndim == y->tensor->ndim &&
                   memcmp(t_data_ptr(t_contiguous(x->tensor)), t_data_ptr(t_contiguous(y->tensor)),
                          (size_t)t_numel(x->tensor) * tg_itemsize(x->tensor->dtype)) == 0;
        if (!same) note("%s differs", x->name);
    }
    return same;
}
