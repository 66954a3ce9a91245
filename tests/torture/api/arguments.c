/* tests/torture/api/arguments.c: the values of arguments, those that succeed and hostile ones; their state before and
 * after a call; the same as C text.
 *
 * Every argument draws from a generator of its own, so that it stays as it is when others become harmless. */
#define _DEFAULT_SOURCE
#include <dirent.h>
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/torture/api/torture.h"

#include "core/core.h"
#include "core/ops/creation/random_internal.h"
#include "nn/nn.h"

#if defined(__SANITIZE_ADDRESS__)
int __sanitizer_get_ownership(const volatile void *p);
size_t __sanitizer_get_allocated_size(const volatile void *p);
#endif

/* ---- printing ---- */

static char *printed;
static size_t printed_size, printed_length;
static int variables;

void print_to(char *text, size_t size) {
    printed = text;
    printed_size = size;
    printed_length = 0;
    printed[0] = '\0';
}

static void say(const char *format, ...) {
    if (!printed) return;
    va_list arguments;
    va_start(arguments, format);
    const int n = vsnprintf(printed + printed_length, printed_size - printed_length, format, arguments);
    va_end(arguments);
    if (n > 0) printed_length += (size_t)n;
    if (printed_length >= printed_size) printed_length = printed_size - 1;
}

enum { EXPRESSION = 400 };
static char expressions[MOST_PARAMS][EXPRESSION];

static void quote(const char *text, char *to) {
    size_t at = 0;
    to[at++] = '"';
    for (const char *c = text; *c; c++) {
        if (at > EXPRESSION - 40) {
            at += (size_t)sprintf(to + at, "\" /* ... %zu more bytes */ \"", strlen(c));
            break;
        }
        const unsigned char u = (unsigned char)*c;
        if (u < 32 || u > 126 || u == '"' || u == '\\')
            at += (size_t)sprintf(to + at, "\\%03o", u);
        else
            to[at++] = *c;
    }
    to[at++] = '"';
    to[at] = '\0';
}

/* ---- memory of the call, and what is watched ---- */

enum { MOST_BLOCKS = 4000, MOST_WATCHED = 300 };
static void *blocks[MOST_BLOCKS];
static int block_count;
static FILE *streams[8];
static int stream_count;
static char context_buffer[4096] __attribute__((aligned(64)));

static void *block(size_t bytes) {
    void *p = calloc(1, bytes ? bytes : 1);
    if (p && !bytes) {
        free(p);
        p = malloc(1);
    }
    if (p && block_count < MOST_BLOCKS) blocks[block_count++] = p;
    return p;
}

typedef struct Watched {
    void *p;
    size_t bytes; /* 0: an object */
    bool is_const;
    uint64_t hash;
    char name[40];
} Watched;
static Watched watched[MOST_WATCHED];
static int watched_count, depth_of_call;
static int producing; /* arguments of a function that makes an argument: not watched */

static void watch(void *p, size_t bytes, bool is_const, const char *name) {
    if (!p || producing || watched_count == MOST_WATCHED) return;
    watched[watched_count] = (Watched){.p = p, .bytes = bytes, .is_const = is_const};
    snprintf(watched[watched_count++].name, sizeof watched->name, "%s", name);
}

uint64_t hash_bytes(uint64_t h, const void *bytes, size_t count) {
    const unsigned char *b = bytes;
    for (; count >= 8; b += 8, count -= 8) {
        uint64_t word;
        memcpy(&word, b, 8);
        h = mix(h ^ word, 2);
    }
    while (count--) h = mix(h ^ *b++, 3);
    return h;
}

uint64_t hash_generator(uint64_t h, const t_Generator *generator) {
    return generator ? hash_bytes(h, &generator->engine, sizeof generator->engine) : h;
}

static bool is_class(const t_Object *o, const char *name) {
    return o && o->is_a && strcmp(o->is_a->name, name) == 0;
}

static uint64_t hash_object(uint64_t h, const void *p, int depth) {
    const t_Object *o = p;
    if (!o || !o->is_a || !o->is_a->destroy || depth > 4) return mix(h, (uint64_t)(uintptr_t)p);
    if (o->is_a == &tg_tensor_class) {
        const Tensor *x = p;
        h = hash_bytes(h, x->shape, sizeof *x->shape * (size_t)x->ndim);
        h = hash_bytes(h, x->strides, sizeof *x->strides * (size_t)x->ndim);
        const int64_t facts[] = {x->ndim,
                                 x->dtype,
                                 x->offset,
                                 x->requires_grad,
                                 x->is_parameter,
                                 (intptr_t)x->storage,
                                 x->storage->version,
                                 (intptr_t)x->grad,
                                 (intptr_t)x->hooks};
        h = hash_bytes(h, facts, sizeof facts);
        h = hash_bytes(h, x->storage->data, x->storage->bytes);
        return x->grad && x->grad != x ? hash_object(h, x->grad, depth + 1) : h;
    }
    if (is_class(o, "TensorList")) {
        const t_TensorList *list = p;
        h = mix(h, (uint64_t)list->len);
        for (int64_t i = 0; i < list->len; i++) h = hash_object(h, list->items[i], depth + 1);
        return h;
    }
    if (is_class(o, "Module")) {
        const nn_Module *m = p;
        const size_t type = offsetof(nn_Module, type), hooks = offsetof(nn_Module, hooks),
                     bytes = offsetof(nn_Module, bytes);
        h = hash_bytes(h, (const char *)p + type, hooks - type);
        h = hash_bytes(h, (const char *)p + bytes, m->bytes - bytes);
        for (const nn_Entry *e = m->first; e; e = e->next) h = hash_object(mix(h, e->kind), e->value, depth + 1);
        return h;
    }
#if defined(__SANITIZE_ADDRESS__)
    if (__sanitizer_get_ownership(p))
        return hash_bytes(h, (const char *)p + sizeof *o, __sanitizer_get_allocated_size(p) - sizeof *o);
#endif
    return h;
}

