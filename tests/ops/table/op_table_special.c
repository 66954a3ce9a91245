/* tests/ops/table/op_table_special.c: the gamma function's logarithm, its derivatives, and the incomplete gamma
 * function (core/ops/pointwise/special.c). */
#include "tests/ops/table/op_table.h"

CALL1_WITH_INPLACE(lgamma)
CALL1_WITH_INPLACE(digamma)
CALL2(igamma)
CALL2(igammac)
CALL2(igamma_)
CALL2(igammac_)
static t_TensorList *call_polygamma(const Call *c) {
    return list_of(t_polygamma(c->n[0], c->x[0]));
}
static t_TensorList *call_polygamma_(const Call *c) {
    return list_of(t_polygamma_(c->x[0], c->n[0]));
}
static t_TensorList *call_mvlgamma(const Call *c) {
    return list_of(t_mvlgamma(c->x[0], c->n[0]));
}
static t_TensorList *call_mvlgamma_(const Call *c) {
    return list_of(t_mvlgamma_(c->x[0], c->n[0]));
}

#define RANKS(k) {k "()"}, {k "(7)"}, {k "(2,3)"}, {k "(2,1,3)"}, {k "(2,1,2,2)"}, {k "(1,2,1,2,2)"}, {k "(0)"}, \
    {k "(2,0,3)"}
static const OpCase gamma_cases[] = {RANKS("p"), {"i(6)"}, {"P(3)"}, {"b(4)"}, {"s(9)"}, {NULL}};
static const OpCase gamma_inplace_cases[] = {RANKS("p"), {"P(3)"}, {"s(9)"}, {NULL}};
static const OpCase polygamma_cases[] = {
    {"p()", {1}}, {"p(7)", {2}}, {"p(2,3)", {1}}, {"p(2,1,3)", {3}}, {"p(2,1,2,2)", {0}}, {"p(1,2,1,2,2)", {1}},
    {"p(0)", {1}}, {"k9(6)", {1}}, {"P(3)", {4}}, {"b(4)", {1}}, {NULL},
};
static const OpCase polygamma_inplace_cases[] = {
    {"p()", {1}}, {"p(7)", {2}}, {"p(2,3)", {1}}, {"p(2,1,3)", {3}}, {"p(2,1,2,2)", {0}}, {"p(1,2,1,2,2)", {1}},
    {"p(0)", {1}}, {"P(3)", {4}}, {NULL},
};
static const OpCase mvlgamma_cases[] = {
    {"p()", {1}}, {"p(7)", {2}}, {"p(2,3)", {3}}, {"p(2,1,3)", {2}}, {"p(2,1,2,2)", {2}}, {"p(1,2,1,2,2)", {1}},
    {"p(0)", {2}}, {"k9(6)", {1}}, {"P(3)", {3}}, {NULL},
};
static const OpCase mvlgamma_inplace_cases[] = {
    {"p()", {1}}, {"p(7)", {2}}, {"p(2,3)", {3}}, {"p(2,1,3)", {2}}, {"p(2,1,2,2)", {2}}, {"p(1,2,1,2,2)", {1}},
    {"p(0)", {2}}, {"P(3)", {3}}, {NULL},
};
/* There is no derivative with respect to the first. */
static const OpCase igamma_cases[] = {
    BROADCASTS("P", "p"), {"x(12) x(12)"}, {"F(2) d(2)"}, {"D(2) F()"}, {NULL},
};
static const OpCase igamma_inplace_cases[] = {
    {"P() p()"}, {"P(5) p(5)"}, {"P(2,3) p(3)"}, {"P(2,1,3) p(3)"}, {"P(2,2,2,3) p(2,1)"}, {"P(1,2,3,1,2) p(3,1,2)"},
    {"P(0) p(1)"}, {NULL},
};

static const OpError none[] = {{NULL}};
static const OpError inplace_errors[] = {
    {"i(2)", {0}, "result type Float can't be cast to the desired output type Long"}, {NULL},
};
static const OpError polygamma_errors[] = {{"P(2)", {-1}, "polygamma(n, x) does not support negative n."}, {NULL}};
static const OpError mvlgamma_errors[] = {{"P(2)", {0}, "p has to be greater than or equal to 1"}, {NULL}};
static const OpError igamma_errors[] = {
    MISFITS("P"), {"i(2) i(2)", {0}, "\"igamma_cpu\" not implemented for 'Long'"}, {NULL},
};
static const OpError igammac_errors[] = {
    MISFITS("P"), {"i(2) i(2)", {0}, "\"igammac_cpu\" not implemented for 'Long'"}, {NULL},
};

static const OpRow rows[] = {
    {"t_lgamma", call_lgamma, gamma_cases, none},
    {"t_lgamma_", call_lgamma_, gamma_inplace_cases, inplace_errors, INPLACE},
    {"t_digamma", call_digamma, gamma_cases, none},
    {"t_digamma_", call_digamma_, gamma_inplace_cases, inplace_errors, INPLACE},
    {"t_polygamma", call_polygamma, polygamma_cases, polygamma_errors, .positions = "2"},
    {"t_polygamma_", call_polygamma_, polygamma_inplace_cases, polygamma_errors, INPLACE},
    {"t_mvlgamma", call_mvlgamma, mvlgamma_cases, mvlgamma_errors},
    {"t_mvlgamma_", call_mvlgamma_, mvlgamma_inplace_cases, mvlgamma_errors, INPLACE},
    {"t_igamma", call_igamma, igamma_cases, igamma_errors},
    {"t_igamma_", call_igamma_, igamma_inplace_cases, none, INPLACE},
    {"t_igammac", call_igammac, igamma_cases, igammac_errors},
    {"t_igammac_", call_igammac_, igamma_inplace_cases, none, INPLACE},
};
TABLE(special_table, "ops_special.txt", rows);
