/* nn/module/module_call.c: nn_call, and the path of the module that is being called: "model.layers.0.self_attn".
 *
 * Each running call has a frame on the thread's list, which costs five stores; names are looked up only when a path is
 * printed, in an error or for t_tape_html. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "core/tensor/profiler_hooks.h"
#include "core/tensor/tensor.h"
#include "nn/module/module_internal.h"

/* ---- the path of the running call ---- */

/* Text that is appended to a buffer, and cut at its end. */
typedef struct Text {
    char *to;
    size_t size;
} Text;

static void append(Text *text, const char *from, size_t length) {
    if (length >= text->size) length = text->size - 1;
    memcpy(text->to, from, length);
    text->to += length;
    text->size -= length;
    *text->to = '\0';
}

/* Appends ".layers.0", the name of a module among the descendants of self; false if it is none. */
static bool append_name(Text *text, const nn_Module *self, const void *module) {
    const Text before = *text;
    for (const nn_Entry *entry = tg_child(self->first); entry; entry = tg_child(entry->next)) {
        append(text, ".", 1);
        append(text, entry->name, strlen(entry->name));
        if (entry->value == module) return true;
        if (entry->value && append_name(text, (const nn_Module *)entry->value, module)) return true;
        *text = before;
        *text->to = '\0';
    }
    return false;
}

/* Appends the variable of nn_call(model, x) or nn_Encoder_call(self->encoder, x); false if it is no variable. */
static bool append_variable(Text *text, const t_Site *site) {
    static const char *const functions[] = {"_call(", "nn_summary("};
    const char *name = NULL;
    for (int i = 0; site && !name && i < 2; i++) {
        const size_t end = strcspn(site->text, "(") + 1, wanted = strlen(functions[i]);
        if (end >= wanted && strncmp(site->text + end - wanted, functions[i], wanted) == 0) name = site->text + end;
    }
    if (!name || strncmp(site->text, "nn_", 3) != 0) return false;
    size_t length = 0;
    while (isalnum((unsigned char)name[length]) || strchr("_.->[]", name[length] ? name[length] : ' ')) length++;
    if (length == 0 || name[length] != ',') return false;
    append(text, name, length);
    return true;
}

/* A module of the tree of one that is being called has its name there. Any other has the name of its variable in an
 * outermost call, else that of its class. */
static void append_path(Text *text, const tg_ModuleFrame *frame) {
    for (const tg_ModuleFrame *outer = frame->outer; outer; outer = outer->outer) {
        char name[TG_MAX_MODULE_NAME] = "";
        if (!append_name(&(Text){name, sizeof name}, outer->module, frame->module)) continue;
        append_path(text, outer);
        append(text, name, strlen(name));
        return;
    }
    const char *type = ((const nn_Module *)frame->module)->type;
    if (frame->outer) {
        append_path(text, frame->outer);
        append(text, ".", 1);
    }
    if (frame->outer || !append_variable(text, frame->site)) append(text, type, strlen(type));
}

/* The length of the number or tuple that text begins with, "4" or "(3, 3)"; 0 if it begins with another text. */
static size_t value_length(const char *text) {
    const size_t length = *text == '(' ? strcspn(text, ")") + 1 : strspn(text, "+-.0123456789eE");
    return text[length] == ',' || text[length] == '\0' ? length : 0;
}

/* "Linear(4, 2)" of "in_features=4, out_features=2, bias=True": the numbers and tuples that its repr begins with. */
static void append_class(Text *text, const nn_Module *module) {
    char extra[512] = "";
    if (module->extra_repr) module->extra_repr(module, extra, sizeof extra);
    append(text, module->type, strlen(module->type));
    const char *close = "", *before = "(";
    for (const char *at = extra; *at;) {
        const char *equals = *at == '(' ? NULL : strchr(at, '='), *comma = strchr(at, ',');
        if (equals && (!comma || equals < comma)) at = equals + 1;
        const size_t length = value_length(at);
        if (length == 0) break;
        append(text, before, strlen(before));
        append(text, at, length);
        before = ", ";
        close = ")";
        at += length + strspn(at + length, ", ");
    }
    append(text, close, strlen(close));
}

void tg_print_module_name(char *to, size_t size) {
    const tg_ModuleFrame *frame = tg_thread.module_frame;
    char path[2 * TG_MAX_MODULE_NAME], outer[2 * TG_MAX_MODULE_NAME] = "";
    *path = '\0';
    append_path(&(Text){path, sizeof path}, frame);
    if (frame->outer) append_path(&(Text){outer, sizeof outer}, frame->outer);
    const size_t length = strlen(outer);
    const bool below = length > 0 && strncmp(path, outer, length) == 0 && path[length] == '.';
    snprintf(to, size, "%s", path + (below ? length + 1 : 0));
}

static void print_frame(const tg_ModuleFrame *frame, bool with_class, char *to, size_t size) {
    Text text = {to, size};
    *to = '\0';
    append_path(&text, frame);
    if (!with_class) return;
    append(&text, ", ", 2);
    append_class(&text, frame->module);
}