static uint64_t hash_watched(const Watched *w) {
    return w->bytes ? hash_bytes(7, w->p, w->bytes) : hash_object(7, w->p, 0);
}

void hash_arguments(void) {
    depth_of_call = t_scope_depth();
    for (int i = 0; i < watched_count; i++) watched[i].hash = hash_watched(&watched[i]);
}

void compare_arguments(bool refused, const Function *f) {
    if (t_scope_depth() < depth_of_call || (f->flags & f_changes)) return;
    for (int i = 0; i < watched_count; i++) {
        const Watched *w = &watched[i];
        if (!(refused || w->is_const) || hash_watched(w) == w->hash) continue;
        if (refused)
            found(find_changed, "a refused call has changed %s: %.300s", w->name, (t_error_message)());
        else
            found(find_changed_const, "%s, which is const, was changed", w->name);
    }
}

/* ---- themes: arguments of one call that may fit together ---- */

typedef struct Theme {
    int kind, fill;
    int64_t a, b, c, d;
    t_DType dtype;
} Theme;
static Theme theme;
static const Function *function;
static const Call *current;
static uint64_t base_seed;

static Theme theme_of(uint64_t base) {
    uint64_t s = mix(base, 77);
    static const t_DType dtypes[] = {t_float32, t_float32, t_float32, t_float32, t_float64, t_int64, t_bool, t_uint8};
    Theme t = {.kind = (int)draw(&s, 12), .fill = (int)draw(&s, 4), .dtype = dtypes[draw(&s, 8)]};
    t.a = 1 + (int64_t)draw(&s, 4), t.b = 1 + (int64_t)draw(&s, 4), t.c = 2 + 2 * (int64_t)draw(&s, 4);
    t.d = 1 + (int64_t)draw(&s, 6);
    return t;
}

/* ---- tensors ---- */

typedef struct Recipe {
    int ndim, layout, fill; /* fill: 0 normal, 1 in (0, 1), 2 like the identity, 3 small integers, 4 hostile values */
    t_DType dtype;
    int64_t shape[T_MAX_DIMS];
    bool grad, non_leaf;
    uint64_t seed;
} Recipe;

static bool has_word(const char *name, const char *words) {
    char list[300];
    snprintf(list, sizeof list, "%s", words);
    for (char *w = strtok(list, " "); w; w = strtok(NULL, " "))
        if (strstr(name, w)) return true;
    return false;
}

static int64_t numel_of(const Recipe *r) {
    int64_t n = 1;
    for (int d = 0; d < r->ndim; d++) n *= r->shape[d];
    return n;
}

static void set_shape(Recipe *r, int ndim, int64_t a, int64_t b, int64_t c, int64_t d) {
    const int64_t dims[] = {a, b, c, d};
    r->ndim = ndim;
    for (int i = 0; i < ndim; i++) r->shape[i] = dims[i];
}

static Recipe base_recipe(const Param *p, uint64_t *s) {
    Recipe r = {.dtype = theme.dtype, .fill = theme.fill, .seed = draw(s, 1 << 20)};
    const Theme *t = &theme;
    switch (t->kind) {
    case 0:
    case 9: set_shape(&r, 2, t->a, t->b, 0, 0); break;
    case 1: set_shape(&r, 2, t->a, t->a, 0, 0); break;
    case 2: set_shape(&r, 1, t->b, 0, 0, 0); break;
    case 3: r.ndim = 0; break;
    case 4: set_shape(&r, 4, t->a, t->b, t->c, t->c); break;
    case 5: set_shape(&r, 3, t->a, t->b, t->c, 0); break;
    case 6:
        r.ndim = (int)draw(s, 5);
        for (int d = 0; d < r.ndim; d++) r.shape[d] = 1 + (int64_t)draw(s, 4);
        break;
    case 7:
    case 10:
        r.ndim = 1 + (int)draw(s, 3);
        for (int d = 0; d < r.ndim; d++) r.shape[d] = draw(s, 2) ? t->a : t->b;
        break;
    case 8: set_shape(&r, 3, draw(s, 2) ? 3 : 1, t->c, t->c, 0); break;
    default: set_shape(&r, 3, t->a, t->a, t->a, 0); break;
    }
    const uint64_t other = draw(s, 20);
    if (has_word(p->name, "index indices target label ids lengths offset tokens batch_sizes") && other < 12) {
        r.dtype = t_int64;
        r.fill = 3;
        if (draw(s, 2)) r.ndim = draw(s, 2) ? 1 : r.ndim > 1 ? r.ndim - 1 : r.ndim;
    } else if (has_word(p->name, "mask condition sorted") && other < 12)
        r.dtype = t_bool;
    else if (has_word(p->name, "img pic image") && other < 12) {
        r.dtype = draw(s, 2) ? t_uint8 : t_float32;
        set_shape(&r, 3, draw(s, 4) ? 3 : 1, t->c, t->c + 1, 0);
        if (r.dtype == t_float32) r.fill = 1;
    } else if (other == 19)
        r.dtype = t_int64;
    else if (other == 18)
        r.dtype = t_float32;
    else if (other == 17)
        r.ndim = 0;
    else if (other == 16)
        set_shape(&r, 1, t->a, 0, 0, 0);
    else if (other == 15)
        set_shape(&r, 1, t->b, 0, 0, 0);
    r.grad = draw(s, 4) == 0 && tg_is_floating(r.dtype);
    return r;
}

