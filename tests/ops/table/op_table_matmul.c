/* tests/ops/table/op_table_matmul.c: matrix products (core/ops/linalg/matmul.c) and einsum (einsum.c). */
#include "tests/ops/table/op_table.h"

CALL2(matmul)
CALL2(mm)
CALL2(bmm)

/* t_einsum: the number says which of these. */
static const char *const equations[] = {
    "bhid,bhjd->bhij", "bhij,bhjd->bhid", "ij,jk->ik", "ij,jk", "ba,ac", "i,i->", "i,j->ij", "ij->ji", "ij->", "ij->i",
    "ii->i", "ii", "iji->ij", "iii->i", "...ij,...jk->...ik", "i...->...", "...,...->...", "...->",
        "b...j,kj->...bk", "Z...a",
    "ij,ij->ij", "ij,ij->j", "ij,jk,kl->il", "i,ij,j", "abc,bd->acd", "abcd,cbe->aed", "abc,bca->", "ab,cb->ca",
        "aab,bcc->ac",
    " i j , j k -> k i ", "", ",->", "i,->i", "ij,kl->", "Ab,bA->Ab", "bi,bij,bj->b", "abcdefgh,abcdefgh->abcdefg",
    "abcd,abce->abcde", "ij,kj,lj->ikl", "hgfedcba->abcdefgh", "i,i,i->i", "...a,...b->...ab", "ab...,b...->a",
        "bthd,bshd->bhts",
    /* 44 and on: mistakes */
    "ij,jk", "ij", "ij...", "i..j", "i...j...", "i-j", "i1->i", "ij->i1", "ij->ii", "ij->k", "ij->i..", "ij->......",
        "ij->i->j",
    "ii->i", "ij,jk->ik", "...i,...i->...", "i...,j...->ij...", "i,i", "aabbccddeeff...", "ij,i...->j", "i->i,",
        "iij...,...",
    "abcde,fghij->abcdefghij", "aaabbcd...,...",
};
static t_TensorList *call_einsum(const Call *c) {
    return list_of(t_einsum(equations[c->n[0]], t_list_new(c->x, c->count)));
}

