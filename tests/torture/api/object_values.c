/* tests/torture/api/object_values.c: arguments that are objects, from the functions that return them, and dead ones. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/torture/api/arguments.h"

#include "core/core.h"

enum { MOST_PREPARED = 200 };
static uint64_t name_hashes[MOST_FUNCTIONS + MOST_PREPARED]; /* of the public functions, then of those of prepared.c */
static int *producers[MOST_FUNCTIONS], producer_count[MOST_FUNCTIONS];

static bool derives(int class, int from) {
    for (; class >= 0; class = api_classes[class].base)
        if (class == from) return true;
    return false;
}

static int class_named(const char *name) {
    for (int i = 0; i < api_class_count; i++)
        if (strcmp(api_classes[i].name, name) == 0) return i;
    if (*name) fprintf(stderr, "prepared.c: there is no class %s\n", name);
    return -1;
}

void index_producers(void) {
    for (int i = 0; i < api_function_count; i++)
        name_hashes[i] = hash_bytes(1, api_functions[i].name, strlen(api_functions[i].name));
    for (int i = 0; prepared_name(i); i++)
        name_hashes[api_function_count + i] = hash_bytes(1, prepared_name(i), strlen(prepared_name(i)));
    for (int class = 0; class < api_class_count; class ++) {
        producers[class] = calloc((size_t)api_function_count + MOST_PREPARED, sizeof(int));
        for (int i = 0; i < api_function_count; i++) {
            const Function *f = &api_functions[i];
            if (!f->exception && f->result == k_object && derives(f->result_sub, class) &&
                !strstr(f->result_type, "const"))
                producers[class][producer_count[class]++] = i;
        }
        for (int i = 0; prepared_name(i) && i < MOST_PREPARED; i++)
            if (derives(class_named(prepared_class(i)), class))
                producers[class][producer_count[class]++] = api_function_count + i;
    }
}

static void *call_producer(int i, char *expression) {
    const Function *f = &api_functions[i], *outer = making.function;
    const Theme outer_theme = making.theme;
    static char texts_of[6][MOST_PARAMS][EXPRESSION];
    char(*texts)[EXPRESSION] = texts_of[making.nesting];
    Value values[MOST_PARAMS], result = {0};
    long double wide[MOST_PARAMS];
    making.nesting++;
    making.producing++;
    making.function = f;
    making.theme = theme_of(shared->base[i]);
    make_all(f->params, f->count, 0, shared->base[i], 0, values, wide, texts);
    making.function = outer;
    making.theme = outer_theme;
    making.nesting--;
    making.producing--;
    api_calls_of_callbacks = 0;
    (t_clear_error)();
    f->call(values, &result, wide);
    (t_clear_error)();
    const int v = making.variables++;
    if (is_printing()) {
        char text[4000];
        fill_call(f->call_text, texts, text, sizeof text);
        say("    %sv%d = %s;\n", f->result_type, v, text);
    }
    snprintf(expression, EXPRESSION, "v%d", v);
    return result.p;
}

void *make_named(const char *name, char *expression) {
    const int prepared = prepared_find(name);
    if (prepared >= 0) return prepared_make(prepared, expression);
    for (int i = 0; i < api_function_count; i++)
        if (!strcmp(api_functions[i].name, name) && shared->base[i]) return call_producer(i, expression);
    return NULL;
}

void *make_object(int class, uint64_t *s, char *expression) {
    strcpy(expression, "NULL");
    if (class < 0 || !producer_count[class] || making.nesting > 4) return NULL;
    for (int try = 0; try < 4; try++) {
        /* by the hash of its name, so that a new function changes few of the other functions' arguments */
        const uint64_t key = draw(s, UINT64_MAX);
        uint64_t most = 0;
        int i = producers[class][0];
        for (int j = 0; j < producer_count[class]; j++) {
            const uint64_t h = mix(name_hashes[producers[class][j]], key);
            if (h >= most) most = h, i = producers[class][j];
        }
        if (i >= api_function_count) return prepared_make(i - api_function_count, expression);
        if (shared->base[i] && !(api_functions[i].flags & (f_global | f_keeps | f_heavy)))
            return call_producer(i, expression);
    }
    return NULL;
}