static void hostile_shape(Recipe *r, uint64_t *s) {
    static const int64_t sizes[] = {0, 1, 1, 2, 3, 5, 7, 16};
    r->ndim = (int)draw(s, T_MAX_DIMS + 1);
    for (int d = 0; d < r->ndim; d++) r->shape[d] = sizes[draw(s, r->ndim > 4 ? 5 : 8)];
    while (numel_of(r) > 5000) r->shape[draw(s, (uint64_t)r->ndim)] = 1;
}

static Recipe hostile_recipe(const Param *p, uint64_t *s) {
    Recipe r = base_recipe(p, s);
    const uint64_t what = draw(s, 12);
    if (what == 0 || what == 1)
        r.dtype = (t_DType)(1 + draw(s, T_DTYPES - 1));
    else if (what == 2)
        r.layout = 1 + (int)draw(s, 5);
    else if (what == 3 && r.ndim)
        r.shape[draw(s, (uint64_t)r.ndim)] = (int64_t)draw(s, 4) * 2;
    else if (what == 4 && r.ndim < T_MAX_DIMS)
        r.shape[r.ndim++] = 1 + (int64_t)draw(s, 3);
    else if (what == 5 && r.ndim)
        r.ndim--;
    else if (what == 6)
        r.fill = 4;
    else if (what == 7 && r.ndim)
        r.shape[draw(s, (uint64_t)r.ndim)] = 0;
    else {
        hostile_shape(&r, s);
        r.dtype = draw(s, 2) ? r.dtype : (t_DType)(1 + draw(s, T_DTYPES - 1));
        r.layout = draw(s, 2) ? 0 : 1 + (int)draw(s, 5);
        r.fill = (int)draw(s, 5);
    }
    if (what > 8) r.fill = 4;
    r.grad = draw(s, 3) == 0 && tg_is_floating(r.dtype);
    r.non_leaf = r.grad && draw(s, 2);
    return r;
}

static double value_at(const Recipe *r, int64_t i, uint64_t *s) {
    static const double hostile[] = {0,     -0.0,   1,     -1,  NAN,   INFINITY, -INFINITY,    1e-42,   -1e-320, 1e30,
                                     -1e30, 3.4e38, 1e300, 0.5, 65504, 1e-8,     2147483648.0, -9.2e18, 255,     256};
    const double unit = (double)draw(s, 1 << 20) / (1 << 20);
    switch (r->fill) {
    case 0: return 4 * unit - 2;
    case 1: return 0.05 + 0.9 * unit;
    case 2: {
        const int64_t n = r->ndim > 1 ? r->shape[r->ndim - 1] : 1, m = r->ndim > 1 ? r->shape[r->ndim - 2] : 1;
        return (i % n == i / n % (m ? m : 1) ? 3 : 0) + 0.1 * unit;
    }
    case 3: return (double)draw(s, 3);
    default: return draw(s, 2) ? hostile[draw(s, sizeof hostile / sizeof *hostile)] : 4 * unit - 2;
    }
}

static int64_t integer_at(const Recipe *r, uint64_t *s) {
    static const int64_t hostile[] = {
        0, 1, -1, 2, 127, 128, 255, -128, 32767, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN, (int64_t)1 << 62, 3, 5};
    return r->fill == 4 ? hostile[draw(s, 16)] : r->fill == 0 ? (int64_t)draw(s, 7) - 2 : (int64_t)draw(s, 3);
}

static uint16_t half_of(float value, bool brain) {
    uint32_t bits;
    memcpy(&bits, &value, 4);
    if (brain) return (uint16_t)(bits >> 16);
    const int exponent = (int)(bits >> 23 & 255) - 127 + 15;
    const uint16_t sign = (uint16_t)(bits >> 16 & 0x8000);
    if ((bits >> 23 & 255) == 255) return (uint16_t)(sign | 0x7c00 | (bits & 0x7fffff ? 0x200 : 0));
    if (exponent >= 31) return (uint16_t)(sign | 0x7c00);
    return exponent <= 0 ? (uint16_t)(sign | (exponent == 0 ? 1 : 0))
                         : (uint16_t)(sign | exponent << 10 | (bits >> 13 & 0x3ff));
}

static void say_sizes(const int64_t *shape, int ndim) {
    say("(int64_t[]){");
    for (int i = 0; i < ndim; i++) say("%lld, ", (long long)shape[i]);
    say("%s}, %d", ndim ? "" : "0", ndim);
}