static const OpCase einsum_cases[] = {
    {"r(2,2,3,4) r(2,2,2,4)", {0}}, {"r(2,1,3,2) r(1,3,4,2)", {0}}, {"r(2,2,3,2) R(2,2,2,2)", {0}},
    {"r(2,2,3,2) r(2,2,2,4)", {1}},
    {"r(1,1,1,1) r(1,1,1,1)", {1}}, {"r(2,3) r(3,4)", {2}}, {"r(2,1) r(3,4)", {2}}, {"r(2,3) r(1,4)", {2}},
    {"r(2,0) r(0,3)", {2}},
    {"r(0,2) r(2,3)", {2}}, {"r(2,0) r(1,3)", {2}}, {"i(2,3) i(3,2)", {2}}, {"r(2,1) r(1,3)", {2}},
    {"b(2,1) b(1,3)", {2}}, {"b(1) b(1)", {5}},
    {"b(2,1)", {9}}, {"r(2,3) r(3,4)", {3}}, {"r(2,3) r(3,4)", {4}},
    {"r(4) r(4)", {5}}, {"r(0) r(0)", {5}}, {"r(4) r(1)", {5}}, {"i(3) i(3)", {5}}, {"r(2) r(3)", {6}},
    {"i(2) r(3)", {6}},
    {"b(2) b(3)", {6}}, {"f(2) d(3)", {6}}, {"r(2,3)", {7}}, {"b(2,3)", {7}}, {"r(2,3)", {8}}, {"b(2,3)", {8}},
    {"r(2,3)", {9}},
    {"r(0,3)", {9}}, {"r(3,3)", {10}}, {"b(3,3)", {10}}, {"r(3,3)", {11}}, {"i(3,3)", {11}}, {"r(2,3,2)", {12}},
    {"r(3,3,3)", {13}},
    {"r(2,3) r(3,4)", {14}}, {"r(2,2,3) r(3,4)", {14}}, {"r(2,1,2,3) r(3,3,2)", {14}}, {"r(3)", {15}},
    {"r(3,2,2)", {15}},
    {"r(2,3) r(3)", {16}}, {"r() r()", {16}}, {"r(2,1,3) r(4,1)", {16}}, {"r()", {17}}, {"r(2,3,2)", {17}},
    {"r(2,3,2,4) r(2,4)", {18}},
    {"r(2,4) r(3,4)", {18}}, {"r(2,3,4)", {19}}, {"r(2,3) r(2,3)", {20}}, {"r(2,1) r(1,3)", {20}},
    {"i(2,3) i(2,3)", {20}},
    {"r(2,0) r(2,1)", {20}}, {"r(2,3) r(2,3)", {21}}, {"r(2,3) r(3,4) r(4,2)", {22}}, {"r(2,3) r(3,1) r(4,2)", {22}},
    {"r(2) r(2,3) r(3)", {23}},
    {"r(2,3,2) r(3,4)", {24}}, {"r(2,3,2,2) r(2,3,4)", {25}}, {"r(2,3,2) r(3,2,2)", {26}}, {"r(2,3) r(4,3)", {27}},
    {"r(2,2,3) r(3,2,2)", {28}}, {"r(1,1,3) r(3,2,2)", {28}}, {"r(2,3) r(3,2)", {29}}, {"r()", {30}}, {"r() r()", {31}},
    {"r(3) r()", {32}}, {"r(2,3) r(2,2)", {33}}, {"b(2,3) b(2,2)", {33}}, {"r(2,3) r(3,2)", {34}},
    {"r(2,2) r(2,2,3) r(2,3)", {35}},
    {"r(2,1,2,1,1,2,1,3) r(2,1,2,1,1,2,1,3)", {36}}, {"r(2,1,2,2) r(2,1,2,3)", {37}}, {"r(2,3) r(2,3) r(2,3)", {38}},
    {"r(2,1,1,2,1,1,2,1)", {39}}, {"r(3) r(3) r(3)", {40}}, {"r(2,3) r(4)", {41}}, {"r(2,3,2) r(3,1)", {42}},
    {"r(2,3,2,4) r(2,4,2,4)", {43}}, {"r(2,1,2,3,2) r(2,3)", {14}}, {NULL},
};
static const OpCase matmul_cases[] = {
    {"r(4) r(4)"}, {"r(2,3) r(3)"}, {"r(3) r(3,2)"}, {"r(2,3) r(3,4)"}, {"r(2,2,3) r(3,2)"}, {"r(2,3) r(2,3,2)"},
    {"r(2,2,3) r(2,3,2)"}, {"r(2,1,2,3) r(3,3,2)"}, {"r(1,2,1,2,2) r(3,1,1,2,1)"}, {"r(3) r(2,3,2)"},
    {"r(2,2,3) r(3)"}, {"r(1,1) r(1,1)"}, {"r(2,0) r(0,3)"}, {"r(0,2) r(2,3)"}, {"r(2,3) r(3,0)"}, {"r(0) r(0)"},
    {"r(0,2,3) r(3,2)"}, {"r(2,2,0) r(0,2)"}, {"i(2,3) i(3,2)"}, {"R(2,3) r(3,2)"}, {"r(2,3) R(3,2)"},
    {"r(3,2,2) R(2,2)"}, {"r(2,1,3) r(1,3,2)"}, {NULL},
};
static const OpCase mm_cases[] = {
    {"r(2,3) r(3,4)"}, {"r(1,5) r(5,1)"}, {"r(5,1) r(1,5)"}, {"r(2,0) r(0,3)"}, {"r(0,2) r(2,3)"}, {"i(2,3) i(3,2)"},
    {"R(2,3) r(3,2)"}, {"r(2,3) R(3,2)"}, {"r(9,7) r(7,5)"}, {NULL},
};
static const OpCase bmm_cases[] = {
    {"r(2,2,3) r(2,3,4)"}, {"r(1,1,5) r(1,5,1)"}, {"r(3,5,1) r(3,1,2)"}, {"r(2,2,0) r(2,0,3)"}, {"r(0,2,3) r(0,3,2)"},
    {"i(2,2,3) i(2,3,2)"}, {"R(2,2,3) r(2,3,2)"}, {NULL},
};

