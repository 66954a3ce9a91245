/* core/ops/linalg/einsum_parser.c: parses an einsum equation, "bhid,bhjd->bhij", for einsum.c. */
#include <string.h>

#include "core/ops/linalg/einsum_internal.h"

/* ---- letters ---- */

static int label_from_letter(char letter) {
    if (letter >= 'A' && letter <= 'Z') return letter - 'A';
    return letter >= 'a' && letter <= 'z' ? letter - 'a' + 26 : -1;
}

static char letter_from_label(int label) {
    return (char)(label < 26 ? 'A' + label : 'a' + label - 26);
}

static bool bad_letter(int64_t at) {
    return tg_fail("einsum(): invalid subscript given at index %lld in the equation string, subscripts must be in "
                   "[a-zA-Z]",
                   (long long)at);
}

static bool is_ellipsis(const char *at) {
    return strncmp(at, "...", 3) == 0;
}

/* ---- operands of the equation ----
 * Parsed as letters and the position of the ellipsis among them (-1: none). Letters beyond the maximal rank are only
 * counted. */

typedef struct Subscripts {
    int64_t letters, ellipsis;
    int label[T_MAX_DIMS];
} Subscripts;

static void add_letter(Subscripts *subscripts, int label) {
    if (subscripts->letters < T_MAX_DIMS) subscripts->label[subscripts->letters] = label;
    subscripts->letters++;
}

/* Parses the operands, up to the arrow. */
static bool read_operands(const char *text, int64_t end, Subscripts *all, int64_t count) {
    int64_t operand = 0;
    for (int64_t i = 0; i < end; i++) {
        Subscripts *subscripts = &all[operand];
        if (text[i] == ' ') continue;
        if (text[i] == ',') {
            if (++operand == count)
                return tg_fail("einsum(): fewer operands were provided than specified in the equation");
        } else if (text[i] == '.') {
            if (subscripts->ellipsis >= 0)
                return tg_fail("einsum(): found '.' for operand %lld for which an ellipsis was already found",
                               (long long)operand);
            if (!is_ellipsis(text + i))
                return tg_fail("einsum(): found '.' for operand %lld that is not part of any ellipsis",
                               (long long)operand);
            subscripts->ellipsis = subscripts->letters;
            i += 2;
        } else {
            if (label_from_letter(text[i]) < 0) return bad_letter(i);
            add_letter(subscripts, label_from_letter(text[i]));
        }
    }
    return operand == count - 1 || tg_fail("einsum(): more operands were provided than specified in the equation");
}

/* The labels of the dims of one operand, with the ellipsis expanded to the dims that it stands for. */
static bool label_dims(const Subscripts *subscripts, int64_t number, Term *t) {
    const Tensor *x = t->x;
    bool has_ellipsis = subscripts->ellipsis >= 0;
    if (has_ellipsis ? subscripts->letters > x->ndim : subscripts->letters != x->ndim)
        return tg_fail("einsum(): the number of subscripts in the equation (%lld) %s the number of dimensions (%d) for "
                       "operand %lld%s",
                       (long long)subscripts->letters, has_ellipsis ? "is more than" : "does not match", x->ndim,
                       (long long)number, has_ellipsis ? "" : " and no ellipsis was given");
    int ellipsis_dims = x->ndim - (int)subscripts->letters;
    for (int i = 0, d = 0; i <= subscripts->letters; i++) {
        for (int j = 0; i == subscripts->ellipsis && j < ellipsis_dims; j++)
            t->label[d++] = TG_LABELS - ellipsis_dims + j;
        if (i < subscripts->letters) t->label[d++] = subscripts->label[i];
    }
    return true;
}

/* ---- the result ---- */

static void add_ellipsis(Labels *result, int ellipsis_dims) {
    for (int j = 0; j < ellipsis_dims; j++) result->of[result->count++] = TG_LABELS - ellipsis_dims + j;
}

/* Without an arrow: the dims of the ellipsis, then the letters that occur once, in alphabetical order. */
static void implicit_result(const int64_t *uses, int ellipsis_dims, Labels *result) {
    add_ellipsis(result, ellipsis_dims);
    for (int label = 0; label < TG_LETTERS; label++)
        if (uses[label] == 1) result->of[result->count++] = label;
}