static Tensor *make_tensor(const Recipe *given, char *expression) {
    Recipe recipe = *given, *r = &recipe;
    if (r->layout == 1 && r->ndim >= 2) { /* transposed below */
        const int64_t last = r->shape[r->ndim - 1];
        r->shape[r->ndim - 1] = r->shape[0], r->shape[0] = last;
    }
    const int64_t n = numel_of(r);
    const size_t item = tg_itemsize(r->dtype);
    char *data = malloc(n ? (size_t)n * item : 1);
    if (!data) return NULL;
    uint64_t s = mix(r->seed, 9);
    const int v = variables++;
    say("    static const %s d%d[] = {",
        r->dtype == t_float64   ? "double"
        : r->dtype == t_float32 ? "float"
        : item == 8             ? "int64_t"
        : item == 4             ? "int32_t"
        : item == 2             ? "uint16_t"
                                : "uint8_t",
        v);
    for (int64_t i = 0; i < n; i++) {
        char *to = data + (size_t)i * item;
        if (tg_is_floating(r->dtype)) {
            const double x = value_at(r, i, &s);
            const float f = (float)x;
            const uint16_t h = half_of(f, r->dtype == t_bfloat16);
            if (r->dtype == t_float64)
                memcpy(to, &x, 8);
            else if (r->dtype == t_float32)
                memcpy(to, &f, 4);
            else
                memcpy(to, &h, 2);
            if (item == 2)
                say("%u, ", h);
            else if (isnan(x))
                say("NAN, ");
            else if (isinf(item == 4 ? f : x))
                say(x > 0 ? "INFINITY, " : "-INFINITY, ");
            else
                say("%.9g, ", item == 4 ? (double)f : x);
        } else {
            const int64_t x = r->dtype == t_bool ? integer_at(r, &s) & 1 : integer_at(r, &s);
            memcpy(to, &x, item);
            if (x == INT64_MIN && item == 8)
                say("INT64_MIN, ");
            else
                say("%lld, ", (long long)(item == 8   ? x
                                          : item == 4 ? (int32_t)x
                                          : item == 2 ? (uint16_t)x
                                                      : (uint8_t)x));
        }
    }
    say("%s};\n", n ? "" : "0");
    Tensor *x = (t_tensor_from_data)(data, r->dtype, r->shape, r->ndim, NULL);
    free(data);
    say("    Tensor *v%d = (t_tensor_from_data)(d%d, %s%s, ", v, v, "t_", tg_dtype_name(r->dtype));
    say_sizes(r->shape, r->ndim);
    say(", NULL);\n");
    if (x && r->grad) {
        (t_requires_grad_)(x, true);
        say("    (t_requires_grad_)(v%d, true);\n", v);
    }
    if (x && r->grad && r->non_leaf) {
        x = (t_neg)(x);
        say("    v%d = (t_neg)(v%d);\n", v, v);
    }
    if (x && r->layout == 1 && r->ndim >= 2) {
        x = (t_transpose)(x, 0, -1);
        say("    v%d = (t_transpose)(v%d, 0, -1);\n", v, v);
    } else if (x && r->layout == 2 && r->ndim) { /* a stride of 0 */
        int64_t shape[T_MAX_DIMS];
        x = (t_slice)(x, 0, 0, 1, 1);
        say("    v%d = (t_slice)(v%d, 0, 0, 1, 1);\n", v, v);
        memcpy(shape, r->shape, sizeof shape);
        if (shape[0] == 0) shape[0] = 2;
        if (r->shape[0]) x = (t_expand)(x, shape, r->ndim);
        if (r->shape[0]) say("    v%d = (t_expand)(v%d, ", v, v), say_sizes(shape, r->ndim), say(");\n");
    } else if (x && r->layout == 3 && n > 2) { /* overlapping windows */
        const int64_t shape[] = {n - 1, 2}, strides[] = {1, 1};
        x = (t_as_strided)(x, shape, 2, strides, 2, 0);
        say("    v%d = (t_as_strided)(v%d, (int64_t[]){%lld, 2}, 2, (int64_t[]){1, 1}, 2, 0);\n", v, v,
            (long long)n - 1);
    } else if (x && r->layout == 4 && r->ndim) {
        x = (t_slice)(x, -1, 0, r->shape[r->ndim - 1], 2);
        say("    v%d = (t_slice)(v%d, -1, 0, %lld, 2);\n", v, v, (long long)r->shape[r->ndim - 1]);
    } else if (x && r->layout == 5) {
        x = (t_detach)(x);
        say("    v%d = (t_detach)(v%d);\n", v, v);
    }
    (t_clear_error)();
    snprintf(expression, EXPRESSION, "v%d", v);
    return x;
}

/* "f32[2,3]", "i64[]g" */
static bool spec_recipe(const char *spec, Recipe *r) {
    static const struct {
        const char *name;
        t_DType dtype;
    } names[] = {{"f32[", t_float32}, {"f64[", t_float64}, {"i64[", t_int64}, {"u8[", t_uint8},
                 {"b[", t_bool},      {"f16[", t_float16}, {"i32[", t_int32}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const size_t length = strlen(names[i].name);
        if (strncmp(spec, names[i].name, length)) continue;
        *r = (Recipe){.dtype = names[i].dtype, .fill = names[i].dtype == t_int64 ? 3 : 1, .seed = 5};
        char *at = (char *)(intptr_t)(spec + length);
        while (*at && *at != ']') {
            r->shape[r->ndim++] = strtoll(at, &at, 10);
            if (*at == ',') at++;
        }
        if (*at == ']') at++;
        r->grad = *at == 'g';
        if (*at == 'n') r->fill = 0;
        if (*at == 'e') r->fill = 2;
        if (*at == 'z') r->fill = 3;
        return true;
    }
    return false;
}

/* ---- objects: from the functions that return them ---- */

static uint64_t name_hashes[MOST_FUNCTIONS];
static int *producers[MOST_FUNCTIONS], producer_count[MOST_FUNCTIONS];
static char file_names[64][64];
static int file_count;

static bool derives(int class, int from) {
    for (; class >= 0; class = api_classes[class].base)
        if (class == from) return true;
    return false;
}

void index_producers(const char *files) {
    for (int i = 0; i < api_function_count; i++)
        name_hashes[i] = hash_bytes(1, api_functions[i].name, strlen(api_functions[i].name));
    for (int class = 0; class < api_class_count; class ++) {
        producers[class] = calloc((size_t)api_function_count, sizeof(int));
        for (int i = 0; i < api_function_count; i++) {
            const Function *f = &api_functions[i];
            if (!f->exception && f->result == k_object && derives(f->result_sub, class) &&
                !strstr(f->result_type, "const"))
                producers[class][producer_count[class]++] = i;
        }
    }
    DIR *folder = opendir(files);
    for (struct dirent *e; folder && (e = readdir(folder)) && file_count < 64;)
        if (e->d_name[0] != '.') snprintf(file_names[file_count++], 64, "%.60s", e->d_name);
    if (folder) closedir(folder);
    for (int i = 1; i < file_count; i++) /* sorted: a seed gives the same name everywhere */
        for (int j = i; j > 0 && strcmp(file_names[j], file_names[j - 1]) < 0; j--) {
            char name[64];
            strcpy(name, file_names[j]), strcpy(file_names[j], file_names[j - 1]), strcpy(file_names[j - 1], name);
        }
}