#define BATCH2 "Expected size for first two dimensions of batch2 tensor to be: "
static const OpError matmul_errors[] = {
    {"r(2,3) r(4,5)", {0}, "mm: mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)"},
    {"r(2,2,3) r(4,5)", {0}, "mm: mat1 and mat2 shapes cannot be multiplied (4x3 and 4x5)"},
    {"R(2,2,3) R(4,5)", {0}, "mm: mat1 and mat2 shapes cannot be multiplied (4x3 and 4x5)"},
    {"r(3) r(4)", {0}, "inconsistent tensor size, expected tensor [3] and src [4] to have the same number of "
                       "elements, but got 3 and 4 elements respectively"},
    {"r(2,3) r(4)", {0}, "size mismatch, got input (2), mat (2x3), vec (4)"},
    {"r(3) r(4,2)", {0}, "mm: mat1 and mat2 shapes cannot be multiplied (1x3 and 4x2)"},
    {"r() r(2)", {0}, "both arguments to matmul need to be at least 1D, but they are 0D and 1D"},
    {"r(2,2,3) r(3,3,2)", {0}, "The size of tensor a (2) must match the size of tensor b (3) at non-singleton "
                               "dimension 0"},
    {"r(2,2,3) r(2,4,2)", {0}, BATCH2 "[2, 3] but got: [2, 4]."},
    {"f(2,3) d(3,2)", {0}, "expected m1 and m2 to have the same dtype, but got: float != double"},
    {"f(2,2,3) d(2,3,2)", {0}, "expected scalar type Float but found Double"},
    {"b(2,2,3) b(2,3,2)", {0}, "\"bmm\" not implemented for 'Bool'"},
    {"f(2,2,3) d(3,2)", {0}, "expected m1 and m2 to have the same dtype, but got: float != double"},
    {"f(3) d(3)", {0}, "dot : expected both vectors to have same dtype, but found Float and Double"},
    {"b(2,3) b(3,2)", {0}, "\"addmm_impl_cpu_\" not implemented for 'Bool'"},
    {"f(3) d(4)", {0}, "dot : expected both vectors to have same dtype, but found Float and Double"},
    {"f(2,3) d(3)", {0}, "addmv input tensors must have the same dtype, but got Double, Float, and Double"},
    {"b(2,3) b(3)", {0}, "\"addmv_impl_cpu\" not implemented for 'Bool'"},
    {"f(2,2,3) f(4)", {0}, "size mismatch, got input (4), mat (4x3), vec (4)"},
    {"f(2,2,3) d(3)", {0}, "addmv input tensors must have the same dtype, but got Double, Float, and Double"},
    {"f(2,1,2,3) f(3,5,2)", {0}, BATCH2 "[6, 3] but got: [6, 5]."},
    {"i(2,3) i(2,4,2)", {0}, BATCH2 "[2, 3] but got: [2, 4]."},
    {"r(2,3) f(2,4,5)", {0}, "mm: mat1 and mat2 shapes cannot be multiplied (10x4 and 3x2)"},
    {"r(2,3) d(2,3,5)", {0}, "expected m1 and m2 to have the same dtype, but got: double != float"},
    {"i(3) i(2,4,5)", {0}, BATCH2 "[2, 3] but got: [2, 4]."},
    {"f(3) f(0,4,5)", {0}, "size mismatch, got input (0), mat (0x4), vec (3)"},
    {"r(3) f(2,4,5)", {0}, "size mismatch, got input (10), mat (10x4), vec (3)"},
    {"r(3) d(2,3,5)", {0}, "addmv input tensors must have the same dtype, but got Float, Double, and Float"},
    {NULL},
};
#define MISTAKE(inputs, number, message) {inputs, {44 + number}, "einsum(): " message}
#define SUBSCRIPT(at) "invalid subscript given at index " at " in the equation string, subscripts must be in [a-zA-Z]"
static const OpError einsum_errors[] = {
    {"r(2,3) r(4,2)", {2},
        "einsum(): subscript j has size 4 for operand 1 which does not broadcast with previously seen size 3"},
    {"f(2,3) d(3,4)", {2}, "expected scalar type Float but found Double"},
    {"i(2,3) b(3,4)", {2}, "expected scalar type Long but found Bool"},
    {"b(2,3) b(3,4)", {2}, "\"bmm\" not implemented for 'Bool'"},
    {"b(3) b(3)", {5}, "\"bmm\" not implemented for 'Bool'"},
    {"f(3) d(3)", {5}, "expected scalar type Float but found Double"},
    {"r(2)", {30}, "einsum(): the number of subscripts in the equation (0) does not match the number of dimensions (1) "
                   "for operand 0 and no ellipsis was given"},
    MISTAKE("r(2,3)", 0, "fewer operands were provided than specified in the equation"),
    MISTAKE("r(2,3) r(3,2)", 1, "more operands were provided than specified in the equation"),
    MISTAKE("r(2)", 1, "the number of subscripts in the equation (2) does not match the number of dimensions (1) for "
                       "operand 0 and no ellipsis was given"),
    MISTAKE("r(2)", 2, "the number of subscripts in the equation (2) is more than the number of dimensions (1) for "
                       "operand 0"),
    MISTAKE("r(2,3)", 3, "found '.' for operand 0 that is not part of any ellipsis"),
    MISTAKE("r(2,3)", 4, "found '.' for operand 0 for which an ellipsis was already found"),
    MISTAKE("r(2,3)", 5, SUBSCRIPT("1")),
    MISTAKE("r(2,3)", 6, SUBSCRIPT("1")),
    MISTAKE("r(2,3)", 7, SUBSCRIPT("5")),
    MISTAKE("r(2,3)", 8, "output subscript i appears more than once in the output"),
    MISTAKE("r(2,3)", 9, "output subscript k does not appear in the equation for any input operand"),
    MISTAKE("r(2,3)", 10, "found '.' for output that is not part of any ellipsis (...)"),
    MISTAKE("r(2,3)", 11, "found '.' for output but an ellipsis (...) was already found"),
    MISTAKE("r(2,3)", 12, SUBSCRIPT("5")),
    MISTAKE("r(2,3)", 13, "subscript i is repeated for operand 0 but the sizes don't match, 3 != 2"),
    MISTAKE("r(1,3)", 13, "subscript i is repeated for operand 0 but the sizes don't match, 3 != 1"),
    MISTAKE("r(2,3) r(4,2)", 14,
            "subscript j has size 4 for operand 1 which does not broadcast with previously seen size 3"),
    MISTAKE("r(2,3) r(4,3)", 15, "dimension 0 covered by ellipsis in operand 1has size 4 which does not broadcast with "
                                 "previously seen ellipsis with size 2 for the respective dimension"),
    MISTAKE("r(2,3) r(3,4)", 16, "dimension 1 covered by ellipsis in operand 1has size 4 which does not broadcast with "
                                 "previously seen ellipsis with size 3 for the respective dimension"),
    MISTAKE("r(2) r(3)", 17,
            "subscript i has size 3 for operand 1 which does not broadcast with previously seen size 2"),
    MISTAKE("r(2,2)", 18,
            "the number of subscripts in the equation (12) is more than the number of dimensions (2) for operand 0"),
    MISTAKE("r(2,3) r(3,3)", 19,
            "subscript i has size 3 for operand 1 which does not broadcast with previously seen size 2"),
    MISTAKE("r(2)", 20, SUBSCRIPT("4")),
    MISTAKE("r(2,2,3,4) r(3)", 21,
            "dimension 0 covered by ellipsis in operand 1has size 3 which does not broadcast with "
                                   "previously seen ellipsis with size 4 for the respective dimension"),
    MISTAKE("r(2,2,2,2,2,2,3,4) r(3)", 23,
            "dimension 0 covered by ellipsis in operand 1has size 3 which does not broadcast "
                                           "with previously seen ellipsis with size 4 for the respective dimension"),
    {"r(1,1,1,1,2) r(1,1,1,1,2)", {44 + 22}, "a tensor has at most 8 dims, not 10"},
    {NULL},
};
static const OpError mm_errors[] = {
    {"r(2,3) r(4,5)", {0}, "mm: mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)"},
    {"r(3) r(3,2)", {0}, "mm: self must be a matrix, got 1-D tensor"},
    {"r(2,3) r(3)", {0}, "mm: mat2 must be a matrix, got 1-D tensor"},
    {"f(2,3) d(3,2)", {0}, "expected m1 and m2 to have the same dtype, but got: float != double"},
    {NULL},
};
static const OpError bmm_errors[] = {
    {"r(2,3) r(2,3,4)", {0}, "batch1 must be a 3D tensor"},
    {"r(2,2,3) r(3,4)", {0}, "batch2 must be a 3D tensor"},
    {"r(2,2,3) r(2,4,2)", {0}, BATCH2 "[2, 3] but got: [2, 4]."},
    {"r(2,2,3) r(3,3,2)", {0}, BATCH2 "[2, 3] but got: [3, 3]."},
    {"f(2,2,3) d(2,3,2)", {0}, "expected scalar type Float but found Double"},
    {"b(2,2,3) b(2,3,2)", {0}, "\"bmm\" not implemented for 'Bool'"},
    {NULL},
};

static const OpRow rows[] = {
    {"t_matmul", call_matmul, matmul_cases, matmul_errors, SUMS, .ranks = "12345z: vectors at least"},
    {"t_mm", call_mm, mm_cases, mm_errors, SUMS, .ranks = "2z: matrices"},
    {"t_bmm", call_bmm, bmm_cases, bmm_errors, SUMS, .ranks = "3z: batches of matrices"},
    {"t_einsum", call_einsum, einsum_cases, einsum_errors, SUMS | MAYBE_VIEW | OWN_GRAD_FN},
};
TABLE(matmul_table, "ops_matmul.txt", rows);
