/* tests/torture/api/compound_values.c: arguments that are arrays, structs and options, of values of any kind. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/torture/api/arguments.h"

#include "core/core.h"

static void store(const Param *p, void *to, const Value *v, const long double *wide) {
    const float f = (float)v->d;
    switch (p->kind) {
    case k_int: memcpy(to, &v->i, (size_t)p->sub); break; /* little-endian */
    case k_enum: memcpy(to, &v->i, sizeof(int)); break;
    case k_bool: memcpy(to, &v->b, 1); break;
    case k_double: memcpy(to, p->sub == 4 ? (const void *)&f : &v->d, (size_t)p->sub); break;
    case k_long_double: memcpy(to, wide, sizeof *wide); break;
    case k_inline: break;
    case k_struct:
        if (p->bytes != sizeof(void *) || strchr(p->type, '*') == NULL) {
            if (v->p) memcpy(to, v->p, p->bytes);
            break;
        } /* fall through */
    default: memcpy(to, &v->p, sizeof v->p);
    }
}

/* n elements of a block of exactly their size. */
static void *make_elements(const Param *p, int64_t n, bool hostile, uint64_t *s, char *text) {
    const Param *e = p->element;
    const size_t bytes = e->kind == k_struct && !strchr(e->type, '*') ? api_structs[e->sub].bytes : e->bytes;
    char *data = block((size_t)n * bytes);
    const int v = making.variables++;
    static char inner[8][12][EXPRESSION];
    char(*texts)[EXPRESSION] = inner[making.nesting % 8];
    const uint64_t bad = hostile ? draw(s, (uint64_t)n + 2) : 0;
    for (int64_t i = 0; data && i < n; i++) {
        Value value = {0};
        long double wide = 0;
        making.nesting++;
        make_value(e, hostile && (bad == (uint64_t)i || bad == (uint64_t)n), mix(*s, (uint64_t)i + 50), &value, &wide,
                   texts[i % 12]);
        making.nesting--;
        store(e, data + (size_t)i * bytes, &value, &wide);
    }
    if (is_printing()) {
        char type[100];
        snprintf(type, sizeof type, "%s", e->type);
        say("    %s%sa%d[] = {", type, type[strlen(type) - 1] == '*' ? "" : " ", v);
        for (int64_t i = 0; i < n; i++) say("%s, ", texts[i % 12]);
        say("%s};\n", n ? "" : "0");
    }
    if (data && p->is_const && n) watch(data, (size_t)n * bytes, true, p->name);
    snprintf(text, EXPRESSION, "a%d", v);
    return data;
}

void make_array(const Param *p, bool hostile, uint64_t *s, Value *v, int64_t *count, char *text) {
    int64_t n = 1 + (int64_t)draw(s, 3);
    if (p->spec && !hostile) {
        const char *at = p->spec;
        if (!strcmp(at, "NULL")) {
            v->p = NULL, *count = 0;
            strcpy(text, "NULL");
            return;
        }
        if (prepared_find(at) >= 0) { /* pointers up to NULL */
            void *const *items = v->p = make_named(at, text);
            for (*count = 0; items && items[*count]; ++*count) continue;
            return;
        }
        n = 1;
        for (; *at; at++) n += *at == ',';
    }
    if (hostile && draw(s, 3) == 0) {
        static const int64_t counts[] = {0, 1, -1, 5, INT32_MIN, INT32_MAX, INT64_MAX, INT64_MIN};
        v->p = NULL;
        *count = counts[draw(s, 8)];
        strcpy(text, "NULL");
        return;
    }
    if (hostile && draw(s, 3) == 0) n = (int64_t)draw(s, 11);
    if (!hostile && !p->spec && draw(s, 5) == 0) n = 0;
    if (p->length)
        n = p->length;
    else if (p->pair < 0)
        n = p->element->kind == k_out ? 24 : 12; /* of a length that the function knows, at most that of the others */
    *count = n;
    v->p = make_elements(p, n, hostile, s, text);
    if (p->spec && !hostile && v->p && p->element->kind == k_int && p->element->sub == 8) {
        char *at = (char *)(intptr_t)p->spec;
        int64_t *to = v->p;
        say("    {\n");
        for (int64_t i = 0; i < n; i++) {
            to[i] = strtoll(at, &at, 10);
            say("    %s[%lld] = %lld;\n", text, (long long)i, (long long)to[i]);
            if (*at == ',') at++;
        }
        say("    }\n");
    }
    if (p->pair < 0 && !p->length && p->element->kind == k_int && p->element->sub == 8 && v->p) {
        /* sizes: F_BOTH or T_NONE after the first ones */
        int64_t *to = v->p;
        const int64_t given = 1 + (int64_t)draw(s, 3);
        for (int64_t i = given; i < n; i++) {
            to[i] = draw(s, 2) ? INT64_MIN + 1 : T_NONE;
            if (to[i] == T_NONE)
                say("    %s[%lld] = T_NONE;\n", text, (long long)i);
            else
                say("    %s[%lld] = INT64_MIN + 1;\n", text, (long long)i);
        }
    }
    if (hostile && p->pair >= 0 && draw(s, 4) == 0) *count = draw(s, 2) ? -1 : INT32_MIN;
}