static void make_all(const Param *params, int count, uint32_t hostile, uint64_t base, uint64_t seed, Value *values,
                     long double *wide, char (*texts)[EXPRESSION]);
static int nesting;

static void *call_producer(int i, char *expression);
static void *make_object(int class, uint64_t *s, char *expression) {
    strcpy(expression, "NULL");
    if (class < 0 || !producer_count[class] || nesting > 4) return NULL;
    for (int try = 0; try < 4; try++) {
        /* by the hash of its name, so that a new function changes few of the other functions' arguments */
        const uint64_t key = draw(s, UINT64_MAX);
        uint64_t most = 0;
        int i = producers[class][0];
        for (int j = 0; j < producer_count[class]; j++) {
            const uint64_t h = mix(name_hashes[producers[class][j]], key);
            if (h >= most) most = h, i = producers[class][j];
        }
        if (shared->base[i] && !(api_functions[i].flags & (f_global | f_keeps | f_slow)))
            return call_producer(i, expression);
    }
    return NULL;
}

static void fill_call(const char *text, char (*arguments)[EXPRESSION], char *to, size_t size) {
    size_t at = 0;
    for (const char *c = text; *c && at < size - 1; c++) {
        if (*c != '$') {
            to[at++] = *c;
            continue;
        }
        char *end;
        const long i = strtol(c + 1, &end, 10);
        at += (size_t)snprintf(to + at, size - at, "%s", arguments[i]);
        if (at >= size) at = size - 1;
        c = end - 1;
    }
    to[at] = '\0';
}

static void *call_producer(int i, char *expression) {
    const Function *f = &api_functions[i], *outer = function;
    const Theme outer_theme = theme;
    static char texts_of[6][MOST_PARAMS][EXPRESSION];
    char(*texts)[EXPRESSION] = texts_of[nesting];
    Value values[MOST_PARAMS], result = {0};
    long double wide[MOST_PARAMS];
    nesting++;
    producing++;
    function = f;
    theme = theme_of(shared->base[i]);
    make_all(f->params, f->count, 0, shared->base[i], 0, values, wide, texts);
    function = outer;
    theme = outer_theme;
    nesting--;
    producing--;
    api_calls_of_callbacks = 0;
    (t_clear_error)();
    f->call(values, &result, wide);
    (t_clear_error)();
    const int v = variables++;
    if (printed) {
        char text[4000];
        fill_call(f->call_text, texts, text, sizeof text);
        say("    %sv%d = %s;\n", f->result_type, v, text);
    }
    snprintf(expression, EXPRESSION, "v%d", v);
    return result.p;
}

static Tensor *last_tensors[8];
static char last_texts[8][20];
static int last_count;

/* The library knows the last 256 objects that died: arguments with dead objects are made after the others. */
static bool postpone, postponed;

/* An object that has died: its scope is closed. */
static void *make_dead(bool tensor, int class, uint64_t *s, char *expression) {
    if (postpone) {
        postponed = true;
        strcpy(expression, "NULL");
        return NULL;
    }
    const int v = variables++, watched_before = watched_count, last_before = last_count;
    const int depth = t_scope_open();
    char inner[EXPRESSION];
    say("    void *v%d;\n    {\n    const int s%d = t_scope_open();\n", v, v);
    const Recipe r = {.dtype = t_float32, .ndim = 1, .shape = {3}, .fill = 1, .seed = 3};
    void *p = tensor ? (void *)make_tensor(&r, inner) : make_object(class, s, inner);
    if (!p) strcpy(inner, "NULL");
    say("    v%d = %s;\n    t_scope_close(s%d);\n    }\n", v, inner, v);
    watched_count = watched_before;
    last_count = last_before;
    t_scope_close(depth);
    snprintf(expression, EXPRESSION, "v%d", v);
    return p;
}

/* ---- numbers and texts ---- */

static int64_t base_integer(const Param *p, uint64_t *s) {
    if (has_word(p->name, "depth")) return 0;
    static const int64_t small[] = {1, 2, 0, 3, 1, 2, 4, -1, 8, 5};
    const uint64_t k = draw(s, 14);
    if (k < 10) return small[k];
    return k == 10 ? theme.a : k == 11 ? theme.b : k == 12 ? theme.c : p->sub == 8 && !p->is_unsigned ? T_NONE : 6;
}

static int64_t hostile_integer(uint64_t *s, bool bounded) {
    static const int64_t values[] = {0,
                                     1,
                                     -1,
                                     2,
                                     3,
                                     -2,
                                     -3,
                                     4,
                                     5,
                                     6,
                                     7,
                                     8,
                                     -8,
                                     9,
                                     -9,
                                     10,
                                     16,
                                     17,
                                     64,
                                     65,
                                     100,
                                     255,
                                     1000,
                                     INT64_MIN,
                                     INT64_MIN + 1,
                                     INT64_MIN + 2,
                                     INT64_MIN + 3,
                                     INT64_MAX,
                                     INT64_MAX - 1,
                                     INT32_MAX,
                                     INT32_MIN,
                                     (int64_t)1 << 31,
                                     (int64_t)1 << 32,
                                     (int64_t)1 << 40,
                                     (int64_t)1 << 61,
                                     (int64_t)1 << 62,
                                     -((int64_t)1 << 62),
                                     (int64_t)3 << 61,
                                     -((int64_t)1 << 31) - 1,
                                     (int64_t)1 << 33,
                                     (((int64_t)1 << 32) + 1)};
    return values[draw(s, bounded ? 12 : sizeof values / sizeof *values)];
}