/* An object that has died: its scope is closed. */
void *make_dead(bool tensor, int class, uint64_t *s, char *expression) {
    if (making.postpone) {
        making.postponed = true;
        strcpy(expression, "NULL");
        return NULL;
    }
    const int v = making.variables++, watched_before = making.watched, tensors_before = making.tensors;
    const int depth = t_scope_open();
    char inner[EXPRESSION];
    say("    void *v%d;\n    {\n    const int s%d = t_scope_open();\n", v, v);
    void *p = tensor ? (void *)make_small_tensor(inner) : make_object(class, s, inner);
    if (!p) strcpy(inner, "NULL");
    say("    v%d = %s;\n    t_scope_close(s%d);\n    }\n", v, inner, v);
    making.watched = watched_before;
    making.tensors = tensors_before;
    t_scope_close(depth);
    prepared_begin();
    snprintf(expression, EXPRESSION, "v%d", v);
    return p;
}

void *make_any_object(uint64_t *s, char *text) {
    void *p = NULL;
    for (int try = 0; try < 6 && !p; try++) p = make_object((int)draw(s, (uint64_t)api_class_count), s, text);
    return p;
}

void make_object_value(const Param *p, bool hostile, uint64_t *s, Value *v, char *text) {
    const uint64_t k = hostile ? draw(s, 10) : 10;
    if (k < 3) return;
    if (k < 5) {
        v->p = make_dead(false, p->sub, s, text);
        return;
    }
    if (k < 8)
        v->p = make_any_object(s, text);
    else if (!hostile && p->spec && !strcmp(p->spec, "NULL"))
        return;
    else if (!hostile && p->spec) {
        v->p = make_named(p->spec, text);
    } else {
        if (!hostile && draw(s, 8) == 0) return;
        v->p = make_object(p->sub, s, text);
    }
    if (v->p) watch(v->p, 0, p->is_const, p->name);
}

static char context_buffer[4096] __attribute__((aligned(64)));

void clear_context(void) {
    memset(context_buffer, 0, sizeof context_buffer);
}

void make_pointer(const Param *p, bool hostile, uint64_t *s, Value *v, char *text) {
    const uint64_t k = draw(s, 10);
    const Param tensor = {.name = p->name};
    switch ((Role)p->sub) {
    case r_context:
        v->p = hostile && k < 5 ? NULL : context_buffer;
        strcpy(text, v->p ? "context" : "NULL");
        return;
    case r_buffer: {
        const int name = making.variables++;
        v->p = hostile && k < 4 ? NULL : block(1 << 16);
        say("    static char b%d[1 << 16];\n", name);
        snprintf(text, EXPRESSION, v->p ? "b%d" : "NULL", name);
        return;
    }
    case r_slot: {
        const int name = making.variables++;
        v->p = hostile && k < 4 ? NULL : block(sizeof(void *));
        say("    void *slot%d = NULL;\n", name);
        snprintf(text, EXPRESSION, v->p ? "&slot%d" : "NULL", name);
        return;
    }
    default: break;
    }
    if (!hostile && p->spec) {
        v->p = make_named(p->spec, text);
    } else if (hostile && k < 3) {
        v->p = NULL;
        strcpy(text, "NULL");
    } else if (hostile && k < 5) {
        v->p = make_dead(draw(s, 2),
                         p->sub == r_module ? api_module_class
                         : p->sub == r_list ? api_list_class
                                            : api_dict_class,
                         s, text);
        return;
    } else if (hostile && k < 8) {
        v->p = make_any_object(s, text);
    } else if (p->sub == r_module) {
        v->p = make_object(api_module_class, s, text);
    } else if (p->sub == r_dict) {
        v->p = make_object(api_dict_class, s, text);
    } else if (p->sub == r_list && k < 7) {
        v->p = make_object(api_list_class, s, text);
    } else if (p->sub == r_any && k < 5) {
        v->p = make_any_object(s, text);
    } else {
        v->p = make_drawn_tensor(&tensor, s, text);
    }
    if (v->p) watch(v->p, 0, p->is_const, p->name);
}
