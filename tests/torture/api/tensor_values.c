/* tests/torture/api/tensor_values.c: arguments that are tensors, of shapes that may fit together and of hostile ones.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/torture/api/arguments.h"

#include "core/core.h"

Theme theme_of(uint64_t base) {
    uint64_t s = mix(base, 77);
    static const t_DType dtypes[] = {t_float32, t_float32, t_float32, t_float32, t_float64, t_int64, t_bool, t_uint8};
    Theme t = {.kind = (int)draw(&s, 12), .fill = (int)draw(&s, 4), .dtype = dtypes[draw(&s, 8)]};
    t.a = 1 + (int64_t)draw(&s, 4), t.b = 1 + (int64_t)draw(&s, 4), t.c = 2 + 2 * (int64_t)draw(&s, 4);
    t.d = 1 + (int64_t)draw(&s, 6);
    return t;
}

typedef struct Recipe {
    int ndim, layout, fill; /* fill: 0 normal, 1 in (0, 1), 2 like the identity, 3 small integers, 4 hostile values */
    t_DType dtype;
    int64_t shape[T_MAX_DIMS];
    bool grad, non_leaf;
    uint64_t seed;
} Recipe;

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
    Recipe r = {.dtype = making.theme.dtype, .fill = making.theme.fill, .seed = draw(s, 1 << 20)};
    const Theme *t = &making.theme;
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
    const int v = making.variables++;
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

Tensor *make_drawn_tensor(const Param *p, uint64_t *s, char *text) {
    const Recipe r = base_recipe(p, s);
    return make_tensor(&r, text);
}

Tensor *make_small_tensor(char *text) {
    const Recipe r = {.dtype = t_float32, .ndim = 1, .shape = {3}, .fill = 1, .seed = 3};
    return make_tensor(&r, text);
}

static Tensor *last_tensors[8]; /* of this call */
static char last_texts[8][20];

void make_tensor_value(const Param *p, bool hostile, uint64_t *s, Value *v, char *text) {
    Recipe r;
    const uint64_t k = !hostile ? 20 : p->most ? draw(s, 2) * 20 : draw(s, 20);
    if (k == 0 || k == 1) return;
    if (k == 2)
        v->p = make_dead(true, 0, s, text);
    else if (k == 3)
        v->p = make_dead(false, (int)draw(s, (uint64_t)api_class_count), s, text);
    else if (k == 4) {
        v->p = make_any_object(s, text);
        const bool is_tensor = v->p && ((t_Object *)v->p)->is_a == &tg_tensor_class; /* which it may be to change */
        if (v->p) watch(v->p, 0, p->is_const || !is_tensor, p->name);
    } else if (k == 5 && making.tensors) { /* the same as another argument */
        const int i = (int)draw(s, (uint64_t)making.tensors);
        v->p = last_tensors[i];
        strcpy(text, last_texts[i]);
    } else if (k == 6 && making.tensors && last_tensors[0]) { /* a view of another */
        const int i = (int)draw(s, (uint64_t)making.tensors), name = making.variables++;
        v->p = (t_transpose)(last_tensors[i], 0, -1);
        say("    Tensor *v%d = (t_transpose)(%s, 0, -1);\n", name, last_texts[i]);
        snprintf(text, EXPRESSION, "v%d", name);
        (t_clear_error)();
        if (v->p) watch(v->p, 0, p->is_const, p->name);
    } else {
        if (!hostile && p->spec && !strcmp(p->spec, "NULL")) return;
        if (!hostile && !p->spec && !p->most && draw(s, 16) == 0 && (v->p = make_object(api_tensor_class, s, text))) {
            watch(v->p, 0, p->is_const, p->name);
            return;
        }
        if (hostile)
            r = hostile_recipe(p, s);
        else if (!p->spec || !spec_recipe(p->spec, &r)) {
            r = base_recipe(p, s);
            if (draw(s, 12) == 0 && !p->spec) return; /* an optional one */
        }
        if (p->most) r.fill = 3; /* 0, 1, 2 */
        v->p = make_tensor(&r, text);
        if (v->p && !making.producing && making.tensors < 8) {
            snprintf(last_texts[making.tensors], sizeof *last_texts, "%.19s", text);
            last_tensors[making.tensors++] = v->p;
        }
        if (v->p) watch(v->p, 0, p->is_const, p->name);
    }
}