static const char *base_text(const Param *p, uint64_t *s) {
    static const char *const words[] = {"a", "mean", "weight", "0", "b", "sum", "none", "bias"};
    if (has_word(p->name, "path file fname root folder dir") && file_count && draw(s, 4))
        return file_names[draw(s, (uint64_t)file_count)];
    int count = 0;
    while (function->texts[count]) count++;
    const uint64_t k = draw(s, 8);
    if (k == 0) return NULL;
    if (k < 6 && count) {
        const char *text = function->texts[draw(s, (uint64_t)count)];
        if (text[0] != '/' && !strstr(text, "..")) return text;
    }
    return words[draw(s, 8)];
}

static const char *hostile_text(const Param *p, uint64_t *s) {
    static const char *const texts[] = {NULL,  "",    "\xff\xfe", "%s%n%d",           "a.b", "a[0]",  "\n",
                                        "-1",  "nan", "\xc3\xa9", "no such file",     " ",   "a/b/c", "\xed\xa0\x80",
                                        "-",   ".",   "1e400",    "\xf0\x9f\x98\x80", "{",   "(",     "i,j->",
                                        "...", "0x"};
    const uint64_t k = draw(s, sizeof texts / sizeof *texts + 4);
    if (k < sizeof texts / sizeof *texts) return texts[k];
    if (k == sizeof texts / sizeof *texts) {
        const size_t n = draw(s, 2) ? 4000 : 70000;
        char *text = block(n + 1);
        if (text) memset(text, 'x', n);
        return text;
    }
    return base_text(p, s);
}

static double hostile_double(uint64_t *s) {
    static const double values[] = {
        0,        -0.0,      1,   -1,   0.5,  2,     -0.5,         1.5,    1e-320,   1e-45, 1e300, -1e300,
        INFINITY, -INFINITY, NAN, 1e18, 1e19, -1e19, 2147483648.0, 3.5e38, 0.999999, 1e-8,  100,   9007199254740993.0};
    return values[draw(s, sizeof values / sizeof *values)];
}

/* ---- values of any kind ---- */

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

static void make_value(const Param *p, bool hostile, uint64_t s, Value *v, long double *wide, char *text);

static void say_integer(int64_t i, char *text) {
    if (i == INT64_MIN)
        strcpy(text, "INT64_MIN");
    else
        snprintf(text, EXPRESSION, "%lld", (long long)i);
}

