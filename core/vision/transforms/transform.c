/* core/vision/transforms/transform.c: what all transforms have; Compose, RandomApply, RandomChoice, RandomOrder and
 * Lambda. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/python/random.h"
#include "core/tensor/str.h"
#include "core/vision/transforms/transform_internal.h"

/* ---- the object ---- */

static void transform_destroy(void *object) {
    transforms_Transform *self = object;
    tg_object_dispose(&self->object);
    for (int64_t i = 0; i < self->count; i++) t_release(self->parts[i]);
    for (int i = 0; i < 2; i++) t_release(self->tensors[i]);
    tg_free(self->parts, (size_t)self->count * sizeof *self->parts);
    tg_free(self->weights, (size_t)self->count * sizeof *self->weights);
    tg_object_free(&self->object, sizeof *self);
}

static const t_Class transform_class = {"Transform", transform_destroy};

transforms_Transform *tg_image_transform_new(const tg_ImageTransformClass *is_a) {
    transforms_Transform *self = tg_alloc(sizeof *self);
    if (!self) return NULL;
    self->is_a = is_a;
    tg_object_init(&self->object, &transform_class);
    return self;
}

bool tg_check_image_transform(const transforms_Transform *transform, int position) {
    if (!transform)
        return t_error() ? false : tg_fail("argument %d is NULL where a transform is expected", position) != NULL;
    return transform->object.is_a == &transform_class || tg_fail("argument %d is not a live transform", position);
}

transforms_Transform *tg_image_transform_of(const tg_ImageTransformClass *is_a, transforms_Transform *const *parts,
                                            int64_t count) {
    if (!tg_check_array(parts, count, 1, "transforms")) return NULL;
    for (int64_t i = 0; i < count; i++)
        if (!tg_check_image_transform(parts[i], (int)i + 1)) return NULL;
    transforms_Transform **own = count ? tg_alloc_raw((size_t)count * sizeof *own) : NULL;
    transforms_Transform *self = count && !own ? NULL : tg_image_transform_new(is_a);
    if (!self) {
        tg_free(own, (size_t)count * sizeof *own);
        return NULL;
    }
    for (int64_t i = 0; i < count; i++) own[i] = t_retain(parts[i]);
    self->parts = own;
    self->count = count;
    return self;
}

bool tg_image_transform_is_pure(const transforms_Transform *transform) {
    for (int64_t i = 0; i < transform->count; i++)
        if (!tg_image_transform_is_pure(transform->parts[i])) return false;
    return !transform->function && !transform->plain_function;
}

/* transform(img). The result is owned by the current scope; it may be img itself. */
Tensor *transforms_call(transforms_Transform *transform, Tensor *img) {
    if (!tg_check_image_transform(transform, 1) || !tg_check_any(img, 2)) return NULL;
    const int depth = t_scope_open();
    return depth ? tg_scope_return(depth, transform->is_a->call(transform, img)) : NULL;
}

/* ---- __repr__ ---- */

static void print_transform(const transforms_Transform *self, tg_Output *out) {
    if (self->is_a->repr)
        self->is_a->repr(self, out);
    else
        tg_output_print(out, "%s()", self->is_a->name);
}

const char *transforms_str(transforms_Transform *transform) {
    if (!tg_check_image_transform(transform, 1)) return NULL;
    tg_Output out;
    const int64_t failures = tg_thread.failures; /* numbers of tensors are printed */
    tg_output_memory(&out);
    print_transform(transform, &out);
    return tg_str_new(tg_output_take_text(&out, !tg_failed_since(failures)));
}

void transforms_print(transforms_Transform *transform) {
    const int depth = t_scope_open();
    const char *text = depth ? transforms_str(transform) : NULL;
    if (text) puts(text);
    t_scope_close(depth);
}

void tg_print_float(tg_Output *out, double x) {
    tg_output_text(out, tg_number_text(x));
}

void tg_print_number(tg_Output *out, double x) {
    if (x == trunc(x) && fabs(x) < 1e15)
        tg_output_print(out, "%.0f", x);
    else
        tg_print_float(out, x);
}

