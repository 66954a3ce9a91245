/* examples/lessons/02_tape/grade.c: checks each record's factors, backward on tapes written here, and whole expressions
 * against the library's gradients, in float64. */
#include "grader.h"
#include SUBMISSION

#define LIBRARY "t_* nn_* F_*"

static Tensor *scalar(double value) { return t_full((), value, .dtype = t_float64, .requires_grad = true); }
static double grad(Tensor *x) { return t_item(t_grad(x)); }

/* Some leaves, so that the inputs are not the first records. */
static void start_tape(void) {
    clear_tape();
    for (int i = draw_integer(1, 4); i > 0; i--) v_leaf(i);
}

static void expect_input(int k, Value v, Value input, double factor) {
    char what[64];
    snprintf(what, sizeof what, "the record's input[%d]", k);
    expect_integer(what, tape[v.record].input[k].record, input.record);
    if (input.record < 0) return;
    snprintf(what, sizeof what, "the record's factor[%d]", k);
    expect_number(what, tape[v.record].factor[k], factor);
}

static void check_append(void) {
    for (int i = 0; i < 5; i++) tape[i].gradient = 7; /* as an earlier use of the tape leaves it */
    clear_tape();
    Value a = v_leaf(draw_uniform(1, 2)), b = v_leaf(draw_uniform(3, 4));
    double value = draw_uniform(5, 6), da = draw_uniform(1, 2), db = draw_uniform(3, 4);
    Value v = append("test", value, a, da, b, db);
    expect_integer("count after three records", count, 3);
    expect_integer("the number of the third record", v.record, 2);
    expect_number("its value", tape[2].value, value);
    expect_number("its gradient", tape[2].gradient, 0);
    expect_input(0, v, a, da);
    expect_input(1, v, b, db);
}

static void check_add(void) {
    for (int i = 0; i < 3; i++) {
        start_tape();
        double x = draw_uniform(1, 2), y = draw_uniform(-4, -3);
        Value a = v_leaf(x), b = v_leaf(y), v = v_add(a, b);
        in_case("a %.3f, b %.3f", x, y);
        expect_number("the value", value_of(v), x + y);
        expect_input(0, v, a, 1);
        expect_input(1, v, b, 1);
    }
}

static void check_mul(void) {
    for (int i = 0; i < 3; i++) {
        start_tape();
        double x = draw_uniform(1, 2), y = draw_uniform(-4, -3);
        Value a = v_leaf(x), b = v_leaf(y), v = v_mul(a, b);
        in_case("a %.3f, b %.3f", x, y);
        expect_number("the value", value_of(v), x * y);
        expect_input(0, v, a, y);
        expect_input(1, v, b, x);
    }
}

static void check_pow(void) {
    for (int i = 0; i < 4; i++) {
        start_tape();
        double x = draw_uniform(1.5, 3), exponent = i == 0 ? -1 : i == 1 ? 0.5 : 2;
        if (i == 3) x = 0;
        Value a = v_leaf(x), v = v_pow(a, exponent);
        in_case("a %.3f, exponent %.1f", x, exponent);
        expect_number("the value", value_of(v), pow(x, exponent));
        expect_input(0, v, a, i == 0 ? -1 / (x * x) : i == 1 ? 0.5 / sqrt(x) : 2 * x);
        expect_input(1, v, NONE, 0);
    }
}

static void check_unary(Value (*function)(Value), Tensor *(*library)(Tensor *)) {
    for (int i = 0; i < 3; i++) {
        start_tape();
        Tensor *x = scalar(draw_uniform(0.3, 1.5)), *y = library(x);
        t_backward(y);
        Value a = v_leaf(t_item(x)), v = function(a);
        in_case("a %.3f", t_item(x));
        expect_number("the value", value_of(v), t_item(y));
        expect_input(0, v, a, grad(x));
        expect_input(1, v, NONE, 0);
    }
}

static Tensor *library_tanh(Tensor *x) { return t_tanh(x); }
static Tensor *library_exp(Tensor *x) { return t_exp(x); }
static void check_tanh(void) { check_unary(v_tanh, library_tanh); }
static void check_exp(void) { check_unary(v_exp, library_exp); }

/* A tape written by hand: 3 leaves, then records with one or two inputs drawn from the last ones; record 3 uses leaf 0
 * twice, and every leaf is used. */
static void write_tape(int records) {
    memset(tape, 0, sizeof tape[0] * (size_t)(records + 1));
    for (int i = 0; i < records; i++) {
        Record *r = &tape[i];
        *r = (Record){.op = i < 3 ? "leaf" : "test", .value = i, .input = {NONE, NONE}};
        if (i < 3) continue;
        r->input[0].record = i == 3 ? 0 : i - 1;
        r->factor[0] = draw_uniform(0.5, 1.5);
        if (i > 5 && draw_integer(0, 2) == 0) continue; /* one input */
        r->input[1].record = i < 6 ? i - 3 : draw_integer(0, i - 1);
        r->factor[1] = draw_uniform(0.5, 1.5);
    }
    count = records;
}

/* Forward mode: the derivative of record `loss` with respect to record `by`, without a backward. */
static double derivative(int loss, int by) {
    double d[64] = {0};
    for (int i = by; i <= loss; i++) {
        d[i] = i == by;
        for (int k = 0; k < 2; k++)
            if (tape[i].input[k].record >= by && i > by) d[i] += tape[i].factor[k] * d[tape[i].input[k].record];
    }
    return d[loss];
}

