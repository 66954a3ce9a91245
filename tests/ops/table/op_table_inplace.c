/* tests/ops/table/op_table_inplace.c: ops that write to their first input. The tests hand them a copy or a view of
 * one. */
#include "tests/ops/table/op_table.h"

CALL2(add_)
CALL2(sub_)
CALL2(mul_)
CALL2(div_)
CALL2(copy_)
CALL1(zero_)
CALL3(masked_fill_)

static t_TensorList *call_fill_(const Call *c) {
    return list_of(t_fill_(c->x[0], (double)c->n[0] / 4));
}
static t_TensorList *call_uniform_(const Call *c) {
    return list_of(t_uniform_(c->x[0], (double)c->n[0], (double)c->n[1], NULL));
}
static t_TensorList *call_normal_(const Call *c) {
    return list_of(t_normal_(c->x[0], (double)c->n[0], (double)c->n[1], NULL));
}
static t_TensorList *call_bernoulli_(const Call *c) {
    return list_of(t_bernoulli_(c->x[0], (double)c->n[0] / 4, NULL));
}

/* t_set: the first number says which of these, the others are for {}. */
static const char *const set_texts[] = {"0", ":, 0::2", "..., -1", "1, {}:{}", "...", ":, None, 1",
                                        "-1, ..., ::2", "0, 5", "1, 8:"};
static t_TensorList *call_set(const Call *c) {
    static const int numbers[] = {0, 0, 0, 2, 0, 0, 0, 0, 0};
    int scope = t_scope_open();
    if (!scope) return NULL;
    Tensor *values[] = {t_integer(c->n[1]), t_integer(c->n[2])};
    bool done = values[0] && values[1] && t_set(c->x[0], set_texts[c->n[0]], values, numbers[c->n[0]], c->x[1]);
    t_scope_close(scope);
    return done ? list_of(c->x[0]) : NULL;
}

#define INTO(a, b)                                                                                             \
    {a "() " b "()"}, {a "(5) " b "(5)"}, {a "(2,3) " b "(3)"}, {a "(2,3) " b "(2,1)"}, {a "(2,3,2) " b "()"}, \
    {a "(2,4,3) " b "(4,1)"}, {a "(2,2,2,3) " b "(2,1)"}, {a "(1,2,3,2,2) " b "(3,1,2)"}, {a "(0) " b "(1)"},  \
    {a "(2,3) N"}, {"R(3) " b "(3)"}, {a "(3) R(3)"}, {"R(2,3) R(3)"}, {"R(3) N"}

static const OpCase add_cases[] = {
    INTO("r", "r"), {"i(4) i(4)"}, {"i(3) I"}, {"r(3) i(3)"}, {"f(3) D(3)"}, {"d(3) f(3)"}, {"b(4) b(4)"}, {NULL},
};
static const OpCase sub_cases[] = {INTO("r", "r"), {"i(4) i(4)"}, {"i(3) I"}, {"r(3) i(3)"}, {"f(3) d(3)"}, {NULL}};
static const OpCase div_cases[] = {INTO("r", "s"), {"r(3) i(3)"}, {"f(3) d(3)"}, {NULL}};
static const OpCase copy_cases[] = {
    INTO("r", "r"), {"i(4) r(4)"}, {"r(4) i(4)"}, {"b(4) i(4)"}, {"f(3) d(3)"}, {"d(2,3) f(1,3)"}, {NULL},
};
static const OpCase fill_cases[] = {
    {"r()", {1}}, {"r(5)", {-6}}, {"R(2,3)", {3}}, {"i(4)", {8}}, {"b(3)", {4}}, {"r(2,1,2,3,2)", {5}}, {"r(0)", {1}},
    {"r(2,1,2)", {1}}, {"r(1,2,1,2)", {1}}, {NULL},
};
static const OpCase zero_cases[] = {
    {"r()"}, {"r(5)"}, {"R(2,3)"}, {"i(4)"}, {"b(3)"}, {"r(2,1,2,3,2)"}, {"r(0)"}, {"r(2,1,2)"}, {"r(1,2,1,2)"}, {NULL},
};
static const OpCase masked_fill_cases[] = {
    {"r() b() N"}, {"r(5) b(5) N"}, {"r(2,3) b(3) r()"}, {"R(4,3) b(4,1) N"}, {"r(2,4,3) b(4,1) I"}, {"r(0) b(1) N"},
    {"r(2,2,2,3) b(2,1) r()"}, {"r(1,2,3,2,2) b(3,1,2) N"}, {"i(5) b(5) I"}, {"R(3) b(3) r()"}, {NULL},
};
static const OpCase set_cases[] = {
    {"r(2,3) r(3)", {0}}, {"r(2,3) N", {0}}, {"r(2,4) r(2,2)", {1}}, {"r(3,3) r(1)", {1}}, {"r(2,3,2) r(2,3)", {2}},
    {"r(2,5) r(2)", {3, 1, 3}}, {"r(2,3) r(2,3)", {4}}, {"r(2,1,3) R(1,2,1,3)", {4}}, {"r(2,3) r(2,1)", {5}},
    {"R(2,3) r(3)", {0}}, {"i(2,3) r(3)", {0}}, {"r(2,2,3) i(2)", {6}}, {"f(2,3) d(3)", {0}}, {"i(2,9) i()", {7}},
    {"i(2,12) I", {8}}, {"b(2,9) B", {8}},
    {"r() r()", {4}}, {"r(4) r()", {0}}, {"r(2,1,2,3) r(2)", {2}}, {"r(2,1,2,1,3) r()", {2}}, {"r(0,3) r()", {2}},
    {NULL},
};
static const OpCase uniform_cases[] = {
    {"R(5)", {0, 1}}, {"R(2,3)", {-1, 2}}, {"r(4)", {0, 1}}, {"R(0)", {0, 1}}, {"R(2,1,2,3,2)", {0, 3}},
    {"R()", {0, 1}}, {"R(2,1,2)", {0, 1}}, {"R(1,2,1,2)", {0, 1}}, {NULL},
};
static const OpCase normal_cases[] = {
    {"R(5)", {0, 1}}, {"R(17)", {-1, 2}}, {"r(4)", {0, 1}}, {"R(0)", {0, 1}}, {"R(2,1,2,3,2)", {0, 3}},
    {"R(2,8)", {0, 1}}, {"R()", {0, 1}}, {"R(2,1,2)", {0, 1}}, {"R(1,2,1,2)", {0, 1}}, {NULL},
};
static const OpCase bernoulli_cases[] = {
    {"R(5)", {1}}, {"R(17)", {2}}, {"r(4)", {4}}, {"R(0)", {0}}, {"R(2,1,2,3,2)", {3}}, {"R()", {2}}, {"R(2,3)", {2}},
    {"R(2,1,2)", {2}}, {"R(1,2,1,2)", {2}}, {NULL},
};