/* ---- calling ---- */

static void *no_forward(const nn_Module *module, const char *other, bool has_other) {
    if (has_other) return tg_fail("%s takes another number of inputs: %s", module->type, other);
    return tg_fail(
        "Module [%s] has no forward that nn_call can run: iterate over a list with for_module, call a class with "
        "several inputs by its own function",
        module->type);
}

/* The forward of nn_call, with a tensor b that of nn_call2. */
static Tensor *forward_of(void *self, Tensor *const *inputs, const void *b) {
    nn_Module *module = self;
    Tensor *y = b ? module->forward2(module, inputs[0], inputs[1]) : module->forward(module, inputs[0]);
    if (!y || y->object.is_a == &tg_tensor_class) return y;
    return tg_fail("the forward of %s returned what is no live tensor: one that died with its scope, or another object",
                   module->type);
}

/* Runs the forward with the frame on the thread's list of running calls. */
static Tensor *run_forward(nn_Module *module, Tensor *a, Tensor *b) {
    const tg_ModuleFrame frame = {tg_thread.module_frame, module, tg_thread.site, print_frame,
                                  ++tg_thread.module_calls};
    tg_thread.module_frame = &frame;
    const int profiled = tg_profile_begin(tg_range_module, NULL);
    Tensor *y;
    if (tg_has_hooks(module)) y = tg_call_with_hooks(module, (Tensor *[]){a, b}, b ? 2 : 1, forward_of, b);
    else
        y = forward_of(module, (Tensor *[]){a, b}, b);
    tg_profile_end(profiled);
    tg_thread.module_frame = frame.outer;
    return y;
}

static Tensor *call_in_scope(nn_Module *module, Tensor *a, Tensor *b) {
    if (tg_thread.teaching) tg_teach_unregistered(module);
    int depth = tg_scope_open_around_callback();
    if (!depth) return NULL;
    Tensor *y = run_forward(module, a, b);
    if (!y && !t_error()) tg_fail("the forward of %s returned NULL", module->type);
    return tg_scope_return(depth, y);
}

/* self(x): intermediates that neither the tape nor nn_keep holds are freed when it returns. */
Tensor *nn_call(void *self, Tensor *x) {
    nn_Module *module = self;
    if (!tg_check_module(module, 1) || !tg_check_any(x, 2)) return NULL;
    if (!module->forward) return no_forward(module, "nn_call(m, a, b)", module->forward2 != NULL);
    return call_in_scope(module, x, NULL);
}

Tensor *nn_call2(void *self, Tensor *a, Tensor *b) {
    nn_Module *module = self;
    if (!tg_check_module(module, 1) || !tg_check_any(a, 2) || !tg_check_any(b, 3)) return NULL;
    if (!module->forward2) return no_forward(module, "nn_call(m, x)", module->forward != NULL);
    return call_in_scope(module, a, b);
}

Tensor *tg_call_module(void *self, Tensor *const *inputs, int count, tg_ForwardFunction *forward, const void *call) {
    const tg_ModuleFrame *outer = tg_thread.module_frame;
    if (outer && outer->module == self) return forward(self, inputs, call);
    if (tg_thread.teaching) tg_teach_unregistered(self);
    const tg_ModuleFrame frame = {outer, self, tg_thread.site, print_frame, ++tg_thread.module_calls};
    tg_thread.module_frame = &frame;
    const int profiled = tg_profile_begin(tg_range_module, NULL);
    bool complete = tg_has_hooks(self);
    for (int i = 0; i < count && complete; i++) complete = inputs[i] != NULL; /* else forward reports the error */
    Tensor *y = complete ? tg_call_with_hooks(self, inputs, count, forward, call) : forward(self, inputs, call);
    tg_profile_end(profiled);
    tg_thread.module_frame = frame.outer;
    return y;
}

/* ---- super().forward ---- */

/* The first class of the inheritance chain, which is not a subclass. */
static const tg_Ancestor *root_class(const nn_Module *module) {
    const tg_Ancestor *ancestor = module->ancestors;
    while (ancestor && ancestor->next) ancestor = ancestor->next;
    return ancestor ? ancestor : tg_fail("%s is not a subclass: nn_subclass creates one", module->type);
}

static Tensor *no_super_forward(const tg_Ancestor *super) {
    return super
        ? tg_fail("%s has no forward with this number of tensors: call its own function with &self->super",
                  super->type)
                 : NULL;
}

Tensor *nn_super_forward(void *self, Tensor *x) {
    if (!tg_check_module(self, 1) || !tg_check_any(x, 2)) return NULL;
    const tg_Ancestor *super = root_class(self);
    return super && super->forward ? super->forward(self, x) : no_super_forward(super);
}

Tensor *nn_super_forward2(void *self, Tensor *a, Tensor *b) {
    if (!tg_check_module(self, 1) || !tg_check_any(a, 2) || !tg_check_any(b, 3)) return NULL;
    const tg_Ancestor *super = root_class(self);
    return super && super->forward2 ? super->forward2(self, a, b) : no_super_forward(super);
}