/* n elements of a block of exactly their size. */
static void *make_elements(const Param *p, int64_t n, bool hostile, uint64_t *s, char *text) {
    const Param *e = p->element;
    const size_t bytes = e->kind == k_struct && !strchr(e->type, '*') ? api_structs[e->sub].bytes : e->bytes;
    char *data = block((size_t)n * bytes);
    const int v = variables++;
    static char inner[8][12][EXPRESSION];
    char(*texts)[EXPRESSION] = inner[nesting % 8];
    const uint64_t bad = hostile ? draw(s, (uint64_t)n + 2) : 0;
    for (int64_t i = 0; data && i < n; i++) {
        Value value = {0};
        long double wide = 0;
        nesting++;
        make_value(e, hostile && (bad == (uint64_t)i || bad == (uint64_t)n), mix(*s, (uint64_t)i + 50), &value, &wide,
                   texts[i % 12]);
        nesting--;
        store(e, data + (size_t)i * bytes, &value, &wide);
    }
    if (printed) {
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

static void make_array(const Param *p, bool hostile, uint64_t *s, Value *v, int64_t *count, char *text) {
    int64_t n = 1 + (int64_t)draw(s, 3);
    if (p->spec && !hostile) {
        const char *at = p->spec;
        if (!strcmp(at, "NULL")) {
            v->p = NULL, *count = 0;
            strcpy(text, "NULL");
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
        n = 8; /* of a length that the function knows */
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
        for (int64_t i = given; i < 8; i++) {
            to[i] = draw(s, 2) ? INT64_MIN + 1 : T_NONE;
            if (to[i] == T_NONE)
                say("    %s[%lld] = T_NONE;\n", text, (long long)i);
            else
                say("    %s[%lld] = INT64_MIN + 1;\n", text, (long long)i);
        }
    }
    if (hostile && p->pair >= 0 && draw(s, 4) == 0) *count = draw(s, 2) ? -1 : INT32_MIN;
}

static void make_struct(const Param *p, bool hostile, uint64_t *s, Value *v, char *text) {
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
    const int name = variables++;
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
    char *inner = field_texts[nesting % 6];
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
        nesting++;
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
        nesting--;
    }
    if (p->is_const) watch(data, z->bytes, true, p->name);
    v->p = data;
    snprintf(text, EXPRESSION, pointer ? "&o%d" : "o%d", name);
}

static void *any_object(uint64_t *s, char *text) {
    void *p = NULL;
    for (int try = 0; try < 6 && !p; try++) p = make_object((int)draw(s, (uint64_t)api_class_count), s, text);
    return p;
}

static void make_pointer(const Param *p, bool hostile, uint64_t *s, Value *v, char *text) {
    const uint64_t k = draw(s, 10);
    const Param tensor = {.name = p->name};
    switch ((Role)p->sub) {
    case r_context:
        v->p = hostile && k < 5 ? NULL : context_buffer;
        strcpy(text, v->p ? "context" : "NULL");
        return;
    case r_buffer: {
        const int name = variables++;
        v->p = hostile && k < 4 ? NULL : block(4096);
        say("    static char b%d[4096];\n", name);
        snprintf(text, EXPRESSION, v->p ? "b%d" : "NULL", name);
        return;
    }
    case r_slot: {
        const int name = variables++;
        v->p = hostile && k < 4 ? NULL : block(sizeof(void *));
        say("    void *slot%d = NULL;\n", name);
        snprintf(text, EXPRESSION, v->p ? "&slot%d" : "NULL", name);
        return;
    }
    default: break;
    }
    if (hostile && k < 3) {
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
        v->p = any_object(s, text);
    } else if (p->sub == r_module) {
        v->p = make_object(api_module_class, s, text);
    } else if (p->sub == r_dict) {
        v->p = make_object(api_dict_class, s, text);
    } else if (p->sub == r_list && k < 7) {
        v->p = make_object(api_list_class, s, text);
    } else if (p->sub == r_any && k < 5) {
        v->p = any_object(s, text);
    } else {
        const Recipe r = base_recipe(&tensor, s);
        v->p = make_tensor(&r, text);
    }
    if (v->p) watch(v->p, 0, p->is_const, p->name);
}

static void make_value(const Param *p, bool hostile, uint64_t s, Value *v, long double *wide, char *text) {
    strcpy(text, "NULL");
    memset(v, 0, sizeof *v);
    switch (p->kind) {
    case k_tensor: {
        Recipe r;
        const uint64_t k = hostile ? draw(&s, 20) : 20;
        if (k == 0 || k == 1) return;
        if (k == 2)
            v->p = make_dead(true, 0, &s, text);
        else if (k == 3)
            v->p = make_dead(false, (int)draw(&s, (uint64_t)api_class_count), &s, text);
        else if (k == 4) {
            v->p = any_object(&s, text);
            if (v->p) watch(v->p, 0, true, p->name);
        } else if (k == 5 && last_count) { /* the same as another argument */
            const int i = (int)draw(&s, (uint64_t)last_count);
            v->p = last_tensors[i];
            strcpy(text, last_texts[i]);
        } else if (k == 6 && last_count && last_tensors[0]) { /* a view of another */
            const int i = (int)draw(&s, (uint64_t)last_count), name = variables++;
            v->p = (t_transpose)(last_tensors[i], 0, -1);
            say("    Tensor *v%d = (t_transpose)(%s, 0, -1);\n", name, last_texts[i]);
            snprintf(text, EXPRESSION, "v%d", name);
            (t_clear_error)();
            if (v->p) watch(v->p, 0, p->is_const, p->name);
        } else {
            if (!hostile && p->spec && !strcmp(p->spec, "NULL")) return;
            if (hostile)
                r = hostile_recipe(p, &s);
            else if (!p->spec || !spec_recipe(p->spec, &r)) {
                r = base_recipe(p, &s);
                if (draw(&s, 12) == 0 && !p->spec) return; /* an optional one */
            }
            v->p = make_tensor(&r, text);
            if (v->p && !producing && last_count < 8) {
                snprintf(last_texts[last_count], sizeof *last_texts, "%.19s", text);
                last_tensors[last_count++] = v->p;
            }
            if (v->p) watch(v->p, 0, p->is_const, p->name);
        }
        return;
    }
    case k_object: {
        const uint64_t k = hostile ? draw(&s, 10) : 10;
        if (k < 3) return;
        if (k < 5) {
            v->p = make_dead(false, p->sub, &s, text);
            return;
        }
        if (k < 8)
            v->p = any_object(&s, text);
        else if (!hostile && p->spec && !strcmp(p->spec, "NULL"))
            return;
        else if (!hostile && p->spec) {
            for (int i = 0; i < api_function_count; i++)
                if (!strcmp(api_functions[i].name, p->spec) && shared->base[i]) v->p = call_producer(i, text);
        } else {
            if (!hostile && draw(&s, 8) == 0) return;
            v->p = make_object(p->sub, &s, text);
        }
        if (v->p) watch(v->p, 0, p->is_const, p->name);
        return;
    }
    case k_pointer: make_pointer(p, hostile, &s, v, text); return;
    case k_int:
        if (p->spec && !hostile)
            v->i = strtoll(p->spec, NULL, 0);
        else if (p->most)
            v->i = (int64_t)draw(&s, (uint64_t)p->most + 1);
        else
            v->i = hostile ? hostile_integer(&s, (function->flags & f_bounded) != 0) : base_integer(p, &s);
        if (p->sub == 4) v->i = p->is_unsigned ? (int64_t)(uint32_t)v->i : (int64_t)(int32_t)v->i;
        if (p->sub == 1) v->i = p->is_unsigned ? (int64_t)(uint8_t)v->i : (int64_t)(int8_t)v->i;
        if (p->is_unsigned && p->sub == 8 && v->i < 0 && (!hostile || function->flags & f_bounded)) v->i = 1;
        say_integer(v->i, text);
        return;
    case k_double: {
        static const double values[] = {0.5, 1, 0, 2, 0.1, -1, 0.9, NAN, 3, 1e-5};
        v->d = p->spec && !hostile ? strtod(p->spec, NULL) : hostile ? hostile_double(&s) : values[draw(&s, 10)];
        if (isnan(v->d))
            strcpy(text, "NAN");
        else if (isinf(v->d))
            strcpy(text, v->d > 0 ? "INFINITY" : "-INFINITY");
        else
            snprintf(text, EXPRESSION, "%.17g", v->d);
        return;
    }
    case k_long_double:
        *wide = hostile ? (long double)hostile_double(&s) : (long double)draw(&s, 5);
        snprintf(text, EXPRESSION, "%.20Lg", *wide);
        return;
    case k_bool:
        v->b = p->spec && !hostile ? *p->spec == 't' : draw(&s, 2);
        strcpy(text, v->b ? "true" : "false");
        return;
    case k_enum: {
        const Enum *e = &api_enums[p->sub];
        static const int strange[] = {-1, 0, 99, INT32_MAX, INT32_MIN, 11};
        const bool dtype = !strcmp(e->name, "t_DType");
        if (p->spec && !hostile)
            v->i = atoi(p->spec);
        else if (hostile && draw(&s, 2))
            v->i = strange[draw(&s, 6)];
        else if (dtype && !hostile && draw(&s, 2))
            v->i = draw(&s, 2) ? 0 : t_float32;
        else
            v->i = e->values[draw(&s, (uint64_t)e->count)];
        snprintf(text, EXPRESSION, "(%s)%lld", e->name, (long long)v->i);
        return;
    }
    case k_text:
        if (p->spec && !hostile)
            v->text = strcmp(p->spec, "NULL") ? p->spec : NULL;
        else
            v->text = hostile ? hostile_text(p, &s) : base_text(p, &s);
        if (v->text) quote(v->text, text);
        return;
    case k_array: {
        int64_t count;
        make_array(p, hostile, &s, v, &count, text);
        return;
    }
    case k_out: {
        const int name = variables++;
        if (hostile && draw(&s, 2)) return;
        v->p = block(p->element->bytes * 16);
        say("    %s%sr%d[16] = {0};\n", p->element->type, strchr(p->element->type, '*') ? "" : " ", name);
        snprintf(text, EXPRESSION, "r%d", name);
        return;
    }
    case k_struct: make_struct(p, hostile, &s, v, text); return;
    case k_callback: {
        const Callback *c = &api_callbacks[p->sub];
        const bool spec = p->spec && !hostile;
        if (spec ? !strcmp(p->spec, "NULL") : hostile ? draw(&s, 4) == 0 : draw(&s, 8) == 0) return;
        const int variant = spec ? atoi(p->spec) : hostile ? (int)draw(&s, CALLBACK_VARIANTS) : (int)draw(&s, 2);
        v->f = c->function[variant];
        say("    /* above main: %s */\n", c->text[variant]);
        snprintf(text, EXPRESSION, "callback_%d_%d", p->sub, variant);
        return;
    }
    case k_file:
        if (hostile && draw(&s, 2)) return;
        if (stream_count < 8 && (v->p = fopen("stream.txt", "w+"))) streams[stream_count++] = v->p;
        strcpy(text, "stdout");
        return;
    default: return;
    }
}

/* ---- the arguments of a call ---- */

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
            make_value(p, hostile, s, &values[i], &wide[i], texts[i]);
            count = values[i].p ? (int64_t)draw(&s, 9) : (int64_t)draw(&s, 2);
        }
        const Param *n = &params[p->pair];
        if (n->sub == 4) count = (int32_t)count;
        if (n->is_unsigned && count < 0) count = 0;
        if (n->is_unsigned && !values[i].p && count > 8) count = 8;
        memset(&values[p->pair], 0, sizeof *values);
        values[p->pair].i = count;
        say_integer(count, texts[p->pair]);
        done[p->pair] = true;
        return;
    }
    make_value(p, hostile, s, &values[i], &wide[i], texts[i]);
}