void tg_print_values(tg_Output *out, const transforms_Values *v) {
    if (tg_no_value(v)) {
        tg_output_text(out, "None");
        return;
    }
    if (v->count < 0) {
        tg_print_number(out, v->items[0]);
        return;
    }
    const int count = v->count ? v->count : v->items[3] != 0 ? 4 : 3; /* without a count: of RGB or RGBA */
    tg_output_text(out, "(");
    for (int i = 0; i < count; i++) {
        if (i) tg_output_text(out, ", ");
        tg_print_number(out, v->items[i]);
    }
    tg_output_text(out, count == 1 ? ",)" : ")");
}

void tg_print_floats(tg_Output *out, const double *x, int count, bool brackets) {
    tg_output_text(out, brackets ? "[" : "(");
    for (int i = 0; i < count; i++) {
        if (i) tg_output_text(out, ", ");
        tg_print_float(out, x[i]);
    }
    tg_output_text(out, brackets ? "]" : count == 1 ? ",)" : ")");
}

const char *tg_mode_name(transforms_InterpolationMode mode) {
    static const char *const names[] = {"nearest", "nearest-exact", "bilinear", "bicubic", "box", "hamming", "lanczos"};
    return names[mode];
}

void tg_print_mode(tg_Output *out, transforms_InterpolationMode mode) {
    tg_output_text(out, "InterpolationMode.");
    for (const char *c = tg_mode_name(mode); *c; c++)
        tg_output_print(out, "%c", *c == '-' ? '_' : *c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c);
}

/* ---- arguments ---- */

bool tg_set_size(transforms_Transform *self, const int64_t *size, int count, const char *message) {
    if (!size || count < 1 || count > 2) return tg_fail("%s", message);
    self->size[0] = size[0];
    self->size[1] = size[count - 1];
    self->sizes = count;
    return true;
}

bool tg_set_pair(transforms_Values *to, const transforms_Values *v, const char *name, double low, double high) {
    *to = (transforms_Values){.items = {low, high}, .count = 2};
    if (tg_no_value(v)) return true;
    if (v->count == -1 || tg_values_count(v, 2) != 2) return tg_fail("%s should be a sequence", name);
    *to = *v;
    to->count = 2;
    return true;
}

/* ---- lists ---- */

static Tensor *call_parts(transforms_Transform *self, Tensor *img) {
    for (int64_t i = 0; img && i < self->count; i++) img = transforms_call(self->parts[i], img);
    return img;
}

static void print_parts(const transforms_Transform *self, tg_Output *out) {
    for (int64_t i = 0; i < self->count; i++) {
        tg_output_text(out, "\n    ");
        print_transform(self->parts[i], out);
    }
    tg_output_text(out, "\n)");
}

static void list_repr(const transforms_Transform *self, tg_Output *out) {
    tg_output_print(out, "%s(", self->is_a->name);
    print_parts(self, out);
}

static const tg_ImageTransformClass compose_class = {"Compose", call_parts, list_repr};

/* Compose(transforms): one after the other. */
transforms_Transform *transforms_Compose_new(transforms_Transform *const *transforms, int64_t count) {
    return tg_image_transform_of(&compose_class, transforms, count);
}

static Tensor *apply_call(transforms_Transform *self, Tensor *img) {
    tg_Draw g = tg_engine(NULL);
    if (!g) return NULL;
    return (float)self->p < tg_mt_float(g) ? img : call_parts(self, img);
}

static void apply_repr(const transforms_Transform *self, tg_Output *out) {
    tg_output_text(out, "RandomApply(\n    p=");
    tg_print_float(out, self->p);
    print_parts(self, out);
}

static const tg_ImageTransformClass apply_class = {"RandomApply", apply_call, apply_repr};

/* RandomApply(transforms, p): all of them with probability p, else none. */
transforms_Transform *transforms_RandomApply_new(transforms_Transform *const *transforms, int64_t count, double p) {
    transforms_Transform *self = tg_image_transform_of(&apply_class, transforms, count);
    if (self) self->p = p;
    return self;
}