static void expect_gradients(int loss, int first, int last, double times) {
    for (int i = first; i <= last; i++) {
        char what[64];
        snprintf(what, sizeof what, "the gradient of record %d", i);
        expect_number(what, tape[i].gradient, times * derivative(loss, i));
    }
}

static void check_backward(void) {
    for (int i = 0; i < 3; i++) {
        int loss = draw_integer(7, 12);
        write_tape(loss + draw_integer(2, 3)); /* the loss is not the last record */
        in_case("a tape of %d records, the loss is record %d", count, loss);
        backward((Value){loss});
        expect_gradients(loss, 0, loss, 1);
        expect_number("the gradient of a record after the loss", tape[loss + 1].gradient, 0);
    }
}

static void check_backward_twice(void) {
    int loss = draw_integer(7, 12);
    write_tape(loss + 1);
    in_case("two backwards from record %d", loss);
    backward((Value){loss});
    backward((Value){loss});
    expect_gradients(loss, 3, loss, 1);
    expect_gradients(loss, 0, 2, 2);
}

/* The same value on the student's tape and on the library's. */
typedef struct Both {
    Value v;
    Tensor *t;
} Both;

static Both random_operation(Both a, Both b) {
    switch (draw_integer(0, 5)) {
    case 0: return (Both){v_add(a.v, b.v), t_add(a.t, b.t)};
    case 1: return (Both){v_tanh(v_mul(a.v, b.v)), t_tanh(t_mul(a.t, b.t))};
    case 2: return (Both){v_tanh(v_sub(a.v, v_mul(b.v, v_leaf(1.7)))), t_tanh(t_sub(a.t, t_mul(b.t, 1.7)))};
    case 3: return (Both){v_exp(v_tanh(a.v)), t_exp(t_tanh(a.t))};
    case 4: return (Both){v_pow(v_tanh(a.v), 3), t_pow(t_tanh(a.t), 3)};
    default: /* a / (b^2 + 1) */
        return (Both){v_div(a.v, v_add(v_pow(b.v, 2), v_leaf(1))), t_div(a.t, t_add(t_square(b.t), 1))};
    }
}

static void check_expressions(void) {
    for (int i = 0; i < 5; i++) {
        enum { LEAVES = 3, ALL = 14 };
        Both made[ALL];
        clear_tape();
        for (int k = 0; k < LEAVES; k++) {
            double x = draw_uniform(0.2, 1.2);
            made[k] = (Both){v_leaf(x), scalar(x)};
        }
        /* One of each operation, with values used twice, then what the seed says. */
        Both a = made[0], b = made[1], c = made[2];
        made[3] = (Both){v_mul(v_tanh(a.v), v_pow(b.v, 3)), t_mul(t_tanh(a.t), t_pow(b.t, 3))};
        made[4] = (Both){v_div(v_exp(a.v), c.v), t_div(t_exp(a.t), c.t)};
        for (int k = 5; k < ALL; k++) {
            int first = draw_integer(0, k - 1), second = draw_integer(0, k - 1);
            made[k] = random_operation(made[first], made[second]);
        }
        Both loss = made[ALL - 1];
        for (int k = 3; k < ALL - 1; k++) loss = (Both){v_add(loss.v, made[k].v), t_add(loss.t, made[k].t)};
        in_case("random expression %d of 3 leaves and %d records", i + 1, count);
        expect_number("the loss", value_of(loss.v), t_item(loss.t));
        t_backward(loss.t);
        backward(loss.v);
        for (int k = 0; k < LEAVES; k++)
            expect_number("the gradient of a leaf", gradient_of(made[k].v), grad(made[k].t));
    }
}

static void check_neuron(void) {
    for (int i = 0; i < 3; i++) {
        int n = draw_integer(2, 4);
        Value w[4], x[4], b;
        Tensor *tw[4], *tx[4], *tb = scalar(draw_uniform(0.1, 0.3)), *s = tb;
        clear_tape();
        b = v_leaf(t_item(tb));
        for (int k = 0; k < n; k++) {
            tw[k] = scalar(draw_uniform(0.1, 0.4)), tx[k] = scalar(draw_uniform(0.5, 1));
            w[k] = v_leaf(t_item(tw[k])), x[k] = v_leaf(t_item(tx[k]));
            s = t_add(s, t_mul(tw[k], tx[k]));
        }
        Tensor *ty = t_tanh(s);
        t_backward(ty);
        in_case("%d inputs", n);
        Value y = neuron(w, x, n, b);
        expect_number("the output", value_of(y), t_item(ty));
        backward(y);
        expect_number("the gradient of b", gradient_of(b), grad(tb));
        for (int k = 0; k < n; k++) {
            expect_number("the gradient of a w", gradient_of(w[k]), grad(tw[k]));
            expect_number("the gradient of an x", gradient_of(x[k]), grad(tx[k]));
        }
    }
}

static const Check checks[] = {
    {"append", 1, check_append, .forbidden = LIBRARY},
    {"v_add", 1, check_add, .forbidden = LIBRARY},
    {"v_mul", 2, check_mul, .forbidden = LIBRARY},
    {"v_pow", 2, check_pow, .forbidden = LIBRARY},
    {"v_tanh", 1, check_tanh, .forbidden = LIBRARY},
    {"v_exp", 1, check_exp, .forbidden = LIBRARY},
    {"backward", 4, check_backward, .forbidden = LIBRARY},
    {"backward_twice", 2, check_backward_twice, .function = "backward", .forbidden = LIBRARY},
    {"expressions", 4, check_expressions, .function = "backward", .forbidden = LIBRARY},
    {"neuron", 2, check_neuron, .forbidden = LIBRARY},
};
GRADE("02 tape", checks)