void make_struct(const Param *p, bool hostile, uint64_t *s, Value *v, char *text) {
    const Struct *z = &api_structs[p->sub];
    const bool options = z->has_size, pointer = strchr(p->type, '*') != NULL;
    strcpy(text, "NULL");
    v->p = NULL;
    const bool null_by_spec = p->spec && !strcmp(p->spec, "NULL"), all_by_spec = p->spec && !strcmp(p->spec, "all");
    if (pointer &&
        ((!hostile && (null_by_spec || (options && draw(s, 2) && !all_by_spec))) || (hostile && draw(s, 8) == 0)))
        return;
    char *data = block(z->bytes);
    if (!data) return;
    const int name = making.variables++;
    if (z->defaults) memcpy(data, z->defaults, z->bytes);
    say("    %s o%d = %s;\n", z->name, name, z->defaults ? z->defaults_name : "{0}");
    uint32_t size = (uint32_t)z->bytes;
    if (options) {
        if (hostile && draw(s, 8) == 0) {
            const uint32_t sizes[] = {0, 1, 4, 8, 16, 24, size / 2 / 8 * 8, size}; /* of whole fields */
            size = sizes[draw(s, 8)];
        }
        memcpy(data, &size, sizeof size);
        say("    o%d.size = %u;\n", name, size);
    }
    const bool one = hostile && draw(s, 2);
    const uint64_t which = z->count ? draw(s, (uint64_t)z->count) : 0;
    const int base_share = options ? 4 : p->is_const || !pointer ? 1 : 0;
    static char field_texts[6][EXPRESSION];
    char *inner = field_texts[making.nesting % 6];
    for (int i = 0; i < z->count; i++) {
        const Param *field = &z->fields[i];
        uint64_t f = mix(*s, (uint64_t)i + 300);
        if (options && i == 0) continue;
        const bool bad = hostile && (one ? which == (uint64_t)i : draw(&f, 3) == 0);
        if (!bad && !field->spec && (all_by_spec || !base_share || draw(&f, (uint64_t)base_share))) continue;
        if (field->pair >= 0 && field->kind == k_int) continue; /* with its array */
        if (field->kind == k_other) continue;
        Value value = {0};
        long double wide = 0;
        making.nesting++;
        if (field->kind == k_inline) {
            for (int j = 0; j < field->length; j++) {
                uint64_t g = mix(f, (uint64_t)j);
                if (j && draw(&g, 3) == 0) continue;
                make_value(field->element, bad && draw(&g, 2), g, &value, &wide, inner);
                store(field->element, data + field->offset + (size_t)j * field->element->bytes, &value, &wide);
                say("    o%d.%s[%d] = %s;\n", name, field->name, j, inner);
            }
        } else if (field->kind == k_array) {
            int64_t count = 0;
            make_array(field, bad, &f, &value, &count, inner);
            store(field, data + field->offset, &value, &wide);
            say("    o%d.%s = %s;\n", name, field->name, inner);
            if (field->pair >= 0) {
                const Value n = {.i = count};
                const Param *counted = &z->fields[field->pair];
                store(counted, data + counted->offset, &n, &wide);
                say("    o%d.%s = %lld;\n", name, counted->name, (long long)count);
            }
        } else {
            make_value(field, bad, f, &value, &wide, inner);
            store(field, data + field->offset, &value, &wide);
            say("    o%d.%s = %s;\n", name, field->name, inner);
        }
        making.nesting--;
    }
    if (p->is_const) watch(data, z->bytes, true, p->name);
    v->p = data;
    snprintf(text, EXPRESSION, pointer ? "&o%d" : "o%d", name);
}