static Tensor *choice_call(transforms_Transform *self, Tensor *img) {
    int64_t chosen = 0;
    if (!self->weights) {
        chosen = (int64_t)floor(random_random() * (double)self->count);
    } else { /* bisect of the cumulative weights */
        double total = 0, sum = 0;
        for (int64_t i = 0; i < self->count; i++) total += self->weights[i];
        const double at = random_random() * total;
        while (chosen < self->count - 1 && (sum += self->weights[chosen]) <= at) chosen++;
    }
    return transforms_call(self->parts[chosen], img);
}

static void choice_repr(const transforms_Transform *self, tg_Output *out) {
    list_repr(self, out);
    tg_output_text(out, "(p=");
    if (self->weights)
        tg_print_floats(out, self->weights, (int)self->count, true);
    else
        tg_output_text(out, "None");
    tg_output_text(out, ")");
}

static const tg_ImageTransformClass choice_class = {"RandomChoice", choice_call, choice_repr};

/* Copies p, a weight for each part. */
static bool set_weights(transforms_Transform *self, const double *p) {
    double total = 0;
    for (int64_t i = 0; i < self->count; i++) {
        if (!(p[i] >= 0)) return tg_fail("argument p has a weight that is not positive: %s", tg_number_text(p[i]));
        total += p[i];
    }
    if (!(total > 0)) return tg_fail("Total of weights must be greater than zero");
    self->weights = tg_alloc_raw((size_t)self->count * sizeof *p);
    if (self->weights) memcpy(self->weights, p, (size_t)self->count * sizeof *p);
    return self->weights != NULL;
}

/* RandomChoice(transforms, p): one of them, by weight. Errors: none to choose from; weights that are negative or add up
 * to 0. */
transforms_Transform *transforms_RandomChoice_new(transforms_Transform *const *transforms, int64_t count,
                                                  const double *p) {
    if (count == 0) return tg_fail("list index out of range: there is no transform to choose");
    const int depth = t_scope_open();
    transforms_Transform *self = depth ? tg_image_transform_of(&choice_class, transforms, count) : NULL;
    return tg_scope_return(depth, self && (!p || set_weights(self, p)) ? self : NULL);
}

static Tensor *order_call(transforms_Transform *self, Tensor *img) {
    const size_t bytes = (size_t)self->count * sizeof(int64_t);
    int64_t *order = tg_alloc_raw(bytes ? bytes : 1);
    if (!order) return NULL;
    for (int64_t i = 0; i < self->count; i++) order[i] = i;
    bool ok = random_shuffle(order, self->count, sizeof *order);
    for (int64_t i = 0; ok && img && i < self->count; i++) img = transforms_call(self->parts[order[i]], img);
    tg_free(order, bytes ? bytes : 1);
    return ok ? img : NULL;
}

static const tg_ImageTransformClass order_class = {"RandomOrder", order_call, list_repr};

/* RandomOrder(transforms): all of them, in a random order. */
transforms_Transform *transforms_RandomOrder_new(transforms_Transform *const *transforms, int64_t count) {
    return tg_image_transform_of(&order_class, transforms, count);
}

/* ---- Lambda ---- */

static Tensor *lambda_call(transforms_Transform *self, Tensor *img) {
    const int64_t failures = tg_context()->failures;
    const int depth = tg_scope_open_around_callback();
    if (!depth) return NULL;
    Tensor *y = self->function ? self->function(img, self->context) : self->plain_function(img);
    return tg_scope_return_tensor(depth, failures, y, "the function of a transforms.Lambda");
}

static const tg_ImageTransformClass lambda_class = {"Lambda", lambda_call, NULL};

/* Lambda(lambd): lambd(img, context). The context must live as long as the transform. Error: the function is NULL, or
 * returns NULL. */
transforms_Transform *transforms_Lambda_new(transforms_Function lambd, void *context) {
    if (!lambd) return tg_fail("Argument lambd should be callable, got NULL");
    transforms_Transform *self = tg_image_transform_new(&lambda_class);
    if (!self) return NULL;
    self->function = lambd;
    self->context = context;
    return self;
}

transforms_Transform *transforms_Lambda_of_(Tensor *(*lambd)(Tensor *img)) {
    if (!lambd) return tg_fail("Argument lambd should be callable, got NULL");
    transforms_Transform *self = tg_image_transform_new(&lambda_class);
    if (self) self->plain_function = lambd;
    return self;
}
