/* tests/torture/api/arguments.c: the arguments of a call, those with which it succeeds and hostile ones. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/torture/api/arguments.h"

#include "core/core.h"

Making making;
static FILE *streams[8];
static int stream_count;

static void make_out(const Param *p, bool hostile, uint64_t *s, Value *v, char *text) {
    const int name = making.variables++;
    if (hostile && draw(s, 2)) return;
    v->p = block(p->element->bytes * 16);
    say("    %s%sr%d[16] = {0};\n", p->element->type, strchr(p->element->type, '*') ? "" : " ", name);
    snprintf(text, EXPRESSION, "r%d", name);
}

static void make_callback(const Param *p, bool hostile, uint64_t *s, Value *v, char *text) {
    const Callback *c = &api_callbacks[p->sub];
    const bool spec = p->spec && !hostile;
    if (spec ? !strcmp(p->spec, "NULL") : hostile ? draw(s, 4) == 0 : draw(s, 8) == 0) return;
    const int variant = spec ? atoi(p->spec) : hostile ? (int)draw(s, CALLBACK_VARIANTS) : (int)draw(s, 2);
    v->f = c->function[variant];
    say("    /* above main: %s */\n", c->text[variant]);
    snprintf(text, EXPRESSION, "callback_%d_%d", p->sub, variant);
}

static void make_stream(bool hostile, uint64_t *s, Value *v, char *text) {
    if (hostile && draw(s, 2)) return;
    if (stream_count < 8 && (v->p = fopen("stream.txt", "w+"))) streams[stream_count++] = v->p;
    strcpy(text, "stdout");
}

void make_value(const Param *p, bool hostile, uint64_t s, Value *v, long double *wide, char *text) {
    int64_t count; /* of an array without one */
    strcpy(text, "NULL");
    memset(v, 0, sizeof *v);
    if (hostile && p->trusted) {
        if (draw(&s, 2)) return;
        hostile = false;
    }
    if (!hostile && p->spec && p->kind != k_text && prepared_find(p->spec) >= 0) {
        v->p = make_named(p->spec, text);
        const bool is_object = p->kind == k_tensor || p->kind == k_object || (p->kind == k_pointer && !p->trusted);
        if (v->p && is_object) watch(v->p, 0, p->is_const, p->name);
        return;
    }
    switch (p->kind) {
    case k_tensor: make_tensor_value(p, hostile, &s, v, text); break;
    case k_object: make_object_value(p, hostile, &s, v, text); break;
    case k_pointer: make_pointer(p, hostile, &s, v, text); break;
    case k_int: make_integer(p, hostile, &s, v, text); break;
    case k_double: make_double(p, hostile, &s, v, text); break;
    case k_long_double: make_long_double(hostile, &s, wide, text); break;
    case k_bool:
        v->b = p->spec && !hostile ? *p->spec == 't' : draw(&s, 2);
        strcpy(text, v->b ? "true" : "false");
        break;
    case k_enum: make_enum(p, hostile, &s, v, text); break;
    case k_text: make_text(p, hostile, &s, v, text); break;
    case k_array: make_array(p, hostile, &s, v, &count, text); break;
    case k_out: make_out(p, hostile, &s, v, text); break;
    case k_struct: make_struct(p, hostile, &s, v, text); break;
    case k_callback: make_callback(p, hostile, &s, v, text); break;
    case k_file: make_stream(hostile, &s, v, text); break;
    default: break;
    }
}

static void make_one(const Param *params, int i, bool hostile, uint64_t base, uint64_t seed, Value *values,
                     long double *wide, char (*texts)[EXPRESSION], bool *done) {
    const Param *p = &params[i];
    uint64_t s = hostile ? mix(seed, (uint64_t)i + 200) : mix(base, (uint64_t)i + 100);
    if (done[i]) return;
    done[i] = true;
    if (p->pair >= 0 && p->kind != k_int && !(p->kind == k_pointer && p->sub != r_buffer)) {
        int64_t count = 0;
        memset(&values[i], 0, sizeof values[i]);
        if (p->kind == k_array)
            make_array(p, hostile, &s, &values[i], &count, texts[i]);
        else {
            if (p->kind == k_pointer && p->is_const && has_word(p->name, "bytes data") && draw(&s, 2)) {
                values[i].p = make_file_contents(&s, &count, texts[i]);
                if (hostile) count = (int64_t)draw(&s, (uint64_t)count + 1);
            } else {
                make_value(p, hostile, s, &values[i], &wide[i], texts[i]);
                count = values[i].p ? (int64_t)draw(&s, 9) : (int64_t)draw(&s, 2);
            }
        }
        const Param *n = &params[p->pair];
        if (n->sub == 4) count = (int32_t)count;
        if (n->is_unsigned && count < 0) count = 0;
        if (n->is_unsigned && !values[i].p && count > 8) count = 8;
        memset(&values[p->pair], 0, sizeof *values);
        values[p->pair].i = count;
        quote_integer(count, texts[p->pair]);
        done[p->pair] = true;
        return;
    }
    make_value(p, hostile, s, &values[i], &wide[i], texts[i]);
}

void make_all(const Param *params, int count, uint32_t hostile, uint64_t base, uint64_t seed, Value *values,
              long double *wide, char (*texts)[EXPRESSION]) {
    bool done[MOST_PARAMS] = {false}, with_dead[MOST_PARAMS] = {false};
    const bool outermost = making.producing == 0 && making.nesting == 0;
    for (int pass = 0; pass < (outermost ? 2 : 1); pass++) {
        making.postpone = outermost && pass == 0;
        for (int i = 0; i < count; i++) {
            const Param *p = &params[i];
            const int pair = p->pair >= 0 && p->pair < 32 ? p->pair : -1;
            const bool bad = (i < 32 && hostile >> i & 1) || (pair >= 0 && hostile >> pair & 1);
            if (pass && !with_dead[i]) continue;
            making.postponed = false;
            if (pass) done[i] = false;
            if (p->kind == k_int && p->pair >= 0 && !done[i])
                make_one(params, p->pair, bad, base, seed, values, wide, texts, done);
            make_one(params, i, bad, base, seed, values, wide, texts, done);
            with_dead[i] = making.postponed;
        }
    }
    making.postpone = false;
}

static Value values[MOST_PARAMS];
static long double wide_values[MOST_PARAMS];
static char expressions[MOST_PARAMS][EXPRESSION];

void arguments_begin(const Call *c) {
    making = (Making){.function = &api_functions[c->function], .theme = theme_of(c->base)};
    clear_context();
    prepared_begin();
    make_all(making.function->params, making.function->count, c->hostile, c->base, c->seed, values, wide_values,
             expressions);
}

void get_argument(int i, Value *value, long double *wide) {
    *value = values[i];
    *wide = wide_values[i];
}

void print_call(const Function *f, bool macro) {
    if (!is_printing()) return;
    static char text[8000];
    fill_call(macro ? f->macro_text : f->call_text, expressions, text, sizeof text);
    say("    %s;\n    puts(t_error_message() ? t_error_message() : \"no error\");\n", text);
}

void arguments_end(void) {
    for (int i = 0; i < stream_count; i++) fclose(streams[i]);
    stream_count = 0;
    free_blocks();
    making.watched = 0;
}