static bool read_result(const char *text, int64_t start, const int64_t *uses, int ellipsis_dims, Labels *result) {
    bool seen[TG_LETTERS] = {false}, ellipsis = false;
    for (int64_t i = start; text[i]; i++) {
        int label = label_from_letter(text[i]);
        if (text[i] == ' ') continue;
        if (text[i] == '.') {
            if (ellipsis)
                return tg_fail("einsum(): found '.' for output but an ellipsis (...) was already found");
            if (!is_ellipsis(text + i))
                return tg_fail("einsum(): found '.' for output that is not part of any ellipsis (...)");
            add_ellipsis(result, ellipsis_dims);
            ellipsis = true;
            i += 2;
            continue;
        }
        if (label < 0) return bad_letter(i);
        if (seen[label] || !uses[label])
            return tg_fail("einsum(): output subscript %c %s", text[i],
                           seen[label] ? "appears more than once in the output"
                                       : "does not appear in the equation for any input operand");
        seen[label] = true;
        result->of[result->count++] = label;
    }
    return true;
}

/* ---- sizes ---- */

/* Checks each dim of an operand against the size of its label so far; 1 broadcasts. A second dim with the same label
 * in one operand must have the same size. (The missing space in the error about the ellipsis is PyTorch's.) */
static bool check_label_sizes(const Term *t, int64_t number, int64_t *sizes) {
    const Tensor *x = t->x;
    int first[TG_LABELS], position = 0;
    memset(first, -1, sizeof first);
    for (int d = 0; d < x->ndim; d++) {
        int label = t->label[d];
        long long size = x->shape[d], before = sizes[label];
        if (first[label] >= 0) {
            if (x->shape[first[label]] == size) continue;
            return tg_fail("einsum(): subscript %c is repeated for operand %lld but the sizes don't match, %lld != "
                           "%lld",
                           letter_from_label(label), (long long)number, size, (long long)x->shape[first[label]]);
        }
        if (size != 1 && before != 1 && before != size)
            return label < TG_LETTERS
                       ? tg_fail("einsum(): subscript %c has size %lld for operand %lld which does not broadcast with "
                                 "previously seen size %lld",
                                 letter_from_label(label), size, (long long)number, before)
                       : tg_fail("einsum(): dimension %d covered by ellipsis in operand %lldhas size %lld which does "
                                 "not broadcast with previously seen ellipsis with size %lld for the respective "
                                 "dimension",
                                 position, (long long)number, size, before);
        if (size != 1) sizes[label] = size;
        first[label] = d;
        position++;
    }
    return true;
}

/* ---- the whole equation ---- */

static bool read_equation(const char *text, int64_t count, Subscripts *all, Term *terms, Labels *result) {
    const char *arrow = strstr(text, "->");
    int64_t uses[TG_LETTERS] = {0}, sizes[TG_LABELS], end = arrow ? arrow - text : (int64_t)strlen(text);
    int ellipsis_dims = 0;
    if (!read_operands(text, end, all, count)) return false;
    for (int64_t i = 0; i < count; i++) {
        if (!label_dims(&all[i], i, &terms[i])) return false;
        int dims = terms[i].x->ndim - (int)all[i].letters;
        ellipsis_dims = dims > ellipsis_dims ? dims : ellipsis_dims;
        for (int d = 0; d < all[i].letters; d++) uses[all[i].label[d]]++;
    }
    result->count = 0;
    if (!arrow) implicit_result(uses, ellipsis_dims, result);
    else if (!read_result(text, end + 2, uses, ellipsis_dims, result)) return false;
    for (int label = 0; label < TG_LABELS; label++) sizes[label] = 1;
    for (int64_t i = 0; i < count; i++)
        if (!check_label_sizes(&terms[i], i, sizes)) return false;
    return true;
}

bool tg_parse_einsum(const char *equation, const t_TensorList *operands, Term *terms, Labels *result) {
    size_t bytes = (size_t)operands->len * sizeof(Subscripts);
    Subscripts *all = tg_alloc(bytes);
    if (!all) return false;
    for (int64_t i = 0; i < operands->len; i++) {
        all[i].ellipsis = -1;
        terms[i].x = operands->items[i];
    }
    bool ok = read_equation(equation, operands->len, all, terms, result);
    tg_free(all, bytes);
    return ok;
}
