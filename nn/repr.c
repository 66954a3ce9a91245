/* nn/repr.c: print(model), in the format of PyTorch 2: children are indented by two, equal neighbours of a ModuleList
 * are written once with their number. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/io/file.h"
#include "nn/module/module_internal.h"
#include "nn/modules/containers_internal.h"
#include "nn/modules/layers.h"
#include "nn/parametrize/parametrize.h"

static char *repr(const nn_Module *self); /* of NULL: None. NULL with an error set */

/* "(key): text", each further line of text indented by two. */
static void write_child(tg_Output *to, const char *key, int count, const char *text) {
    tg_output_print(to, "\n  (%s): ", key);
    if (count > 1) tg_output_print(to, "%d x ", count);
    for (size_t length; length = strcspn(text, "\n"), text[length]; text += length + 1) {
        tg_output_write(to, text, length);
        tg_output_text(to, "\n  ");
    }
    tg_output_text(to, text);
}

static bool write_children(tg_Output *to, const nn_Module *self) {
    for (const nn_Entry *entry = tg_child(self->first); entry; entry = tg_child(entry->next)) {
        char *text = repr((const nn_Module *)entry->value);
        if (!text) return false;
        write_child(to, entry->name, 1, text);
        free(text);
    }
    return true;
}

/* The last of the consecutive children from `entry` on that have this text, and their number. NULL with an error set.
 */
static const nn_Entry *last_equal(const nn_Entry *entry, const char *text, int *count) {
    *count = 1;
    for (const nn_Entry *next; (next = tg_child(entry->next)); entry = next, ++*count) {
        char *other = repr((const nn_Module *)next->value);
        const bool differs = other && strcmp(text, other) != 0;
        free(other);
        if (!other) return NULL;
        if (differs) break;
    }
    return entry;
}

/* (0-3): 4 x EncoderLayer(...): a run of children with the same text is written once. */
static bool write_module_list(tg_Output *to, const nn_Module *self) {
    for (const nn_Entry *entry = tg_child(self->first), *last; entry; entry = tg_child(last->next)) {
        int count;
        char key[128], *text = repr((const nn_Module *)entry->value);
        last = text ? last_equal(entry, text, &count) : NULL;
        if (last) {
            snprintf(key, sizeof key, count > 1 ? "%s-%s" : "%s", entry->name, last->name);
            write_child(to, key, count, text);
        }
        free(text);
        if (!last) return false;
    }
    return true;
}

/* ParameterList and ParameterDict: as in PyTorch a single parameter is on the line of the class name. */
static bool write_parameters(tg_Output *to, const nn_Module *self) {
    const bool of_list = tg_is_class(self, "nn_ParameterList", sizeof(nn_ParameterList)), alone = nn_len(self) == 1;
    for (const nn_Entry *entry = self->first; (entry = tg_item(entry, nn_parameter_kind)); entry = entry->next) {
        const Tensor *x = (const Tensor *)entry->value;
        tg_output_print(to, "%s  (%s): Parameter containing: [torch.", alone ? "" : "\n  ", entry->name);
        if (of_list) tg_output_text(to, tg_dtype_name(x->dtype));
        else tg_output_print(to, "%sTensor", tg_scalar_name(x->dtype));
        tg_output_text(to, " of size ");
        for (int d = 0; d < x->ndim; d++) tg_output_print(to, d ? "x%lld" : "%lld", (long long)x->shape[d]);
        tg_output_text(to, "]");
    }
    return tg_output_text(to, alone || nn_len(self) == 0 ? ")" : "\n)");
}

static bool write_module(tg_Output *to, const nn_Module *self) {
    char extra[512] = "";
    if (self->extra_repr) self->extra_repr(self, extra, sizeof extra);
    tg_output_print(to, "%s%s(", nn_utils_parametrize_is_parametrized(self, NULL) ? "Parametrized" : "", self->type);
    if (tg_kind_of_items(self) == nn_parameter_kind) return write_parameters(to, self);
    if (!tg_child(self->first)) return tg_output_print(to, "%s)", extra);
    if (*extra) tg_output_print(to, "\n  %s", extra);
    const bool ok = tg_is_class(self, "nn_ModuleList", sizeof(nn_ModuleList))
        ? write_module_list(to, self) : write_children(to, self);
    return ok && tg_output_text(to, "\n)");
}

static char *repr(const nn_Module *self) {
    tg_Output to;
    tg_output_memory(&to);
    return tg_output_take_text(&to, self ? write_module(&to, self) : tg_output_text(&to, "None"));
}

/* repr(self), print(self). The caller frees the text with free(). */
char *nn_repr(const void *self) {
    return tg_check_module(self, 1) ? repr(self) : NULL;
}

/* str(self): the same text, owned by the current scope. */
const char *nn_str(const void *self) {
    return tg_str_new(nn_repr(self));
}

void nn_print(const void *self) {
    char *text = nn_repr(self);
    if (text) puts(text);
    free(text);
}