static void make_all(const Param *params, int count, uint32_t hostile, uint64_t base, uint64_t seed, Value *values,
                     long double *wide, char (*texts)[EXPRESSION]) {
    bool done[MOST_PARAMS] = {false}, with_dead[MOST_PARAMS] = {false};
    const bool outermost = producing == 0 && nesting == 0;
    for (int pass = 0; pass < (outermost ? 2 : 1); pass++) {
        postpone = outermost && pass == 0;
        for (int i = 0; i < count; i++) {
            const Param *p = &params[i];
            const int pair = p->pair >= 0 && p->pair < 32 ? p->pair : -1;
            const bool bad = (i < 32 && hostile >> i & 1) || (pair >= 0 && hostile >> pair & 1);
            if (pass && !with_dead[i]) continue;
            postponed = false;
            if (pass) done[i] = false;
            if (p->kind == k_int && p->pair >= 0 && !done[i])
                make_one(params, p->pair, bad, base, seed, values, wide, texts, done);
            make_one(params, i, bad, base, seed, values, wide, texts, done);
            with_dead[i] = postponed;
        }
    }
    postpone = false;
}

static Value all_values[MOST_PARAMS];
static long double all_wide[MOST_PARAMS];

void arguments_begin(const Call *c) {
    current = c;
    function = &api_functions[c->function];
    base_seed = c->base;
    block_count = watched_count = stream_count = last_count = 0;
    variables = 0;
    nesting = producing = 0;
    theme = theme_of(c->base);
    memset(context_buffer, 0, sizeof context_buffer);
    make_all(function->params, function->count, c->hostile, c->base, c->seed, all_values, all_wide, expressions);
}

void make_argument(const Function *f, int i, Value *value, long double *wide) {
    (void)f;
    *value = all_values[i];
    *wide = all_wide[i];
}

void print_call(const Function *f, bool macro) {
    if (!printed) return;
    static char text[8000];
    fill_call(macro ? f->macro_text : f->call_text, expressions, text, sizeof text);
    say("    %s;\n    puts(t_error_message() ? t_error_message() : \"no error\");\n", text);
}

void arguments_end(void) {
    for (int i = 0; i < stream_count; i++) fclose(streams[i]);
    for (int i = 0; i < block_count; i++) free(blocks[i]);
    block_count = stream_count = watched_count = 0;
}