#define REFUSED                                                                                                      \
    {"r(3) r(4)", {0}, "The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 0"}, \
    {"r(3) r(2,3)", {0}, "output with shape [3] doesn't match the broadcast shape [2, 3]"},                          \
    {"r() r(2)", {0}, "output with shape [] doesn't match the broadcast shape [2]"},                                 \
    {"i(3) r(3)", {0}, "result type Float can't be cast to the desired output type Long"},                           \
    {"i(3) N", {0}, "result type Float can't be cast to the desired output type Long"}
static const OpError arithmetic_errors[] = {REFUSED, {NULL}};
static const OpError sub_errors[] = {
    REFUSED,
    {"b(2) b(2)", {0}, "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
                       "`logical_xor()` operator instead."},
    {NULL},
};
static const OpError div_errors[] = {
    REFUSED,
    {"i(3) i(3)", {0}, "result type Float can't be cast to the desired output type Long"},
    {NULL},
};
static const OpError copy_errors[] = {
    {"r(3) r(4)", {0}, "The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 0"},
    {"r(3) r(2,3)", {0}, "output with shape [3] doesn't match the broadcast shape [2, 3]"},
    {NULL},
};
static const OpError masked_fill_errors[] = {
    {"r(2) r(2) N", {0}, "masked_fill_ only supports boolean masks, but got mask with dtype float"},
    {"r(2) b(3) N", {0}, "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0"},
    {"r(3) b(2,3) N", {0}, "output with shape [3] doesn't match the broadcast shape [2, 3]"},
    {NULL},
};
static const OpError set_errors[] = {
    {"r(2,3) r(4)", {0}, "The expanded size of the tensor (3) must match the existing size (4) at non-singleton "
                         "dimension 0.  Target sizes: [3].  Tensor sizes: [4]"},
    {"r(2,3) r(1)", {7}, "index 5 is out of bounds for dimension 1 with size 3"},
    {NULL},
};
static const OpError uniform_errors[] = {
    {"R(2)", {2, 1}, "uniform_ expects to return a [from, to) range, but found from=2 > to=1"},
    {"i(2)", {0, 1}, "\"check_uniform_bounds\" not implemented for 'Long'"},
    {NULL},
};
static const OpError normal_errors[] = {
    {"R(2)", {0, -1}, "normal expects std >= 0.0, but found std -1"},
    {"i(2)", {0, 1}, "\"normal_kernel_cpu\" not implemented for 'Long'"},
    {NULL},
};
static const OpError bernoulli_errors[] = {
    {"R(2)", {8}, "bernoulli_ expects p to be in [0, 1], but got p=2"},
    {"R(2)", {-4}, "bernoulli_ expects p to be in [0, 1], but got p=-1"},
    {NULL},
};
static const OpError none[] = {{NULL}};

static const OpRow rows[] = {
    {"t_add_", call_add_, add_cases, arithmetic_errors, INPLACE},
    {"t_sub_", call_sub_, sub_cases, sub_errors, INPLACE},
    {"t_mul_", call_mul_, add_cases, arithmetic_errors, INPLACE},
    {"t_div_", call_div_, div_cases, div_errors, INPLACE},
    {"t_copy_", call_copy_, copy_cases, copy_errors, INPLACE},
    {"t_fill_", call_fill_, fill_cases, none, INPLACE},
    {"t_zero_", call_zero_, zero_cases, none, INPLACE},
    {"t_masked_fill_", call_masked_fill_, masked_fill_cases, masked_fill_errors, INPLACE},
    {"t_set", call_set, set_cases, set_errors, INPLACE, "15"},
    {"t_uniform_", call_uniform_, uniform_cases, uniform_errors, INPLACE | RANDOM},
    {"t_normal_", call_normal_, normal_cases, normal_errors, INPLACE | RANDOM},
    {"t_bernoulli_", call_bernoulli_, bernoulli_cases, bernoulli_errors, INPLACE | RANDOM},
};
TABLE(inplace_table, "ops_inplace.txt", rows);
